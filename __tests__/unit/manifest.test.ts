// The manifest: what its JSON Schema says, from real evidence; and sums that sha256sum takes.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { collect, type Evidence } from '../../src/evidence/collect.js';
import { digestOf } from '../../src/evidence/digest.js';
import {
  buildManifest,
  cycleTotals,
  type ManifestParts,
  manifestText,
  rankOf,
  sha256Sums,
  snapshotReferences,
} from '../../src/evidence/manifest.js';
import { VERDICTS } from '../../src/judge/verdicts.js';
import {
  made,
  random,
  receipt,
  STEP,
  snapshotFile,
  temporaryFolder,
  writeReceipt,
  writeSnapshot,
} from './evidence-kit.js';

const root = temporaryFolder('oa-manifest');
afterAll(() => rmSync(root, { recursive: true, force: true }));
const schema = JSON.parse(readFileSync('schemas/manifest.schema.json', 'utf8'));
const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
const validate = ajv.compile(schema);

let evidence: Evidence;
beforeAll(async () => {
  const dir = join(root, 'evidence');
  mkdirSync(dir);
  writeReceipt(dir);
  writeSnapshot(dir);
  writeReceipt(dir, made(77), {
    snapshots: [],
    ooms: [],
    oom_count: 0,
    end: null,
    cycles: null,
    identity: {
      launcher: 'slurm',
      rank: 3,
      size: 4,
      node: 1,
      nodes: 2,
      name: null,
      job: 'slurm 18',
    },
    rank: { SLURM_PROCID: '3' },
  });
  writeSnapshot(dir, snapshotFile(made(78), 1, 'none', 'sigterm'), 'orphan');
  writeFileSync(join(dir, '::x'), '');
  evidence = await collect({ dir, step: STEP });
});

const parts = (changes: Partial<ManifestParts> = {}): ManifestParts => ({
  evidence,
  version: '0.1.0',
  now: Date.UTC(2026, 0, 2, 3, 4, 5),
  step: {
    id: STEP,
    shell: 'bash',
    exit_code: 1,
    signal: null,
    cancelled: false,
    started: 1.5,
    ended: 9,
    workspace: '/w',
  },
  runner: {
    name: 'r',
    host: 'gpu-07',
    os: 'Linux',
    arch: 'X64',
    repository: 'o/r',
    sha: null,
    run_id: '1',
    run_attempt: '1',
    job: 'j',
  },
  verdict: { name: 'oom', because: '1 process ended by an out-of-memory that nothing caught' },
  gpu: { before: { state: 'absent', tool: null }, after: null },
  host: null,
  parity: { state: 'off', reason: null },
  notSeen: [],
  faults: ['ours'],
  published: { state: 'planned', reason: null, artifact: null, left_out: [] },
  ...changes,
});

it('is what its schema says, and holds the facts of the evidence', () => {
  const manifest = buildManifest(parts());
  validate(JSON.parse(manifestText(manifest)));
  expect(validate.errors).toBeNull();
  expect(manifest).toMatchObject({
    created: '2026-01-02T03:04:05.000Z',
    oom_count: 1,
    rejected: [{ name: '\\x3a\\x3ax' }],
    rejected_reasons: [{ reason: 'strange name', count: 1 }],
    faults: ['ours'],
    cycles: { count: 1, tensors: 2, bytes: { 'cuda:0': 512 } },
  });
  expect(manifest.processes.map((p) => [p.pid, p.rank, p.end?.kind ?? null])).toEqual([
    [4242, 1, 'exception'],
    [77, 3, null],
  ]);
});

it('holds opaque references exactly as the contract has them', () => {
  expect(snapshotReferences(evidence)).toEqual([
    {
      kind: 'torch.cuda.memory_snapshot',
      ...digestOf('hello world'),
      file: snapshotFile(made()),
      reason: 'oom',
      host: 'gpu-07',
      rank: 1,
      pid: 4242,
      device: 0,
      torch: '2.14.1+cu130',
      max_entries: 100_000,
      stacks: 'python',
      history: 'armed',
    },
    expect.objectContaining({
      pid: 78,
      rank: null,
      torch: null,
      max_entries: null,
      stacks: null,
      history: 'unknown',
    }),
  ]);
});

it('has a schema that refuses what a manifest is not', () => {
  const good = JSON.parse(manifestText(buildManifest(parts())));
  const wrong = [
    { schema: 'v2' },
    { verdict: { name: 'fine', because: '' } },
    { snapshots: [{ ...good.snapshots[0], digest: 'sha256:x' }] },
    { snapshots: [{ ...good.snapshots[0], file: '../x' }] },
    { snapshots: [{ ...good.snapshots[0], payload: 'pickle' }] },
    { published: { state: 'maybe' } },
    { created: 'yesterday' },
  ];
  for (const changes of wrong) expect([changes, validate({ ...good, ...changes })]).toEqual([changes, false]);
  for (const name of Object.keys(good)) {
    // Came later: a manifest without it is still one.
    if (['rejected_reasons', 'blind_spots', 'memory'].includes(name)) continue;
    const { [name]: _left, ...rest } = good;
    expect([name, validate(rest)]).toEqual([name, false]);
  }
});

it('knows the same verdicts as the code', () => {
  expect(schema.properties.verdict.properties.name.enum).toEqual([...VERDICTS]);
});

it('takes the rank from the launcher that set one', () => {
  const [first] = evidence.receipts;
  if (!first) throw new Error('no receipt');
  const identity = {
    launcher: 'slurm',
    rank: 7,
    size: 8,
    node: 1,
    nodes: 2,
    name: null,
    job: 'slurm 18',
  } as const;
  expect(rankOf({ ...first, identity, rank: {} })).toBe(7);
  expect(rankOf({ ...first, identity: null, rank: { RANK: '0', SLURM_PROCID: '7' } })).toBe(0);
  expect(rankOf({ ...first, identity: null, rank: { LOCAL_RANK: '7' } })).toBeNull();
});

it('counts a kind of cycle once, in however many processes it was seen', () => {
  const [first] = evidence.receipts;
  if (!first?.cycles) throw new Error('no receipt');
  const other = {
    ...first,
    cycles: {
      ...first.cycles,
      count: 4,
      cycles: first.cycles.cycles.map((one) => ({ ...one, id: 'beef4567' })),
    },
  };
  expect(cycleTotals([first, first])).toEqual({ count: 1, tensors: 4, bytes: { 'cuda:0': 1024 } });
  // Two kinds are named, and three more did not get into the receipt's list.
  expect(cycleTotals([first, other]).count).toBe(5);
});

it('writes sums that sha256sum checks', () => {
  const files = ['b.pickle', 'A.json', 'a.json'].map((file) => {
    writeFileSync(join(root, file), file);
    return { file, ...digestOf(file) };
  });
  const text = sha256Sums(files);
  expect(text.split('\n').map((line) => line.slice(66))).toEqual(['A.json', 'a.json', 'b.pickle', '']);
  writeFileSync(join(root, 'SHA256SUMS'), text);
  expect(execFileSync('sha256sum', ['-c', '--strict', 'SHA256SUMS'], { cwd: root, encoding: 'utf8' })).toBe(
    'A.json: OK\na.json: OK\nb.pickle: OK\n',
  );
});

const rounds = process.env.OA_SOAK === '1' ? 10_000 : 500;
it(`makes a manifest of its schema from ${rounds} odd receipts`, async () => {
  const dir = join(root, 'odd');
  for (let seed = 1; seed <= rounds; seed += 1) {
    const r = random(seed);
    rmSync(dir, { recursive: true, force: true });
    mkdirSync(dir);
    const keys = Object.keys(receipt()).filter(
      (k) => !['schema', 'step', 'host', 'pid', 'token'].includes(k),
    );
    const odd = [
      null,
      [],
      {},
      'x',
      -1,
      1e300,
      [{}],
      [{ index: 3, seq: 1, file: 'f' }],
      { state: 'armed', bytes: { 'cuda:0': 2 ** 52 } },
    ];
    const changes = Object.fromEntries(
      Array.from({ length: 1 + r.int(5) }, () => [r.pick(keys), r.pick(odd)]),
    );
    writeReceipt(dir, made(), changes);
    writeSnapshot(dir);
    const manifest = buildManifest(parts({ evidence: await collect({ dir, step: STEP }) }));
    const valid = validate(JSON.parse(manifestText(manifest)));
    expect([seed, changes, valid, validate.errors]).toEqual([seed, changes, true, null]);
  }
}, 600_000);
