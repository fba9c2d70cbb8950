/** One verdict for each set of facts; an out-of-memory that nothing caught comes before everything else. */
import { describe, expect, it } from '@jest/globals';
import { fatalOoms, unexplained } from '../../src/judge/outcomes.js';
import { judge, type OpenEnds, openEnds, type VerdictFacts } from '../../src/judge/verdict.js';

const open = (more: Partial<OpenEnds>) => ({ openEnds: { gone: 0, running: 0, elsewhere: 0, ...more } });

const facts = (over: Partial<VerdictFacts> = {}): VerdictFacts => ({
  exitCode: 0,
  cancelled: false,
  startError: null,
  oomCount: 0,
  endedByOom: 0,
  threadsEndedByOom: 0,
  openEnds: { gone: 0, running: 0, elsewhere: 0 },
  fatal: { tests: [], exits: 0, tools: [] },
  unexplained: 0,
  hostOomKills: 0,
  hostOomScope: 'cgroup',
  outside: { ended: [], handled: [], maybe: [] },
  reached: 'all',
  blindSpots: [],
  machineOomKills: null,
  ownCgroups: [],
  ...over,
});

describe('judge', () => {
  it.each<[string, Partial<VerdictFacts>, string]>([
    ['a green run', {}, 'ok'],
    ['six caught and green', { oomCount: 6 }, 'oom-recovered'],
    ['uncaught', { exitCode: 1, oomCount: 1, endedByOom: 1 }, 'oom'],
    ['uncaught behind || true', { exitCode: 0, oomCount: 1, endedByOom: 1 }, 'oom'],
    ['uncaught, then cancelled', { exitCode: 130, cancelled: true, oomCount: 1, endedByOom: 1 }, 'oom'],
    ['a thread died of it, the process went on', { oomCount: 1, threadsEndedByOom: 1 }, 'oom'],
    ['cancelled', { exitCode: 130, cancelled: true }, 'cancelled'],
    ['cancelled with caught ones', { exitCode: 143, cancelled: true, oomCount: 2 }, 'cancelled'],
    ['host OOM killer', { exitCode: 137, hostOomKills: 1 }, 'host-oom'],
    ['host OOM killer under a launcher', { exitCode: 1, hostOomKills: 2 }, 'host-oom'],
    ['an OOM kill that the step survived', { exitCode: 0, hostOomKills: 1 }, 'ok'],
    ['kill -9', { exitCode: 137 }, 'killed'],
    ['kill -9, counters unreadable', { exitCode: 137, hostOomKills: null }, 'killed'],
    ['exit 3', { exitCode: 3 }, 'failed'],
    ['caught and exit 1 (pytest)', { exitCode: 1, oomCount: 2 }, 'failed'],
    ['one that nobody saw caught or not, green', { oomCount: 1, ...open({ gone: 1 }) }, 'oom-recovered'],
    ['one that nobody saw caught or not, red', { exitCode: 1, oomCount: 1, ...open({ gone: 1 }) }, 'failed'],
    ['one whose process still runs', { oomCount: 1, ...open({ running: 1 }) }, 'oom-recovered'],
    [
      'one that nobody saw, beside one that ended its process',
      { oomCount: 2, ...open({ gone: 1 }), endedByOom: 1 },
      'oom',
    ],
    ['no such shell', { exitCode: 127, startError: 'ENOENT' }, 'not-run'],
  ])('%s', (_name, over, verdict) => {
    expect(judge(facts(over)).name).toBe(verdict);
  });

  it('says why it cannot tell a host out-of-memory', () => {
    expect(judge(facts({ exitCode: 137, hostOomKills: null })).because).toMatch(/cannot be read/);
    expect(judge(facts({ exitCode: 137 })).because).toMatch(/counted no/);
  });

  it('gives no number to several kills by the kernel, which counts the first victim of a group twice', () => {
    expect(judge(facts({ exitCode: 137, hostOomKills: 1 })).because).toMatch(/ended 1 process of this/);
    expect(judge(facts({ exitCode: 137, hostOomKills: 4 })).because).toMatch(/ended processes of this/);
  });

  it('says that the kernel killed something in a green step', () => {
    expect(judge(facts({ hostOomKills: 1 })).because).toMatch(/exited with 0 .* but the kernel's OOM killer/);
    expect(judge(facts({})).because).toBe('the step exited with 0 and no out-of-memory was seen');
  });

  it('says that a green step held one', () => {
    expect(judge(facts({ endedByOom: 2, oomCount: 2 })).because).toMatch(/2 processes.*exited with 0/);
  });

  it.each<[Partial<VerdictFacts>, string]>([
    [{ oomCount: 1 }, 'every out-of-memory was caught and the program went on'],
    [
      { exitCode: 1, oomCount: 1 },
      'the step exited with 1; the out-of-memory that was seen had been caught by the program',
    ],
    [
      { exitCode: 1, oomCount: 2 },
      'the step exited with 1; the 2 out-of-memory errors that were seen had been caught by the program',
    ],
    [
      { exitCode: 1, oomCount: 1, unexplained: 1 },
      'the step exited with 1; the out-of-memory that was seen ended no process by itself: whether the program handled it and went on, or ended because of it, is not known',
    ],
    [
      { exitCode: 1, oomCount: 1, ...open({ gone: 1 }) },
      'the step exited with 1; whether the out-of-memory that was seen was caught is not known: its process ended without exit handlers (killed, or os._exit)',
    ],
    [
      { oomCount: 1, ...open({ running: 1 }) },
      'the step exited with 0; whether the out-of-memory that was seen was caught is not known: its process still runs',
    ],
    [
      { exitCode: 1, oomCount: 1, ...open({ elsewhere: 1 }) },
      'the step exited with 1; whether the out-of-memory that was seen was caught is not known: its process ran under another host name and recorded no end',
    ],
    [
      { oomCount: 5, ...open({ gone: 2, running: 1, elsewhere: 1 }) },
      'the step exited with 0; whether all 5 out-of-memory errors that were seen were caught is not known: 2 processes that had some ended without exit handlers (killed, or os._exit), 1 process that had some still runs, 1 process that had some ran under another host name and recorded no end',
    ],
  ])('claims that one was caught only where that is known: %j', (over, because) => {
    expect(judge(facts(over)).because).toBe(because);
  });
});

describe('out-of-memory errors that ended no process by themselves', () => {
  const none: VerdictFacts['fatal'] = { tests: [], exits: 0, tools: [] };
  it.each<[number, Partial<VerdictFacts['fatal']>, string, string]>([
    [1, { tests: ['a.py::b'] }, 'oom', 'the test a.py::b failed by an out-of-memory'],
    [
      0,
      { tests: ['b', 'c'] },
      'oom',
      '2 tests failed by an out-of-memory, first b, though the step itself exited with 0',
    ],
    [3, { exits: 1 }, 'oom', '1 process ended itself because of an out-of-memory'],
    [
      1,
      { tools: ['hydra'] },
      'oom',
      'hydra caught an out-of-memory that had left the program, and the step exited with 1',
    ],
    [
      1,
      { tools: [null] },
      'oom',
      'a tool caught an out-of-memory that had left the program, and the step exited with 1',
    ],
    [0, { tools: ['hydra'] }, 'oom-recovered', 'every out-of-memory was caught and the program went on'],
  ])('exit code %i, %j: %s', (exitCode, fatal, verdict, because) => {
    const over = { exitCode, oomCount: 1, fatal: { ...none, ...fatal } };
    expect(judge(facts(over))).toEqual({ name: verdict, because });
  });

  it('are counted by what became of them', () => {
    const outcome = (kind: string, tool: string | null = null) => ({ kind, at: null, tool, later: null });
    const test = (id: string, phase = 'call') => ({ runner: 'pytest', id, phase, child: false });
    const oom = (time: number, more: object) => ({ time, test: null, outcome: null, ...more });
    const end = { kind: 'exit', oom: false };
    const receipts = [
      {
        oom_count: 4,
        end,
        ooms: [
          oom(3, { test: test('b'), outcome: outcome('test-failed') }),
          oom(2, { test: test('a', 'setup'), outcome: outcome('test-failed') }),
          oom(4, { test: test('b'), outcome: outcome('test-failed') }),
          oom(1, { test: test('c'), outcome: outcome('handled') }),
        ],
      },
      { oom_count: 1, end, ooms: [oom(5, { outcome: outcome('exit') })] },
      { oom_count: 1, end, ooms: [oom(6, { outcome: outcome('left', 'click') })] },
      { oom_count: 1, end, ooms: [oom(7, {})] },
      { oom_count: 1, end: { kind: 'exception', oom: false }, ooms: [oom(8, {})] },
    ] as unknown as Parameters<typeof fatalOoms>[0];
    expect(fatalOoms(receipts)).toEqual({ tests: ['a (setup)', 'b'], exits: 1, tools: ['click'] });
    expect(unexplained(receipts)).toBe(1);
  });
});

describe('openEnds', () => {
  const end = { kind: 'exit', exception: null, oom: false, time: 1 } as const;
  const process = (pid: number, more: object = {}) => ({ host: 'a', pid, oom_count: 1, end: null, ...more });

  it('counts processes with an out-of-memory that nobody saw end, and those that still run', () => {
    const all = [process(1), process(2), process(3, { end }), process(4, { oom_count: 0 })];
    expect(openEnds(all, [], 'a')).toEqual({ gone: 2, running: 0, elsewhere: 0 });
    expect(openEnds(all, [{ pid: 2 }, { pid: 3 }, { pid: 4 }], 'a')).toEqual({
      gone: 1,
      running: 1,
      elsewhere: 0,
    });
  });

  it('knows of no process of another machine whether it runs', () => {
    expect(openEnds([process(1, { host: 'b' })], [{ pid: 1 }], 'a')).toEqual({
      gone: 0,
      running: 0,
      elsewhere: 1,
    });
  });
});
