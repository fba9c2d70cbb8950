/** Each hint when its numbers say so, with them, and not otherwise. */
import { describe, expect, it } from '@jest/globals';
import { type HintId, hintsFor } from '../../src/judge/hints.js';
import { CENSUS, failedRank, GIB, MIB, manifest, oom, quietRank } from './report-kit.js';

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

  it('name private pools that keep enough unused', () => {
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
    expect(hintsFor(idle).find((h) => h.id === 'private-pools')?.numbers).toEqual([CENSUS.unused, 16 * MIB]);
    const busy = one({ census: census(15 * MIB) });
    expect(ids(busy)).not.toContain('private-pools');
  });

  it('name a memory fraction when the device itself had room', () => {
    expect(ids(one({ ...tight, limit: 20 * GIB, free: GIB, device_free: 12 * GIB }))).toContain(
      'memory-fraction',
    );
    expect(ids(one({ ...tight, limit: 20 * GIB }))).not.toContain('memory-fraction');
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
