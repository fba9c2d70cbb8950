/** What post still has to tell after a main that finished: news only, and never what main has published. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { collect, type Evidence } from '../../src/evidence/collect.js';
import { buildManifest, type Manifest, type ManifestPublished } from '../../src/evidence/manifest.js';
import { parseInputs } from '../../src/inputs.js';
import {
  hasEvidence,
  latePlan,
  newEvidence,
  publishedWhole,
  readManifest,
  uploadParagraph,
} from '../../src/late.js';
import { makePlan } from '../../src/plan.js';
import {
  made,
  pageFile,
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
const files = ({ receipts, snapshots, pages }: Evidence) => ({
  receipts: receipts.map(({ file }) => file),
  snapshots: snapshots.map(({ file }) => file),
  pages: pages.map(({ file }) => file),
});
const NOTHING = { receipts: [], snapshots: [], pages: [] };

it('is nothing when nothing came, and when a process has only ended since', async () => {
  const quiet = { oom_count: 0, ooms: [], snapshots: [], cycles: null };
  writeReceipt(dir, made(), { ...quiet, end: null });
  const told = account(await gather());
  expect(files(newEvidence(await gather(), told))).toEqual(NOTHING);
  writeReceipt(dir, made(), { ...quiet, time: { started: 1, updated: 99 } });
  const now = newEvidence(await gather(), told);
  expect(files(now)).toEqual(NOTHING);
  expect(hasEvidence(now)).toBe(false);
});

it('is a new snapshot with its receipt, a changed one, and a page; not what was told', async () => {
  writeReceipt(dir);
  writeSnapshot(dir);
  const told = account(await gather());
  const other = made(77, 'cafecafe');
  writeReceipt(dir, other);
  writeFileSync(join(dir, snapshotFile(other)), 'new');
  writeFileSync(join(dir, pageFile(other)), 'page');
  expect(files(newEvidence(await gather(), told))).toEqual({
    receipts: [receiptFile(other)],
    snapshots: [snapshotFile(other)],
    pages: [pageFile(other)],
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

const parsed = parseInputs((name) =>
  name === 'run' ? 'true' : name === 'artifact-name' ? 'x'.repeat(200) : '',
);
if (!parsed.ok) throw new Error('must parse');
const plan = makePlan(parsed.inputs, {}, { id: STEP, temp: '/t', workspace: '/w', now: 1 });

it('gets an artifact of its own, and its folder goes only when main had published all', async () => {
  writeReceipt(dir);
  const evidence = await gather();
  const whole = account(evidence);
  expect(latePlan(plan, whole).options).toMatchObject({
    artifactName: `${'x'.repeat(195)}-late`,
    ifNoTorch: 'ignore',
    parity: 'off',
  });
  const left = { file: 'a', bytes: 1, digest: `sha256:${'0'.repeat(64)}`, reason: 'over max-upload-size' };
  const cases: [Manifest | null, boolean][] = [
    [whole, true],
    [account(evidence, { ...UPLOADED, left_out: [left] }), false],
    [account(evidence, { ...UPLOADED, state: 'failed' }), false],
    [account({ ...evidence, rejectedCount: 1 }), false],
    [null, false],
  ];
  for (const [told, removed] of cases) {
    expect(publishedWhole(told)).toBe(removed);
    expect(latePlan(plan, told).evidenceKept).toBe(!removed);
  }
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
