// What goes into the artifact, and in which order; names; reasons in one line; the worker's environment. All pure.
import { expect, it } from '@jest/globals';
import { workerEnvironment } from '../../src/deliver/client.js';
import { artifactNameProblem, cleanArtifactName, otherName } from '../../src/deliver/names.js';
import { explain, isConflict, oneLine } from '../../src/deliver/reasons.js';
import { byValue, SMALL_FILES_BYTES, selectFiles } from '../../src/deliver/select.js';
import { type CollectedReceipt, type Evidence, joinReceipt } from '../../src/evidence/collect.js';
import { parseSnapshotName } from '../../src/evidence/names.js';
import { parseReceipt } from '../../src/evidence/receipt-parse.js';
import { type Made, made, receipt, receiptFile, STEP, snapshotFile } from './evidence-kit.js';

const seal = { dev: '1', ino: '1', size: '1', mtime: '1', ctime: '1' };
const ref = (file: string, bytes = 10) => ({ file, bytes, digest: `sha256:${'0'.repeat(64)}`, seal });

function collected(of: Made, failedAt: number | null, oomAt: number, bytes = 1): CollectedReceipt {
  const end = failedAt === null ? { kind: 'sigterm' } : { kind: 'exception', oom: true, time: failedAt };
  const text = JSON.stringify(receipt(of, { ooms: [{ seq: 1, time: oomAt }], end, snapshots: [] }));
  const parsed = parseReceipt(text, receiptFile(of));
  if (!parsed.ok) throw new Error(parsed.reason);
  return { ...parsed.receipt, ...ref(receiptFile(of), bytes) };
}

function evidence(
  receipts: readonly CollectedReceipt[],
  files: readonly (readonly [string, number])[],
): Evidence {
  const snapshots = files.map(([file, bytes]) => {
    const named = parseSnapshotName(file);
    if (!named) throw new Error(file);
    return joinReceipt(named, ref(file, bytes), undefined);
  });
  return {
    dir: '/e',
    step: STEP,
    receipts,
    snapshots,
    unread: [],
    folderFault: null,
    rejected: [],
    rejectedCount: 0,
    rejectedReasons: [],
    faults: [],
  };
}

const [first, second, bystander, orphan] = [made(1), made(2), made(3), made(4)];
const receipts = [collected(bystander, null, 5), collected(second, 200, 50), collected(first, 100, 90)];

it('puts the process that failed first before all others, and the best of each before second ones', () => {
  const names = [
    snapshotFile(orphan, 1, 0),
    snapshotFile(bystander, 1, 2),
    snapshotFile(second, 1, 1),
    snapshotFile(second, 2, 1),
    snapshotFile(first, 1, 3),
    snapshotFile(first, 2, 3),
    snapshotFile(first, 3, 3),
    snapshotFile(first, 4, 3, 'exception'),
  ];
  expect(
    byValue(
      evidence(
        receipts,
        names.map((n) => [n, 1] as const),
      ),
    ).map((s) => [s.pid, s.seq, s.reason]),
  ).toEqual([
    [1, 3, 'oom'],
    [2, 2, 'oom'],
    [3, 1, 'oom'],
    [4, 1, 'oom'],
    [1, 1, 'oom'],
    [2, 1, 'oom'],
    [1, 2, 'oom'],
    [1, 4, 'exception'],
  ]);
});

it('takes receipts first, then what fits, and lists the rest with its digest', () => {
  const files = [
    [snapshotFile(first, 1, 3), 60],
    [snapshotFile(second, 1, 1), 50],
    [snapshotFile(bystander, 1, 2), 40],
  ] as const;
  const { files: chosen, leftOut } = selectFiles(evidence(receipts, files), 100);
  expect(chosen.map((f) => f.file)).toEqual([
    receiptFile(first),
    receiptFile(second),
    receiptFile(bystander),
    snapshotFile(first, 1, 3),
    snapshotFile(bystander, 1, 2),
  ]);
  expect(leftOut).toEqual([
    {
      file: snapshotFile(second, 1, 1),
      bytes: 50,
      digest: `sha256:${'0'.repeat(64)}`,
      reason: 'over max-upload-size',
    },
  ]);
  expect(selectFiles(evidence(receipts, files), 0).files).toHaveLength(3);
});

it('bounds the receipts too, the failing process first', () => {
  const big = [
    collected(bystander, null, 5, SMALL_FILES_BYTES),
    collected(first, 100, 90, SMALL_FILES_BYTES),
  ];
  const { files, leftOut } = selectFiles(evidence(big, []), 100);
  expect(files.map((f) => f.file)).toEqual([receiptFile(first)]);
  expect(leftOut.map((f) => f.file)).toEqual([receiptFile(bystander)]);
});

it('accepts names that GitHub accepts, and makes such names', () => {
  expect(artifactNameProblem('oom-autopsy train (3.11) é')).toBeNull();
  for (const bad of [
    '',
    ' ',
    'a/b',
    'a\\b',
    'a:b',
    'a*',
    'a?',
    '"a"',
    '<a>',
    'a|b',
    'a\nb',
    'a\rb',
    'x'.repeat(201),
  ]) {
    expect([bad, artifactNameProblem(bad)]).not.toEqual([bad, null]);
    expect([bad, artifactNameProblem(cleanArtifactName(bad))]).toEqual([bad, null]);
  }
  expect(cleanArtifactName('train (3.11, cuda/13)')).toBe('train (3.11, cuda-13)');
  expect(otherName('x'.repeat(200), STEP)).toBe(`${'x'.repeat(191)}-01234567`);
});

const failure = (changes: object) =>
  ({ ok: false, name: 'Error', message: '', code: null, status: null, ...changes }) as const;

it.each([
  [{ name: 'GHESNotSupportedError', message: 'not' }, /Enterprise Server/],
  [
    { message: 'Failed to CreateArtifact: Artifact storage quota has been hit. Unable\nMore info' },
    /quota is used up/,
  ],
  [
    { message: 'Failed to CreateArtifact: Received non-retryable error: Failed request: (409) Conflict: x' },
    /an artifact named n exists already/,
  ],
  [{ message: 'Unable to make request: ENOTFOUND\nIf you are' }, /cannot be reached \(ENOTFOUND\)/],
  [{ code: 'EAI_AGAIN', message: 'getaddrinfo' }, /cannot be reached \(EAI_AGAIN\)/],
  [{ status: 403, message: 'AuthenticationFailed' }, /refused it: AuthenticationFailed/],
  [{ message: 'Upload progress stalled.' }, /^Upload progress stalled\.$/],
  [{ name: 'TypeError' }, /client failed \(TypeError\)/],
])('explains %j in one line', (changes, expected) => {
  expect(explain(failure(changes), 'n')).toMatch(expected);
});

it('never shows a signature, a control character or a second line', () => {
  expect(oneLine('PUT https://h/b?sv=1&sig=SECRET failed\u001b[0m\nmore')).toBe(
    'PUT https://h/b?… failed[0m',
  );
  expect(isConflict(failure({ message: 'Failed to FinalizeArtifact: (409)' }))).toBe(false);
});

it('keeps loopback away from a proxy, and what the user set', () => {
  expect(workerEnvironment({ PATH: '/bin' })).toEqual({
    PATH: '/bin',
    ACTIONS_ARTIFACT_UPLOAD_CONCURRENCY: '3',
  });
  expect(
    workerEnvironment({
      https_proxy: 'http://p',
      no_proxy: 'a.example, localhost',
      ACTIONS_ARTIFACT_UPLOAD_CONCURRENCY: '9',
    }),
  ).toMatchObject({
    ACTIONS_ARTIFACT_UPLOAD_CONCURRENCY: '9',
    NO_PROXY: 'a.example,localhost,127.0.0.1,::1,[::1]',
    no_proxy: 'a.example,localhost,127.0.0.1,::1,[::1]',
  });
});
