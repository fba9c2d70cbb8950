/** No reader sees the half of a file, and no half stays. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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
  for (const name of [
    '.manifest.json.tmp-0123456789abcdef',
    '.memory.json.tmp-aaaaaaaaaaaaaaaa',
    'my.tmp',
    'x.tmp-1a',
  ])
    writeFileSync(join(folder, name), '');
  removeHalves(folder);
  expect(readdirSync(folder).sort()).toEqual(['manifest.json', 'my.tmp', 'x.tmp-1a']);
  removeHalves(join(folder, 'none'));
});

it('writes over no file of the host, whatever is put in its way', async () => {
  const host = join(folder, 'host');
  const ours = join(folder, 'step', 'out');
  mkdirSync(host);
  mkdirSync(ours, { recursive: true });
  writeFileSync(join(host, 'manifest.json'), 'of the host');
  writeFileSync(join(host, '.x.tmp-0123456789abcdef'), 'of the host');
  // The name itself, and the names that a process could guess.
  for (const name of [
    'manifest.json',
    `manifest.json.tmp-${process.pid}`,
    `.manifest.json.tmp-${process.pid}`,
  ])
    symlinkSync(join(host, 'manifest.json'), join(ours, name));
  await writeWhole(join(ours, 'manifest.json'), 'ours');
  expect(readFileSync(join(ours, 'manifest.json'), 'utf8')).toBe('ours');
  // The folder, and the one around it.
  for (const [link, path] of [
    [ours, join(ours, 'manifest.json')],
    [join(folder, 'step'), join(folder, 'step', 'manifest.json')],
    [join(folder, 'step'), join(folder, 'step', 'deep', 'manifest.json')],
  ] as const) {
    rmSync(link, { recursive: true });
    mkdirSync(join(host, 'deep'), { recursive: true });
    symlinkSync(host, link);
    await expect(writeWhole(path, 'ours')).rejects.toThrow(/ELOOP|ENOTDIR/);
    removeHalves(ours);
    rmSync(link);
    mkdirSync(ours, { recursive: true });
  }
  expect(readFileSync(join(host, 'manifest.json'), 'utf8')).toBe('of the host');
  expect(readdirSync(host).sort()).toEqual(['.x.tmp-0123456789abcdef', 'deep', 'manifest.json']);
  expect(readdirSync(join(host, 'deep'))).toEqual([]);
});
