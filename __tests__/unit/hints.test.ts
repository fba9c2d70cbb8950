/** Each hint when its numbers say so, with them, and not otherwise. */
import { describe, expect, it } from '@jest/globals';
import { type HintId, hintsFor } from '../../src/judge/hints.js';
import { plainText } from '../../src/report/rich.js';
import {
  CENSUS,
  cyclesOf,
  eightRanks,
  failedRank,
  GIB,
  MIB,
  manifest,
  oom,
  quietRank,
  stranger,
} from './report-kit.js';

const ids = (m: ReturnType<typeof manifest>): HintId[] => hintsFor(m).map((hint) => hint.id);
const one = (event: Record<string, unknown>, changes: Record<string, unknown> = {}) =>
  manifest({ receipts: [failedRank(5123, 1, changes, event)], exitCode: 1 });
const tight = { reserved: CENSUS.allocated, census: null };

describe('hints', () => {
  it('are none where no out-of-memory was', () => {
    expect(hintsFor(manifest({ receipts: [quietRank(1, 0)] }))).toEqual([]);
  });

  it('are none where no number says anything', () => {
    expect(ids(one(tight))).toEqual([]);
  });

  it('name memory of other processes only when the request would have fitted without it', () => {
    const fits = eightRanks();
    expect(ids(fits)).toContain('other-processes');
    const hint = hintsFor(fits).find((h) => h.id === 'other-processes');
    expect(plainText(hint?.text ?? [])).toMatch(
      /^12\.20 GiB belonged to processes that were there before this step/,
    );
    expect(hint?.numbers).toEqual([Math.round(12.2 * GIB), 10 * MIB, 16 * MIB]);
    const small = manifest({
      receipts: [failedRank(5123, 1, {}, { wanted: 30 * GIB })],
      exitCode: 1,
      gpu: stranger(GIB),
    });
    expect(ids(small)).not.toContain('other-processes');
  });

  it('do not name memory of other processes that there was no room for', () => {
    // 502 MiB are outside of the allocator, and would be enough; that they are that process's nobody knows.
    const full = { reserved: 39.5 * GIB, census: null };
    expect(
      ids(manifest({ receipts: [failedRank(5123, 1, {}, full)], exitCode: 1, gpu: stranger(12 * GIB) })),
    ).not.toContain('other-processes');
  });

  it('name fragmentation only when what is reserved and unused could have served the request', () => {
    expect(ids(one({}))).toContain('fragmentation');
    expect(ids(one({ wanted: CENSUS.unused + 1 }))).not.toContain('fragmentation');
    const hint = hintsFor(one({})).find((h) => h.id === 'fragmentation');
    expect(hint?.numbers).toEqual([CENSUS.unused, 16 * MIB]);
    expect(plainText(hint?.text ?? [])).toContain('expandable_segments:True');
  });

  it('name private pools that keep enough unused, and do not call that fragmentation', () => {
    const allocated = CENSUS.allocated;
    const pool = { id: '1:0', kind: 'graph', count: 1, categories: { unknown: GIB } };
    const device = CENSUS.census.devices[0];
    const census = (unused: number) => ({
      ...CENSUS.census,
      devices: [{ ...device, pools: [{ ...pool, allocated: GIB, reserved: GIB + unused }] }],
    });
    expect(allocated + CENSUS.unused).toBe(device?.reserved);
    const idle = one({ census: census(CENSUS.unused) });
    expect(ids(idle)).toContain('private-pools');
    expect(ids(idle)).not.toContain('fragmentation');
    expect(hintsFor(idle).find((h) => h.id === 'private-pools')?.numbers).toEqual([CENSUS.unused, 16 * MIB]);
    const busy = one({ census: census(15 * MIB) });
    expect(ids(busy)).not.toContain('private-pools');
    expect(hintsFor(busy).find((h) => h.id === 'fragmentation')?.numbers[0]).toBe(CENSUS.unused - 15 * MIB);
  });

  it('do not recommend expandable segments to who has them', () => {
    const torch = {
      version: '2.14.1',
      cuda: '13.0',
      backend: 'native',
      alloc_conf: 'expandable_segments:True',
      path: null,
    };
    const hint = (changes: object): string =>
      plainText(
        hintsFor(one({}, { torch: { ...torch, ...changes } })).find((h) => h.id === 'fragmentation')?.text ??
          [],
      );
    expect(hint({})).toMatch(/is on already\.$/);
    // Switched on, or off, at run time.
    expect(hint({ alloc_conf: null, expandable_segments: true })).toMatch(/is on already\.$/);
    expect(hint({ expandable_segments: false })).toMatch(/True lets the allocator/);
    expect(hint({ alloc_conf: null })).toMatch(/True, where it is not on already, lets the allocator/);
  });

  it('name a request larger than the device, and than a memory fraction', () => {
    expect(ids(one({ ...tight, wanted: 41 * GIB }))).toEqual(['larger-than-device']);
    expect(ids(one({ ...tight, limit: 20 * GIB, wanted: 21 * GIB }))).toContain('larger-than-device');
  });

  it('name a memory fraction when the device itself had room', () => {
    expect(ids(one({ ...tight, limit: 20 * GIB, free: GIB, device_free: 12 * GIB }))).toContain(
      'memory-fraction',
    );
    expect(ids(one({ ...tight, limit: 20 * GIB }))).not.toContain('memory-fraction');
  });

  it('name cycles that held bytes of the device', () => {
    const cycles = cyclesOf(null, { 'cuda:1': 512 * MIB });
    const hint = hintsFor(one({ ...tight, cycles }))[0];
    expect(hint).toMatchObject({ id: 'cycles', numbers: [512 * MIB] });
    expect(ids(one({ ...tight, cycles: { ...cycles, bytes: { 'cuda:0': 512 * MIB } } }))).toEqual([]);
  });

  const census = (parameter: number, gradient: number, state: number) => {
    const sizes = { parameter, gradient, optimizer_state: state };
    const allocated = parameter + gradient + state;
    const categories = Object.fromEntries(
      Object.entries(sizes).map(([k, bytes]) => [k, { bytes, count: 1, owners: [] }]),
    );
    return {
      complete: true,
      devices: [
        { index: 1, allocated, reserved: allocated, reserved_unused: 0, attributed: allocated, categories },
      ],
    };
  };

  it('name gradients and optimizer state beyond what the parameters warrant', () => {
    expect(ids(one({ ...tight, census: census(GIB, GIB, 2 * GIB) }))).toEqual([]);
    expect(ids(one({ ...tight, census: census(GIB, 2 * GIB, 2 * GIB) }))).toEqual(['gradients']);
    expect(ids(one({ ...tight, census: census(GIB, GIB, 6 * GIB) }))).toEqual(['optimizer-state']);
    expect(ids(one({ ...tight, census: census(0, GIB, 6 * GIB) }))).toEqual([]);
    // Not where one of the two may be larger than was seen.
    for (const name of ['parameter', 'optimizer_state']) {
      const partial = { ...census(GIB, GIB, 6 * GIB), not_reached: [name] };
      expect(ids(one({ ...tight, census: partial }))).toEqual([]);
    }
  });

  it('name growth over out-of-memory errors, and not a search that shrinks', () => {
    const series = (held: readonly number[]) =>
      one(
        {},
        {
          ooms: held.map((allocated, i) => oom({ ...tight, seq: i + 1, allocated, reserved: allocated })),
          oom_count: held.length,
        },
      );
    expect(ids(series([10 * GIB, 12 * GIB, 14 * GIB]))).toContain('growth');
    expect(ids(series([14 * GIB, 12 * GIB, 10 * GIB]))).not.toContain('growth');
    expect(ids(series([10 * GIB, 14 * GIB]))).not.toContain('growth');
    expect(ids(series([0, 0, 0]))).not.toContain('growth');
    expect(ids(series([10 * GIB, 14 * GIB, 13 * GIB]))).not.toContain('growth');
  });

  it('name retries beyond those that end in an out-of-memory', () => {
    expect(ids(one({ ...tight, retries: 5, ooms: 1 }))).toEqual(['retries']);
    expect(ids(one({ ...tight, retries: 1, ooms: 1 }))).toEqual([]);
  });
});
