/** What post still has to tell after a main that finished: news only, and never what main has published. */
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isSpent, removeSpent } from '../../src/deliver/cleanup.js';
import { publishedOf } from '../../src/deliver/publishing.js';
import {
  hasEvidence,
  latePlan,
  newEvidence,
  readManifest,
  toldEvidence,
  uploadParagraph,
} from '../../src/deliver/resume.js';
import { collect, type Evidence } from '../../src/evidence/collect.js';
import { buildManifest, type Manifest, type ManifestPublished } from '../../src/evidence/manifest.js';
import { parseInputs } from '../../src/inputs.js';
import { makePlan } from '../../src/plan.js';
import {
  made,
  OTHER_STEP,
  receiptFile,
  STEP,
  snapshotFile,
  temporaryFolder,
  writeReceipt,
  writeSnapshot,
} from './evidence-kit.js';

let dir = '';
beforeEach(() => {
  dir = temporaryFolder();
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const gather = (): Promise<Evidence> => collect({ dir, step: STEP });
const UPLOADED: ManifestPublished = { state: 'uploaded', reason: null, artifact: null, left_out: [] };
const account = (evidence: Evidence, published: ManifestPublished = UPLOADED): Manifest =>
  buildManifest({
    evidence,
    version: '0',
    now: 0,
    step: {
      id: STEP,
      shell: null,
      exit_code: 0,
      signal: null,
      cancelled: false,
      started: 0,
      ended: 1,
      workspace: null,
    },
    runner: {
      host: null,
      name: null,
      os: null,
      arch: null,
      repository: null,
      sha: null,
      run_id: null,
      run_attempt: null,
      job: null,
    },
    verdict: { name: 'ok', because: '' },
    gpu: null,
    host: null,
    parity: { state: 'off', reason: null },
    notSeen: [],
    faults: [],
    published,
  });
const files = ({ receipts, snapshots }: Evidence) => ({
  receipts: receipts.map(({ file }) => file),
  snapshots: snapshots.map(({ file }) => file),
});
const NOTHING = { receipts: [], snapshots: [] };

it('is nothing when nothing came, and when a process has only ended since', async () => {
  const quiet = { oom_count: 0, ooms: [], snapshots: [], cycles: null };
  writeReceipt(dir, made(), { ...quiet, end: null });
  const told = account(await gather());
  expect(files(newEvidence(await gather(), told))).toEqual(NOTHING);
  const ending = { kind: 'exit', exception: null, oom: false, time: 99 };
  writeReceipt(dir, made(), { ...quiet, end: ending, time: { started: 1, updated: 99 } });
  const now = newEvidence(await gather(), told);
  expect(files(now)).toEqual(NOTHING);
  expect(hasEvidence(now)).toBe(false);
});

it('is a new snapshot with its receipt, and a changed one; not what was told', async () => {
  writeReceipt(dir);
  writeSnapshot(dir);
  const told = account(await gather());
  const other = made(77, 'cafecafe');
  writeReceipt(dir, other);
  writeFileSync(join(dir, snapshotFile(other)), 'new');
  expect(files(newEvidence(await gather(), told))).toEqual({
    receipts: [receiptFile(other)],
    snapshots: [snapshotFile(other)],
  });
  writeFileSync(join(dir, snapshotFile(made())), 'written anew');
  expect(files(newEvidence(await gather(), told)).snapshots).toContain(snapshotFile(made()));
});

it('is an out-of-memory that left no snapshot', async () => {
  const quiet = { ooms: [], snapshots: [], cycles: null };
  writeReceipt(dir, made(), { ...quiet, oom_count: 1 });
  const told = account(await gather());
  writeReceipt(dir, made(), { ...quiet, oom_count: 2 });
  expect(files(newEvidence(await gather(), told)).receipts).toEqual([receiptFile(made())]);
  expect(hasEvidence(newEvidence(await gather(), null))).toBe(true);
});

it('is the end of a process, or of a thread, by an out-of-memory that was told', async () => {
  const open = { end: null, thread_ends: [] };
  writeReceipt(dir, made(), open);
  const told = account(await gather());
  const oom = { exception: 'torch.OutOfMemoryError', oom: true, time: 9 };
  const cases: [Record<string, unknown>, boolean][] = [
    [{ end: { kind: 'exit', exception: null, oom: false, time: 9 } }, false],
    [{ end: { kind: 'exception', ...oom } }, true],
    [{ thread_ends: [oom] }, true],
    [{ thread_ends: [{ ...oom, oom: false }] }, false],
  ];
  for (const [change, news] of cases) {
    writeReceipt(dir, made(), { ...open, ...change });
    const now = await gather();
    expect([change, hasEvidence(newEvidence(now, told))]).toEqual([change, news]);
    // Told once, it is no news.
    expect(hasEvidence(newEvidence(now, account(now)))).toBe(false);
  }
});

const parsed = parseInputs((name) =>
  name === 'run' ? 'true' : name === 'artifact-name' ? 'x'.repeat(200) : '',
);
if (!parsed.ok) throw new Error('must parse');
const plan = makePlan(parsed.inputs, {}, { id: STEP, temp: '/t', workspace: '/w', now: 1 });

it('gets an artifact of its own', () => {
  expect(latePlan(plan)).toMatchObject({
    evidenceDir: plan.evidenceDir,
    options: { artifactName: `${'x'.repeat(195)}-late`, ifNoTorch: 'ignore', parity: 'off' },
  });
});

describe('the evidence folder', () => {
  const left = { file: 'a', bytes: 1, digest: `sha256:${'0'.repeat(64)}`, reason: 'over max-upload-size' };

  it('is spent when artifacts hold all that is in it, and all that they were to hold', async () => {
    writeReceipt(dir);
    writeSnapshot(dir);
    const evidence = await gather();
    const whole = account(evidence);
    const cases: [string, Evidence, Manifest[], boolean][] = [
      ['all of it', evidence, [whole], true],
      ['one left out', evidence, [account(evidence, { ...UPLOADED, left_out: [left] })], false],
      ['not uploaded', evidence, [account(evidence, { ...UPLOADED, state: 'failed' })], false],
      ['one rejected', { ...evidence, rejectedCount: 1 }, [whole], false],
      ['no account', evidence, [], false],
    ];
    for (const [what, now, accounts, spent] of cases)
      expect([what, isSpent(now, accounts)]).toEqual([what, spent]);

    // A receipt that was written anew is nowhere else, though it is no news; and a second artifact may hold what came.
    writeReceipt(dir, made(), { time: { started: 1, updated: 99 } });
    const later = await gather();
    expect(hasEvidence(newEvidence(later, whole))).toBe(false);
    expect(isSpent(later, [whole])).toBe(false);
    expect(isSpent(later, [whole, account(later)])).toBe(true);
  });

  it('is removed only with what was collected in it, unchanged', async () => {
    writeReceipt(dir);
    writeSnapshot(dir);
    const evidence = await gather();
    const names = readdirSync(dir).sort();
    const stays = async (act: () => void, undo: () => void): Promise<void> => {
      act();
      expect(await removeSpent(evidence)).toBe(false);
      undo();
      expect(readdirSync(dir).sort()).toEqual(names);
    };
    const new_ = join(dir, 'new');
    await stays(
      () => writeFileSync(new_, ''),
      () => rmSync(new_),
    );
    await stays(
      () => mkdirSync(new_),
      () => rmSync(new_, { recursive: true }),
    );
    const snapshot = join(dir, snapshotFile(made()));
    await stays(
      () => renameSync(snapshot, `${dir}.kept`) ?? writeSnapshot(dir),
      () => renameSync(`${dir}.kept`, snapshot),
    );
    // What was moved away and back, or had a second name meanwhile, is not known to be the same.
    await stays(
      () => linkSync(snapshot, `${dir}.link`),
      () => rmSync(`${dir}.link`),
    );
    expect(await removeSpent(evidence)).toBe(false);
    const now = await gather();
    expect(await removeSpent(now)).toBe(true);
    expect(existsSync(dir)).toBe(false);
    expect(await removeSpent(now)).toBe(true);
  });

  it('that somebody put a link in place of is not followed', async () => {
    writeReceipt(dir);
    const evidence = await gather();
    renameSync(dir, `${dir} moved`);
    symlinkSync(`${dir} moved`, dir);
    expect(await removeSpent(evidence)).toBe(false);
    expect(readdirSync(`${dir} moved`)).toEqual([receiptFile(made())]);
    rmSync(dir);
    renameSync(`${dir} moved`, dir);
  });
});

it('knows again what was published', async () => {
  writeReceipt(dir);
  writeSnapshot(dir);
  const evidence = await gather();
  const artifact = { name: 'n', id: 7, url: null, digest: null, size: 9 };
  const [receipt, snapshot] = [receiptFile(made()), snapshotFile(made())];
  const left = { ...evidence.snapshots[0], file: snapshot, bytes: 11, digest: 'd', reason: 'r' };
  expect(publishedOf(account(evidence, { ...UPLOADED, artifact }))).toMatchObject({
    ...{ ...artifact, state: 'uploaded', notUploaded: [], complete: true },
    files: [{ file: receipt }, { file: snapshot }],
  });
  expect(publishedOf(account(evidence, { ...UPLOADED, artifact, left_out: [left] }))).toMatchObject({
    files: [{ file: receipt }],
    notUploaded: [{ file: snapshot }],
    complete: false,
  });
  for (const state of ['failed', 'skipped', 'planned'] as const)
    expect(publishedOf(account(evidence, { ...UPLOADED, state, artifact }))).toBeNull();
  expect(publishedOf(account(evidence, { ...UPLOADED, artifact: { ...artifact, id: null } }))).toBeNull();
});

it('is parted into what was told and what is news', async () => {
  writeReceipt(dir);
  writeSnapshot(dir);
  const told = account(await gather());
  writeReceipt(dir, made(), { oom_count: 2 });
  writeSnapshot(dir, snapshotFile(made(), 2), 'second');
  writeReceipt(dir, made(77, 'cafecafe'));
  const now = await gather();
  expect(files(toldEvidence(now, told))).toEqual({
    receipts: [receiptFile(made())],
    snapshots: [snapshotFile(made())],
  });
  expect(files(newEvidence(now, told)).snapshots).toEqual([snapshotFile(made(), 2)]);
  expect(files(newEvidence(now, told)).receipts).toHaveLength(2);
});

it('reads only what looks like the account of main', async () => {
  const at = { ...plan, outputDir: dir };
  expect(await readManifest(at)).toBeNull();
  for (const text of ['{', '3', 'null', '{}', '{"schema":"oom-autopsy.manifest.v1","files":3}']) {
    writeFileSync(join(dir, 'manifest.json'), text);
    expect(await readManifest(at)).toBeNull();
  }
  const told = account(await collect({ dir: temporaryFolder(), step: STEP }));
  writeFileSync(join(dir, 'manifest.json'), JSON.stringify(told));
  expect(await readManifest(at)).toEqual(told);
  expect(await readManifest({ ...at, id: OTHER_STEP })).toBeNull();
  rmSync(join(dir, 'manifest.json'));
  mkdirSync(join(dir, 'manifest.json'));
  expect(await readManifest(at)).toBeNull();
});

it('tells in a paragraph what became of an upload that was stopped', () => {
  const digest = `sha256:${'a'.repeat(64)}`;
  const failed = uploadParagraph({
    state: 'failed',
    reason: 'no <b>luck</b>',
    seconds: 1,
    kept: Array.from({ length: 30 }, (_, i) => ({ path: `/t/${i}.pickle`, digest, bytes: 2048 })),
  });
  expect(failed).toContain('no &lt;b&gt;luck&lt;/b&gt;');
  expect(failed).toContain('- `/t/23.pickle`, 2.00 KiB, `sha256:');
  expect(failed).toContain('and 6 more');
  const done = uploadParagraph({
    state: 'uploaded',
    name: 'n',
    id: 1,
    url: 'https://github.com/a/b/actions/runs/1/artifacts/1',
    digest,
    size: 1,
    files: [],
    notUploaded: [],
    changed: [],
    seconds: 1,
    complete: true,
  });
  expect(done).toContain('[n](https://github.com/a/b/actions/runs/1/artifacts/1)');
  expect(done).toContain(digest);
});
