/** Memory that ran out beside torch's allocator, errors raised again by a parent, and what a SIGKILL was: a cause only where it is a fact. */
import { describe, expect, it } from '@jest/globals';
import { OUTSIDE_KINDS } from '../../src/evidence/receipt.js';
import { OUTSIDE_NAMES, type OutsideKind } from '../../src/judge/outside.js';
import { judge, type VerdictFacts } from '../../src/judge/verdict.js';
import { annotations } from '../../src/report/annotations.js';
import { fatalStories, mainStory, outcomeOf } from '../../src/report/story.js';
import { renderSummary } from '../../src/report/summary/summary.js';
import { headline } from '../../src/report/words/headline.js';
import { failedRank, links, MIB, manifest, oom, quietRank } from './report-kit.js';

const END = { kind: 'exception', exception: 'RuntimeError', oom: false, time: 1_700_000_414 };
const ended = (kind: string, more: object = {}, end: object = {}) =>
  quietRank(7, null, { end: { ...END, outside_oom: { kind, certain: true, ...more }, ...end } });
const summary = (...args: Parameters<typeof manifest>): string => renderSummary(manifest(...args), links());

describe.each(OUTSIDE_KINDS)('%s', (kind) => {
  it('is an oom that is counted, and named for what it is', () => {
    const of = manifest({ receipts: [ended(kind)], exitCode: 1 });
    expect(of.verdict).toEqual({
      name: 'oom',
      because: `1 process ended by an out-of-memory of ${OUTSIDE_NAMES[kind]} that nothing caught`,
    });
    expect([of.oom_count, of.snapshots]).toEqual([1, []]);
    const text = renderSummary(of, links());
    expect(text).toContain(kind === 'pinned-host' ? 'pinned host memory' : `**${OUTSIDE_NAMES[kind]}**`);
    expect(text).toContain('There is no snapshot of it');
    expect(text).not.toMatch(/no out-of-memory/i);
    expect(annotations(of, null)).toMatchObject([{ level: 'error' }]);
  });

  it('behind `|| true` it is one all the same; caught at an exit with 0 it is recovered', () => {
    expect(manifest({ receipts: [ended(kind)] }).verdict.name).toBe('oom');
    const handled = ended(kind, {}, { kind: 'exit', exception: null });
    const green = manifest({ receipts: [handled] });
    expect([green.verdict.name, green.oom_count]).toEqual(['oom-recovered', 1]);
    expect(manifest({ receipts: [handled], exitCode: 2 }).verdict).toEqual({
      name: 'oom',
      because: `the step exited with 2 after an out-of-memory of ${OUTSIDE_NAMES[kind]}`,
    });
  });

  it('is no more than a maybe where its mark is only a hint', () => {
    const hint = ended(kind, { certain: false });
    const red = manifest({ receipts: [hint], exitCode: 1 });
    expect([red.verdict.name, red.oom_count]).toEqual(['failed', 0]);
    expect(red.verdict.because).toContain(`it may be memory that ran out: ${OUTSIDE_NAMES[kind]} failed`);
    expect(headline(red).title).toBe('The step failed with exit code 1; it may be out of memory');
    expect(renderSummary(red, links())).toMatch(/which may be memory that ran out, or another trouble of/);
    const green = summary({ receipts: [hint] });
    expect(green).toMatch(/^🟡 \*\*No out-of-memory\.\*\*.*may be memory that ran out/);
  });
});

describe('pinned host memory', () => {
  it('is not told as the memory of the device, which had room', () => {
    const of = manifest({ receipts: [ended('pinned-host', { device_free: 200 * MIB })], exitCode: 1 });
    expect(headline(of).title).toBe('Out of pinned host memory in train.py');
    expect(renderSummary(of, links())).toMatch(/the device had \*\*200\.00 MiB\*\* free/);
    expect(summary({ receipts: [ended('pinned-host')], exitCode: 1 })).toMatch(/; the device had room\./);
  });
});

it('unknown kinds, and marks of the wrong type, say nothing', () => {
  for (const outside_oom of [{ kind: 'magic', certain: true }, 'cublas', { certain: true }, []])
    expect(
      manifest({ receipts: [quietRank(7, null, { end: { ...END, outside_oom } })], exitCode: 1 }).verdict
        .name,
    ).toBe('failed');
  const unsure: OutsideKind = 'cublas';
  expect(manifest({ receipts: [ended(unsure, { certain: 'yes' })], exitCode: 1 }).verdict.name).toBe(
    'failed',
  );
});

it('an earlier one that was caught does not stand before the one that ended the process', () => {
  const receipts = [ended('cublas'), quietRank(8, null, { ooms: [oom()], oom_count: 1 })];
  const text = summary({ receipts, exitCode: 1 });
  expect(text.indexOf('cuBLAS')).toBeLessThan(text.indexOf('The newest, on pid 8'));
  expect(
    annotations(manifest({ receipts, exitCode: 1 }), '/home/runner/_work/llm/llm')[0]?.place.file,
  ).toBeUndefined();
});

describe('an error of a worker that its parent raised again', () => {
  const PARENT = 100;
  const raised = (more: object = {}, end: object = {}) =>
    quietRank(PARENT, null, {
      recorder: { state: 'idle' },
      devices: [],
      end: { ...END, exception: 'torch.OutOfMemoryError', oom: true, ...end },
      ...more,
    });
  const worker = (pid: number, ppid: number, time = 1_700_000_412) =>
    failedRank(
      pid,
      0,
      { rank: {}, ppid, end: { kind: 'exit', exception: null, oom: false, time } },
      { time },
    );

  it.each([
    ['as the shim saw it', raised({}, { reraised_from: 'process' }), worker(101, PARENT)],
    ['as it follows, where the parent never used CUDA', raised(), worker(101, PARENT)],
    ['in a worker of a fork server', raised({}, { reraised_from: 'process' }), worker(101, 99)],
    ['in a worker of Ray', raised({}, { reraised_from: 'ray' }), worker(101, 1)],
  ])('is told by its worker: %s', (_name, parent, child) => {
    const of = manifest({ receipts: [parent, child], exitCode: 1 });
    expect(of.verdict.name).toBe('oom');
    const story = mainStory(of);
    expect([story?.process.pid, story?.fatal]).toEqual([101, true]);
    const text = renderSummary(of, links());
    expect(text).toContain('pid 100 ended by `torch.OutOfMemoryError`, the error of its worker pid 101');
    expect(text).toMatch(/asked for \*\*16\.00 MiB\*\*/);
    expect(text).not.toMatch(/outside of torch's caching|cuBLAS|NCCL/);
    const process = of.processes.find(({ pid }) => pid === 101);
    expect(process && outcomeOf(of, process, 0)).toBe('raised-again');
    expect(annotations(of, '/home/runner/_work/llm/llm')[0]?.place.file).toBe('model/block.py');
  });

  it('is the newest of its own children that came before its end', () => {
    const receipts = [
      raised({}, { reraised_from: 'process' }),
      worker(101, PARENT, 1_700_000_100),
      worker(102, PARENT, 1_700_000_200),
      worker(103, PARENT, 1_700_000_900),
      worker(104, 7, 1_700_000_300),
    ];
    expect(fatalStories(manifest({ receipts, exitCode: 1 })).map((s) => s.process.pid)).toEqual([102]);
  });

  it('is not tied to one of several that it may have been', () => {
    const receipts = [raised({}, { reraised_from: 'process' }), worker(101, 99), worker(102, 99)];
    const text = summary({ receipts, exitCode: 1 });
    expect(text).toContain('raised first in a worker process and again here; which one is not known');
  });

  it('without any worker: not known, and what would tell', () => {
    const text = summary({ receipts: [raised()], exitCode: 1 });
    expect(text).toMatch(/never used CUDA itself: .* not known; its traceback in the log tells/);
  });
});

describe('a SIGKILL', () => {
  const because = (more: Partial<VerdictFacts>): string =>
    judge({
      ...{
        exitCode: 137,
        cancelled: false,
        startError: null,
        oomCount: 0,
        endedByOom: 0,
        threadsEndedByOom: 0,
      },
      outside: { ended: [], handled: [], maybe: [] },
      openEnds: { gone: 0, running: 0, elsewhere: 0 },
      fatal: { tests: [], exits: 0, tools: [] },
      unexplained: 0,
      ...{ reached: 'none', blindSpots: [], hostOomKills: 0, hostOomScope: 'cgroup', machineOomKills: 0 },
      ownCgroups: [],
      ...more,
    }).because;

  it('is told by what was counted, and where', () => {
    expect(because({})).toBe(
      'the step exited with 137, as after SIGKILL, and the kernel counted no out-of-memory kill in this cgroup',
    );
    expect(because({ hostOomScope: 'machine', machineOomKills: null })).toMatch(/kill on this machine$/);
    expect(because({ hostOomKills: null })).toMatch(/cannot be read here$/);
  });

  it('of a container is not told by the counters of another cgroup', () => {
    const docker = because({ ownCgroups: ['docker'] });
    expect(docker).toMatch(
      /docker ran has a cgroup and a limit of its own, whose kills are not counted here/,
    );
    expect(docker).toMatch(/OOMKilled/);
    expect(because({ ownCgroups: ['docker'], machineOomKills: 1 })).toMatch(
      /no out-of-memory kill in this cgroup, but one or more elsewhere on this machine; what docker ran/,
    );
  });
});
