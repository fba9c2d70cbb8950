// Digests of open files: right, bounded, and of no more memory than a buffer.
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { bareDigest, digestHandle, digestOf } from '../../src/evidence/digest.js';
import { random, temporaryFolder } from './evidence-kit.js';

const dir = temporaryFolder('oa-digest');
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const later = (): number => performance.now() + 60_000;

async function digest(name: string, maxBytes: number, until = later()) {
  const handle = await open(join(dir, name));
  try {
    // The handle's own offset must not matter.
    await handle.read(Buffer.alloc(3));
    return await digestHandle(handle, { maxBytes, until });
  } finally {
    await handle.close();
  }
}

it.each([0, 1, 2 ** 20 - 1, 2 ** 20, 2 ** 20 + 1, 3_333_333])(
  'agrees with sha256sum on %d bytes',
  async (bytes) => {
    writeFileSync(join(dir, 'f'), random(7).bytes(bytes));
    const [expected] = execFileSync('sha256sum', [join(dir, 'f')], { encoding: 'utf8' }).split(' ');
    expect(await digest('f', bytes)).toEqual({ ok: true, digest: `sha256:${expected}`, bytes });
  },
);

it.each([0, 1, 4095, 2 ** 20 - 1, 2 ** 20])(
  'notices one byte more than the %d that may come',
  async (bytes) => {
    writeFileSync(join(dir, 'more'), Buffer.alloc(bytes + 1));
    expect(await digest('more', bytes)).toEqual({ ok: false, reason: 'too-long' });
  },
);

it('stops at the bound and at the deadline', async () => {
  writeFileSync(join(dir, 'long'), Buffer.alloc(5 * 2 ** 20));
  expect(await digest('long', 2 ** 20)).toEqual({ ok: false, reason: 'too-long' });
  expect(await digest('long', 2 ** 30, performance.now() - 1)).toEqual({ ok: false, reason: 'too-slow' });
});

it('digests texts as UTF-8', () => {
  expect(digestOf('é')).toEqual({
    digest: 'sha256:4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c',
    bytes: 2,
  });
  expect(bareDigest('sha256:ab')).toBe('ab');
});
