/** What to do first: for each rule one story that shows it, and one close by that does not. */
import { describe, expect, it } from '@jest/globals';
import { ADVICE_IDS, type AdviceId, adviceFor, considered } from '../../src/judge/advice.js';
import { hintsFor } from '../../src/judge/hints.js';
import { renderPage } from '../../src/report/page/page.js';
import { plainText } from '../../src/report/rich.js';
import { renderSummary } from '../../src/report/summary/summary.js';
import { cyclesOf, failedRank, GIB, HOSTILE, links, manifest, quietRank, stranger } from './report-kit.js';

type Changes = Record<string, unknown>;

/** A census of GPU 1 with these GiB by category. */
function census(sizes: Readonly<Record<string, number>>, device: Changes = {}, more: Changes = {}) {
  const categories = Object.fromEntries(
    Object.entries(sizes).map(([key, gib]) => [key, { bytes: gib * GIB, count: 1, owners: [] }]),
  );
  const allocated = Object.values(categories).reduce((sum, { bytes }) => sum + bytes, 0);
  const row = { index: 1, allocated, reserved: allocated, reserved_unused: 0, categories };
  return { complete: true, devices: [{ ...row, ...device }], ...more };
}
const signs = (one: Changes) => ({ signs: one });
const keeps = (name: string, by: string, gib: number) => ({
  kept: [{ name, by, bytes: gib * GIB, count: 3 }],
});

const TIGHT = { allocated: 39 * GIB, reserved: 39 * GIB, census: null };
/** A step whose rank 1 ran out of the 40 GiB of GPU 1. */
const step = (event: Changes, process: Changes = {}, story: Changes = {}) =>
  manifest({ receipts: [failedRank(5123, 1, process, { ...TIGHT, ...event })], exitCode: 1, ...story });
const seen = (sizes: Readonly<Record<string, number>>, device: Changes = {}, more: Changes = {}) =>
  step({ census: census(sizes, device, more) });

/** Rank 0 beside the one that failed, on the GPU of that number, and a host that has two. */
function twoRanks(outside: number) {
  const gpu = stranger(0);
  const [device] = gpu.before.devices;
  if (device === undefined) throw new Error('no device');
  const before = { ...gpu.before, devices: [{ ...device, index: 0 }, device], processes: [] };
  const memory = {
    allocated: 15 * GIB,
    reserved: 15 * GIB,
    peak_allocated: 15 * GIB,
    peak_reserved: 15 * GIB,
  };
  const other = quietRank(6000, 0, {
    devices: [{ index: 1, name: 'A100', total: 40 * GIB, limit: null, ...memory, retries: 0, ooms: 0 }],
  });
  const one = failedRank(
    5123,
    1,
    {},
    { ...TIGHT, allocated: (39 - outside) * GIB, reserved: (39 - outside) * GIB },
  );
  return manifest({ receipts: [one, other], exitCode: 1, gpu: { ...gpu, before } });
}

const LARGE = { parameter: 4, gradient: 4, optimizer_state: 8 };
type Made = ReturnType<typeof manifest>;
const EXAMPLES: Readonly<Record<AdviceId, { shows: Made; silent: Made; says: RegExp }>> = {
  'larger-than-device': {
    shows: step({ wanted: 41 * GIB }),
    silent: step({ wanted: 40 * GIB }),
    says: /^One request of 41\.00 GiB is more than the whole device has/,
  },
  'weights-larger': {
    shows: step({ wanted: 2 * GIB, census: census({ parameter: 39 }) }),
    // Not while it is loaded: activations are there as well.
    silent: step({ wanted: 8 * GIB, census: census({ parameter: 33, activation: 6 }) }),
    says: /^Parameters alone took 39\.00 GiB, 98 % of the GPU/,
  },
  'same-device': {
    shows: twoRanks(16),
    // Each sees one device of its own, number 1 or not: nothing lies outside of this one's allocator.
    silent: twoRanks(1),
    says: /^2 ranks of this step used GPU 1, and the others held 15\.00 GiB of it, 38 % of the GPU; the host has 2 GPUs/,
  },
  'other-processes': {
    shows: step({ allocated: 27 * GIB, reserved: 27 * GIB }, {}, { gpu: stranger(12 * GIB) }),
    silent: step(
      { allocated: 27 * GIB, reserved: 27 * GIB, wanted: 13 * GIB },
      {},
      { gpu: stranger(12 * GIB) },
    ),
    says: /^12\.00 GiB, 30 % of the GPU, belonged to processes that were there before this step/,
  },
  'eval-activations': {
    shows: seen({ activation: 34 }, {}, signs({ eval_activations: 34 * GIB })),
    silent: seen({ activation: 34 }, {}, signs({ eval_activations: 0 })),
    says: /^34\.00 GiB of activations, 85 % of the GPU, .*eval\(\)\. Run it under torch\.no_grad\(\)/,
  },
  'graph-passes': {
    shows: seen({ activation: 30 }, keeps('hidden in train', 'graph', 30), signs({ graph_passes: 12 })),
    silent: seen({ activation: 30 }, {}, signs({ graph_passes: 1 })),
    says: /through the model 12 times, kept by hidden in train: .*30\.00 GiB of activations, 75 % of the GPU/,
  },
  traceback: {
    shows: seen({ activation: 30 }, keeps('test_first', 'traceback', 20)),
    silent: seen({ activation: 30 }, keeps('test_first', 'traceback', 1)),
    says: /^20\.00 GiB, 50 % of the GPU, were left by an earlier failure: its traceback, test_first/,
  },
  kept: {
    shows: seen({ activation: 36 }, keeps('outputs[*] in evaluate', 'graph', 31), signs({ live_passes: 8 })),
    // A name that holds the model.
    silent: seen({ parameter: 30, activation: 9 }, keeps('model in main', 'holder', 30)),
    says: /^outputs\[\*\] in evaluate keeps 31\.00 GiB of activations alive, 78 % of the GPU/,
  },
  twins: {
    shows: seen({ parameter: 30 }, {}, signs({ twins: { names: ['model', 'old'], bytes: 15 * GIB } })),
    silent: seen({ parameter: 30 }, {}, signs({ twins: { names: ['model'], bytes: 15 * GIB } })),
    says: /^One model is alive 2 times \(model, old\), 15\.00 GiB each: 38 % of the GPU/,
  },
  cycles: {
    shows: step({ cycles: cyclesOf(null, { 'cuda:1': 8 * GIB }) }),
    silent: step({ cycles: cyclesOf(null, { 'cuda:0': 8 * GIB }) }),
    says: /^8\.00 GiB, 20 % of the GPU, were held only by reference cycles/,
  },
  'first-step': {
    shows: seen(LARGE, {}, signs({ optimizer_step: 'first' })),
    silent: seen(LARGE, {}, signs({ optimizer_step: 'later' })),
    says: /^Memory ran out in the optimizer's first step.* took 16\.00 GiB, 40 % of the GPU/,
  },
  'optimizer-state': {
    shows: seen({ ...LARGE, optimizer_state: 24 }),
    silent: seen({ ...LARGE, optimizer_state: 8 }),
    says: /^Optimizer state took 24\.00 GiB, 60 % of the GPU and 6\.0 times the parameters/,
  },
  gradients: {
    shows: seen({ ...LARGE, gradient: 8 }),
    silent: seen({ ...LARGE, gradient: 8 }, {}, { not_reached: ['parameter'] }),
    says: /^Gradients took 8\.00 GiB, 20 % of the GPU and 2\.0 times the parameters/,
  },
  fragmentation: {
    shows: step({ allocated: 34 * GIB, reserved: 39 * GIB }),
    silent: step({ allocated: 36 * GIB, reserved: 39 * GIB }),
    says: /^5\.00 GiB, 13 % of the GPU, were reserved by the allocator and not in use/,
  },
  activations: {
    shows: seen({ parameter: 4, activation: 30 }, {}, signs({ eval_activations: 0 })),
    silent: seen({ parameter: 4, activation: 30 }, {}, signs({ eval_activations: 30 * GIB })),
    says: /^Activations took 30\.00 GiB, 75 % of the GPU\. A smaller batch/,
  },
};

const ids = (m: Made): readonly AdviceId[] => considered(m).map(({ id }) => id);

describe('what to do first', () => {
  it.each(ADVICE_IDS)('%s: said where its numbers say so, with them, and not close by', (id) => {
    const { shows, silent, says } = EXAMPLES[id];
    const advice = adviceFor(shows);
    expect(advice?.id).toBe(id);
    expect(plainText(advice?.text ?? [])).toMatch(says);
    expect(ids(silent)).not.toContain(id);
  });

  it('is nothing where the numbers suggest nothing, or nothing ran out', () => {
    expect(adviceFor(step({}))).toBeNull();
    expect(adviceFor(manifest({ receipts: [quietRank(1, 0)] }))).toBeNull();
    expect(
      adviceFor(step({ device_total: null, limit: null, wanted: 41 * GIB }, { devices: [] })),
    ).toBeNull();
  });

  it('is nothing where the program handled the error, and the hints have it then', () => {
    const end = { end: { kind: 'exit', exception: null, oom: false, time: 1_700_000_500 } };
    const caught = step({ census: census({ activation: 30 }) }, end, { exitCode: 0 });
    expect(adviceFor(caught)).toBeNull();
    expect(hintsFor(caught).map(({ id }) => id)).toContain('activations');
  });

  it('is the one with the largest share; the next is a hint, and none is both', () => {
    const both = step({
      census: census({ activation: 20, parameter: 2 }, keeps('cache in serve', 'holder', 10)),
    });
    expect(adviceFor(both)?.id).toBe('activations');
    expect(hintsFor(both).map(({ id }) => id)).toEqual(['kept']);
  });

  it('names a cache that is smaller than the model by the owner of its tensors, and not a single batch', () => {
    const cache = (kind: string, count: number) => {
      const owners = [{ name: 'attn.k_cache', bytes: 12 * GIB, count, kind }];
      const categories = {
        parameter: { bytes: 26 * GIB, count: 9, owners: [] },
        input: { bytes: 12 * GIB, count, owners },
      };
      return step({ census: { complete: true, devices: [{ index: 1, allocated: 38 * GIB, categories }] } });
    };
    const text = plainText(adviceFor(cache('holder', 13))?.text ?? []);
    expect(text).toMatch(/^attn\.k_cache keeps 12\.00 GiB alive, 30 % of the GPU\. Bound it/);
    expect(adviceFor(cache('holder', 1))).toBeNull();
    expect(adviceFor(cache('other', 13))).toBeNull();
  });

  it('does not name what private pools keep as fragmentation', () => {
    const pool = { id: '1:0', kind: 'graph', count: 1, allocated: 0, reserved: 5 * GIB, categories: {} };
    const one = step({
      allocated: 34 * GIB,
      reserved: 39 * GIB,
      census: census({ parameter: 34 }, { reserved: 39 * GIB, reserved_unused: 5 * GIB, pools: [pool] }),
    });
    expect(ids(one)).not.toContain('fragmentation');
    expect(hintsFor(one).map(({ id }) => id)).toContain('private-pools');
  });

  it('does not recommend expandable segments to who has them', () => {
    const torch = { version: '2.14.1', cuda: '13.0', backend: 'native', path: null };
    const text = (build: Changes): string =>
      plainText(adviceFor(step({ allocated: 34 * GIB }, { torch: { ...torch, ...build } }))?.text ?? []);
    expect(text({ alloc_conf: 'expandable_segments:True' })).toMatch(/is on already\.$/);
    // Switched on, or off, at run time.
    expect(text({ alloc_conf: null, expandable_segments: true })).toMatch(/is on already\.$/);
    expect(text({ expandable_segments: false })).toMatch(/True lets the allocator/);
    expect(text({ alloc_conf: null })).toMatch(/True, where it is not on already, lets the allocator/);
  });

  it('does not name memory of others that there was no room for', () => {
    expect(ids(step({ reserved: 39.5 * GIB }, {}, { gpu: stranger(12 * GIB) }))).not.toContain(
      'other-processes',
    );
  });

  it('measures by what the process may use, where that is less than the device', () => {
    const limited = step({ limit: 20 * GIB, wanted: 21 * GIB });
    expect(plainText(adviceFor(limited)?.text ?? [])).toContain('the process may use at all (20.00 GiB)');
  });

  it('blames no variable for the graph of the pass that is under way', () => {
    for (const [name, passes] of [
      ['loss in train', 1],
      ['loss in train', 2],
      ['skips[*] in forward', 1],
    ] as const) {
      const one = seen({ activation: 36 }, keeps(name, 'graph', 36), signs({ live_passes: passes }));
      expect(ids(one)).toEqual(['activations']);
    }
  });

  it('stands after the first sentence of summary and page, its names escaped', () => {
    const one = seen({ activation: 36 }, keeps(HOSTILE, 'holder', 31));
    const summary = renderSummary(one, links()).split('\n\n');
    expect(summary[2]).toMatch(/^> \*\*Do this first\*\*: /);
    expect(summary[2]).not.toContain('\n');
    const page = renderPage(one);
    expect(page.match(/<p class="lead[^"]*">/g)?.slice(0, 2)).toEqual([
      '<p class="lead">',
      '<p class="lead first">',
    ]);
    expect(page).not.toContain('<img src=x');
    expect(renderSummary(step({}), links())).not.toContain('Do this first');
  });
});
