// Collecting from folders that somebody hostile filled. Links, devices, sizes and races are real ones.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from '@jest/globals';
import { type CollectLimits, collect, type Evidence } from '../../src/evidence/collect.js';
import { digestOf } from '../../src/evidence/digest.js';
import { openFolder, openRegular, sealOf, stillSealed } from '../../src/evidence/safe-fs.js';
import {
  made,
  OTHER_STEP,
  random,
  receipt,
  receiptFile,
  STEP,
  snapshotFile,
  temporaryFolder,
  writeReceipt,
  writeSnapshot,
} from './evidence-kit.js';

const root = temporaryFolder('oa-collect');
afterAll(() => rmSync(root, { recursive: true, force: true }));
let dir: string;
let n = 0;
beforeEach(() => {
  n += 1;
  dir = join(root, `e ü ${n}`);
  mkdirSync(dir);
});

const at = (name: string): string => join(dir, name);
const gather = (limits: Partial<CollectLimits> = {}): Promise<Evidence> =>
  collect({ dir, step: STEP, limits });
const reasons = (evidence: Evidence): Record<string, string> =>
  Object.fromEntries(evidence.rejected.map((r) => [r.name, r.reason]));
const snapshot = (seq = 1): string => snapshotFile(made(), seq);

it('finds receipts and snapshots, with digests, and joins them', async () => {
  writeReceipt(dir);
  writeSnapshot(dir);
  const evidence = await gather();
  expect(evidence).toMatchObject({ dir, step: STEP, rejected: [], rejectedCount: 0, faults: [] });
  expect(evidence.receipts).toMatchObject([
    { file: receiptFile(made()), pid: 4242, ...digestOf(JSON.stringify(receipt())) },
  ]);
  expect(evidence.snapshots).toMatchObject([
    {
      file: snapshot(),
      ...digestOf('hello world'),
      rank: 1,
      reason: 'oom',
      device: 0,
      history: 'armed',
      receipt: receiptFile(made()),
      orphan: false,
      notes: [],
    },
  ]);
  expect(JSON.parse(JSON.stringify(evidence))).toEqual(evidence);
});

it('takes a snapshot without a receipt for an orphan, and one that its receipt does not list for what it is', async () => {
  writeReceipt(dir);
  writeSnapshot(dir);
  writeSnapshot(dir, snapshotFile(made(), 2, 1, 'sigterm'), 'later');
  writeSnapshot(dir, snapshotFile(made(77), 1, 'none'), 'alone');
  const evidence = await gather();
  expect(evidence.snapshots.map((s) => [s.file, s.orphan, s.rank, s.history, s.notes])).toEqual([
    [snapshotFile(made(), 1), false, 1, 'armed', []],
    [snapshotFile(made(), 2, 1, 'sigterm'), false, 1, 'unknown', [expect.stringMatching(/^not listed/)]],
    [snapshotFile(made(77), 1, 'none'), true, null, 'unknown', [expect.stringMatching(/^no receipt/)]],
  ]);
});

it('says when a receipt and its snapshot disagree in size', async () => {
  writeReceipt(dir);
  writeSnapshot(dir, snapshot(), 'shorter');
  expect((await gather()).snapshots[0]?.notes).toEqual(['its receipt says 11 bytes']);
});

it('names what it refuses, and opens none of it', async () => {
  writeFileSync(join(root, 'outside'), 'secret');
  symlinkSync(join(root, 'outside'), at(snapshot(1)));
  linkSync(join(root, 'outside'), at(snapshot(2)));
  execFileSync('mkfifo', [at(snapshot(3))]);
  mkdirSync(at(snapshot(4)));
  writeFileSync(at(snapshot(5)), '');
  symlinkSync('nowhere', at(receiptFile(made(5))));
  execFileSync('mkfifo', [at(receiptFile(made(6)))]);
  writeFileSync(at('host-7-deadbeef.cycles.html'), '<p>');
  const server = createServer();
  // A socket's path is short (108 bytes), so it is bound elsewhere and moved in.
  await new Promise<void>((done) => server.listen(join(root, `s${n}`), done));
  renameSync(join(root, `s${n}`), at(snapshot(6)));
  if (process.getuid?.() === 0) execFileSync('mknod', [at(snapshot(7)), 'c', '1', '5']);
  try {
    const evidence = await gather();
    expect(evidence).toMatchObject({ receipts: [], snapshots: [] });
    expect(reasons(evidence)).toEqual({
      [snapshot(1)]: 'a symbolic link',
      [snapshot(2)]: 'a hard link (2 names share this file)',
      [snapshot(3)]: 'a FIFO',
      [snapshot(4)]: 'a folder',
      [snapshot(5)]: 'empty',
      [snapshot(6)]: 'a socket',
      ...(process.getuid?.() === 0 ? { [snapshot(7)]: 'a device' } : {}),
      [receiptFile(made(5))]: 'a symbolic link',
      [receiptFile(made(6))]: 'a FIFO',
      'host-7-deadbeef.cycles.html': 'no receipt or snapshot has such a name',
    });
  } finally {
    server.close();
  }
});

it('shows strange names harmlessly', async () => {
  const names = ['::error file=x::y', '\u001b[31m\nx', '`<b>`.pickle', '\u202egnp.pickle', 'manifest.json'];
  for (const name of names) writeFileSync(at(name), 'x');
  writeFileSync(Buffer.concat([Buffer.from(`${dir}/`), Buffer.from([0x66, 0xff, 0xfe])]), 'x');
  const evidence = await gather();
  expect(evidence.rejectedCount).toBe(6);
  for (const { name } of evidence.rejected) expect(name).toMatch(/^[A-Za-z0-9._ @+=,\\{}-]+$/);
  expect(reasons(evidence)['manifest.json']).toBe('no receipt or snapshot has such a name');
});

it('removes the dump of a process that is gone behind any number of other names', async () => {
  for (let i = 0; i < 300; i += 1) closeSync(openSync(at(`junk${i}`), 'w'));
  writeFileSync(at(`.${snapshot()}.tmp-4242`), 'half');
  const evidence = await collect({ dir, step: STEP, isGone: () => true, limits: { rejected: 10 } });
  expect(evidence.faults).toEqual(['removed the unfinished dump of a process that died (pid 4242, 4 bytes)']);
  expect(evidence.rejected).toHaveLength(10);
  expect(readdirSync(dir)).toHaveLength(300);
});

it('names unfinished dumps with their process', async () => {
  writeFileSync(at(`.${snapshot()}.tmp-4242`), 'half');
  const evidence = await gather();
  expect(evidence.snapshots).toEqual([]);
  expect(evidence.rejected).toEqual([
    {
      name: `.${snapshot()}.tmp-4242`,
      reason: 'unfinished dump of a process that died or still runs (pid 4242)',
      bytes: 4,
    },
  ]);
});

it('removes the unfinished dumps of processes that are gone, and only those', async () => {
  writeFileSync(at(`.${snapshot()}.tmp-4242`), 'half');
  writeFileSync(at(`.${snapshot(2)}.tmp-4243`), 'half');
  mkdirSync(at(`.${snapshot(3)}.tmp-4242`));
  symlinkSync('/etc/passwd', at(`.${snapshot(4)}.tmp-4242`));
  writeFileSync(at('.bashrc'), '');
  const evidence = await collect({ dir, step: STEP, isGone: (pid) => pid === 4242 });
  expect(evidence.faults).toEqual(['removed the unfinished dump of a process that died (pid 4242, 4 bytes)']);
  expect(evidence.rejectedCount).toBe(4);
  expect(readdirSync(dir)).toHaveLength(4);
});

it('refuses receipts that are too long, of another step, or no receipts, without reading them whole', async () => {
  writeReceipt(dir, made(1), { step: OTHER_STEP });
  writeFileSync(at(receiptFile(made(2))), '{"schema":');
  writeFileSync(at(receiptFile(made(3))), '');
  truncateSync(at(receiptFile(made(3))), 2 ** 30);
  writeReceipt(dir, made(4), { ...receipt(made(4)), snapshots: [{ file: '../x', bytes: 1, reason: 'oom' }] });
  const evidence = await gather();
  expect(evidence.receipts).toEqual([]);
  expect(reasons(evidence)).toEqual({
    [receiptFile(made(1))]: 'of another step',
    [receiptFile(made(2))]: 'not JSON',
    [receiptFile(made(3))]: '1073741824 bytes, more than the 4194304 that are read',
    [receiptFile(made(4))]: expect.stringMatching(/^names a file outside/),
  });
});

it('leaves to another step what its receipts and snapshots are, and claims nothing of it', async () => {
  writeReceipt(dir);
  writeSnapshot(dir);
  const other = made(7, 'cafecafe');
  writeReceipt(dir, other, { step: OTHER_STEP });
  writeSnapshot(dir, snapshotFile(other), 'of the other');
  // Its pid, in another incarnation, without a receipt: whose it is nobody says.
  writeSnapshot(dir, snapshotFile(made(7, '00000001')), 'orphan');
  const evidence = await gather();
  expect(evidence.snapshots.map((s) => s.file).sort()).toEqual(
    [snapshot(), snapshotFile(made(7, '00000001'))].sort(),
  );
  expect(reasons(evidence)).toEqual({
    [receiptFile(other)]: 'of another step',
    [snapshotFile(other)]: 'of another step',
  });
});

it('does not read a sparse terabyte, nor more in all than it may', async () => {
  writeFileSync(at(snapshot(1)), '');
  truncateSync(at(snapshot(1)), 2 ** 40);
  writeSnapshot(dir, snapshot(2), Buffer.alloc(600));
  writeSnapshot(dir, snapshot(3), Buffer.alloc(600));
  const evidence = await gather({ totalBytes: 1000 });
  expect(evidence.snapshots.map((s) => s.file)).toEqual([snapshot(2)]);
  expect(evidence.rejected).toEqual([
    { name: snapshot(1), reason: expect.stringMatching(/^1099511627776 bytes, more/), bytes: 2 ** 40 },
    { name: snapshot(3), reason: 'not read: too many bytes in all', bytes: 600 },
  ]);
});

it('is not kept busy by a flood of names, and still finds what receipts list', async () => {
  writeReceipt(dir);
  // Sorted before the real one, so a plain "first hundred" would lose it.
  for (let i = 0; i < 3000; i += 1) closeSync(openSync(at(snapshotFile(made(i + 10, '00000000', 'a'))), 'w'));
  for (let i = 0; i < 3000; i += 1) closeSync(openSync(at(`junk${i}`), 'w'));
  writeFileSync(at(`.${snapshot()}.tmp-4242`), 'half');
  symlinkSync('nowhere', at(receiptFile(made(5))));
  writeSnapshot(dir);
  const evidence = await gather({ snapshots: 100 });
  expect(evidence.snapshots.map((s) => s.file)).toEqual([snapshot()]);
  expect(evidence.rejected).toHaveLength(100);
  expect(evidence.rejectedCount).toBe(6002);
  // What is rare is told first, though both came last.
  expect(evidence.rejected.slice(0, 2)).toEqual(
    expect.arrayContaining([
      {
        name: `.${snapshot()}.tmp-4242`,
        reason: 'unfinished dump of a process that died or still runs (pid 4242)',
        bytes: 4,
      },
      { name: receiptFile(made(5)), reason: 'a symbolic link', bytes: null },
    ]),
  );
  expect(Object.fromEntries(evidence.rejectedReasons.map((r) => [r.reason, r.count]))).toEqual({
    'no receipt or snapshot has such a name': 3000,
    'not looked at: too many snapshots': 2901,
    empty: 99,
    'unfinished dump of a process that died or still runs': 1,
    'a symbolic link': 1,
  });
  expect(evidence.faults).toEqual(['3001 snapshots are in the evidence folder: only 100 were looked at']);
  expect((await gather({ names: 50 })).faults).toEqual([
    'the evidence folder holds more than 50 names: the rest was not looked at',
  ]);
});

it('stops hashing at a cancel, and has the receipts by then', async () => {
  writeReceipt(dir);
  for (let seq = 1; seq <= 12; seq += 1) {
    writeSnapshot(dir, snapshotFile(made(), seq), '');
    truncateSync(at(snapshotFile(made(), seq)), 20 * 2 ** 30);
  }
  const cancel = new AbortController();
  setTimeout(() => cancel.abort(), 50);
  const evidence = await collect({ dir, step: STEP, signal: cancel.signal });
  expect(evidence.receipts.map(({ file }) => file)).toEqual([receiptFile(made())]);
  expect(evidence.snapshots).toEqual([]);
  expect(evidence.rejectedReasons).toEqual([{ reason: 'not read: the job was cancelled', count: 12 }]);
});

it('reads the receipts of processes that left a snapshot before a flood of others', async () => {
  for (let pid = 1; pid <= 20; pid += 1) writeReceipt(dir, made(pid, '00000000', 'a'));
  writeReceipt(dir);
  writeSnapshot(dir);
  const evidence = await gather({ receipts: 5 });
  expect(evidence.receipts).toHaveLength(5);
  expect(evidence.receipts.map((r) => r.file)).toContain(receiptFile(made()));
});

it('bounds the receipts in all, not only each', async () => {
  for (const pid of [1, 2, 3]) writeReceipt(dir, made(pid));
  const evidence = await gather({ receiptBytes: 2.5 * JSON.stringify(receipt(made(1))).length });
  expect(evidence.receipts.map((r) => r.pid)).toEqual([1, 2]);
  expect(reasons(evidence)).toEqual({ [receiptFile(made(3))]: 'too many bytes of receipts in all' });
});

it('does not follow a folder that is a link, and says why there is nothing', async () => {
  writeReceipt(dir);
  symlinkSync(dir, join(root, `link${n}`));
  expect(await collect({ dir: join(root, `link${n}`), step: STEP })).toMatchObject({
    receipts: [],
    faults: [expect.stringMatching(/cannot be read \((ELOOP|ENOTDIR)\)/)],
  });
  expect((await collect({ dir: join(root, 'none'), step: STEP })).faults).toEqual([
    'the evidence folder cannot be read (ENOENT)',
  ]);
});

it('stops in time', async () => {
  writeReceipt(dir);
  writeSnapshot(dir);
  const evidence = await gather({ milliseconds: -1 });
  expect(evidence).toMatchObject({ receipts: [], snapshots: [] });
  expect(evidence.faults).not.toEqual([]);
});

it.each([
  ['grows', () => appendFileSync(at(snapshot()), 'x')],
  ['shrinks', () => truncateSync(at(snapshot()), 3)],
  [
    'is written over and its time set back',
    () => {
      writeFileSync(at(snapshot()), 'HELLO WORLD');
      utimesSync(at(snapshot()), 1, 1);
    },
  ],
  [
    'is replaced',
    () => {
      writeFileSync(join(root, 'new'), 'hello world');
      renameSync(join(root, 'new'), at(snapshot()));
    },
  ],
  [
    'becomes a link',
    () => {
      rmSync(at(snapshot()));
      symlinkSync('/etc/passwd', at(snapshot()));
    },
  ],
  ['is gone', () => rmSync(at(snapshot()))],
])('sees that a file %s while it is open', async (_what, change) => {
  writeSnapshot(dir);
  utimesSync(at(snapshot()), 1, 1);
  const folder = await openFolder(dir);
  const opened = await openRegular(folder.path, snapshot());
  if (!opened.ok) throw new Error(opened.reason);
  expect(await stillSealed(folder.path, snapshot(), opened.handle, opened.seal)).toBe(true);
  change();
  expect(await stillSealed(folder.path, snapshot(), opened.handle, opened.seal)).toBe(false);
  await opened.handle.close();
  await folder.close();
});

it.each([
  ['appends to', (name: string) => appendFileSync(name, 'x')],
  [
    'writes over, in place,',
    (name: string) => {
      const fd = openSync(name, 'r+');
      writeSync(fd, 'x', 0);
      closeSync(fd);
    },
  ],
])('never accepts a file that another process %s all the time', async (_how, write) => {
  const name = at(snapshot());
  writeFileSync(name, Buffer.alloc(8 * 2 ** 20));
  let writing = true;
  const writer = (async () => {
    while (writing) {
      write(name);
      await new Promise((done) => setImmediate(done));
    }
  })();
  const evidence = await gather();
  writing = false;
  await writer;
  expect(evidence.snapshots).toEqual([]);
  expect(reasons(evidence)).toEqual({ [snapshot()]: 'changed while it was read' });
});

it('reads through the folder it opened, whatever is put in its place', async () => {
  writeSnapshot(dir);
  const folder = await openFolder(dir);
  renameSync(dir, `${dir} moved`);
  mkdirSync(dir);
  writeSnapshot(dir, snapshot(), 'planted');
  const opened = await openRegular(folder.path, snapshot());
  if (!opened.ok) throw new Error(opened.reason);
  expect((await opened.handle.readFile()).toString()).toBe('hello world');
  expect(sealOf(await opened.handle.stat({ bigint: true }))).toEqual(opened.seal);
  await opened.handle.close();
  await folder.close();
});

const rounds = process.env.OA_SOAK === '1' ? 10_000 : 500;
it(`collects from ${rounds} random trees without a crash, and only plain files with one name`, async () => {
  const secret = join(root, 'secret of the trees');
  writeFileSync(secret, 'SECRET');
  const secretDigest = digestOf('SECRET').digest;
  let accepted = 0;
  for (let seed = 1; seed <= rounds; seed += 1) {
    const r = random(seed);
    const tree = join(root, 'tree');
    rmSync(tree, { recursive: true, force: true });
    mkdirSync(tree);
    const plain = new Set<string>();
    for (let files = 1 + r.int(6); files > 0; files -= 1) {
      const of = made(1 + r.int(3), r.pick(['deadbeef', '00000001']), r.pick(['h', 'h-rank1']));
      const name = r.pick([
        receiptFile(of),
        snapshotFile(of, 1 + r.int(2), r.pick([0, 'none'] as const), r.pick(['oom', 'exit'])),
        `.${snapshotFile(of)}.tmp-${of.pid}`,
        `.upload-${STEP}-000000000000`,
        r.bytes(6).toString('hex'),
      ]);
      const path = join(tree, name);
      rmSync(path, { recursive: true, force: true });
      plain.delete(name);
      const kind = r.int(8);
      if (kind === 0) symlinkSync(r.pick([secret, '.', '/dev/zero', 'x', path]), path);
      else if (kind === 1) linkSync(secret, path);
      else if (kind === 2) mkdirSync(path);
      else if (kind === 3) writeFileSync(path, r.bytes(r.int(200)));
      else {
        writeFileSync(
          path,
          JSON.stringify(receipt(of, r.int(3) === 0 ? { ooms: r.bytes(3), snapshots: null } : {})),
        );
        plain.add(name);
      }
      if (kind === 3) plain.add(name);
    }
    const evidence = await collect({ dir: tree, step: STEP });
    for (const ref of [...evidence.receipts, ...evidence.snapshots]) {
      expect([seed, ref.file, plain.has(ref.file), ref.digest === secretDigest]).toEqual([
        seed,
        ref.file,
        true,
        false,
      ]);
      accepted += 1;
    }
    expect([seed, evidence.rejected.length]).toEqual([seed, evidence.rejectedCount]);
    const counted = evidence.rejectedReasons.reduce((sum, { count }) => sum + count, 0);
    expect([seed, counted]).toEqual([seed, evidence.rejectedCount]);
  }
  expect(accepted).toBeGreaterThan(rounds / 2);
}, 600_000);
