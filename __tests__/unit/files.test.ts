/** No reader sees the half of a file, and no half stays. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { removeHalves, writeWhole } from '../../src/lib/files.js';

const folder = mkdtempSync(join(tmpdir(), 'oa files '));
afterAll(() => rmSync(folder, { recursive: true }));

it('writes a file whole, over one that is there', async () => {
  const path = join(folder, 'manifest.json');
  await writeWhole(path, 'one');
  await writeWhole(path, 'two');
  expect(readFileSync(path, 'utf8')).toBe('two');
  expect(readdirSync(folder)).toEqual(['manifest.json']);
});

it('removes the halves of writers that were killed, and nothing else', async () => {
  for (const name of ['manifest.json.tmp-77', 'memory.json.tmp-1', 'my.tmp', 'x.tmp-1a'])
    writeFileSync(join(folder, name), '');
  await removeHalves(folder);
  expect(readdirSync(folder).sort()).toEqual(['manifest.json', 'my.tmp', 'x.tmp-1a']);
  await removeHalves(join(folder, 'none'));
});
