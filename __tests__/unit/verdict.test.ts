/** One verdict for each set of facts; an out-of-memory that nothing caught comes before everything else. */
import { describe, expect, it } from '@jest/globals';
import { judge, type VerdictFacts } from '../../src/report/verdict.js';

const facts = (over: Partial<VerdictFacts> = {}): VerdictFacts => ({
  exitCode: 0,
  cancelled: false,
  startError: null,
  oomCount: 0,
  endedByOom: 0,
  threadsEndedByOom: 0,
  hostOomKills: 0,
  hostOomScope: 'cgroup',
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
    ['no such shell', { exitCode: 127, startError: 'ENOENT' }, 'failed'],
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
});
