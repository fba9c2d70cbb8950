/** The lines of the cost budget that need a device. They print numbers and assert none. */
import { spawnSync } from 'node:child_process';
import { Skip } from './results.mjs';
import { bare, jsonLines, wrapped } from './step.mjs';

/** @typedef {import('./step.mjs').Context} Context @typedef {import('./results.mjs').Part} Part */

const STEPS = 40;
const MAX_ENTRIES = 100_000;
/** Seconds after which no further round of the step's cost is begun. */
const ROUNDS_S = 40;
const MAX_ROUNDS = 7;

const median = (/** @type {number[]} */ values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? /** @type {number} */ (sorted[half])
    : /** @type {number} */ (sorted[half - 1] + /** @type {number} */ (sorted[half])) / 2;
};
const ms = (/** @type {number} */ seconds) => `${(1000 * seconds).toFixed(1)} ms`;
const ratio = (/** @type {number} */ value) => `${value.toFixed(3)}x`;

/** @param {Context} context @returns {Part[]} */
export function bench(context) {
  return [
    {
      name: 'step-cost',
      what: 'a training step with the action around it, over the hand-written recipe (budget 1.02x)',
      kind: 'measure',
      alone: true,
      seconds: 100,
      run: async (found, signal) => {
        /** @type {Record<string, {wall: number[], cpu: number[]}>} */
        const times = {};
        const run = (/** @type {string} */ kind) => `"$PYTHON" cost.py ${kind} ${STEPS} ${MAX_ENTRIES}`;
        const began = performance.now();
        let round = 0;
        for (; round < MAX_ROUNDS && performance.now() - began < ROUNDS_S * 1000; round++) {
          const kinds = ['plain', 'recipe', 'ours'];
          for (const kind of round % 2 === 0 ? kinds : kinds.reverse()) {
            const options = { name: `cost-${kind}`, run: run(kind) };
            const said =
              kind === 'ours'
                ? (await wrapped(context, found, signal, options)).report.log
                : (await bare(context, signal, options)).stdout;
            const [row] = jsonLines(said);
            if (row === undefined) throw new Error(`${kind}: no numbers; it said: ${said.slice(-500)}`);
            found.same(`${kind}: recording is on`, row.recording, kind !== 'plain');
            times[kind] ??= { wall: [], cpu: [] };
            times[kind].wall.push(row.wall);
            times[kind].cpu.push(row.cpu);
          }
        }
        /** Each round's own ratio: its runs competed with the same other load. */
        const over = (/** @type {string} */ kind, /** @type {'wall' | 'cpu'} */ clock) => {
          const ratios = /** @type {{wall: number[], cpu: number[]}} */ (times[kind])[clock].map(
            (value, index) => value / /** @type {any} */ (times['recipe'])[clock][index],
          );
          return { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) };
        };
        const table = Object.fromEntries(
          Object.entries(times).map(([kind, { wall, cpu }]) => [
            kind,
            {
              wall_ms: 1000 * median(wall),
              cpu_ms: 1000 * median(cpu),
              over_recipe: { wall: over(kind, 'wall'), cpu: over(kind, 'cpu') },
            },
          ]),
        );
        found.see({ rounds: round, steps: STEPS, table });
        const [plain, ours] = [over('plain', 'wall'), over('ours', 'wall')];
        found.say(
          `${ratio(ours.median)} the recipe (${ratio(ours.least)} to ${ratio(ours.most)}, ${round} rounds), ` +
            `which is ${ratio(1 / plain.median)} a step of ${ms(median(times['plain']?.wall ?? []))} without recording`,
        );
      },
    },
    {
      name: 'looks',
      what: 'dump of 100,000 events, census and look for cycles with 300,000 objects alive',
      kind: 'measure',
      alone: true,
      seconds: 60,
      run: async (found, signal) => {
        const step = await wrapped(context, found, signal, {
          name: 'looks',
          run: '"$PYTHON" looks.py',
          inputs: { 'max-entries': String(MAX_ENTRIES) },
        });
        found.same('exit code', step.report.main.code, 0);
        const ooms = step.manifest?.processes[0]?.ooms ?? [];
        if (ooms.length !== 3) throw new Error(`${ooms.length} out-of-memories, expected 3`);
        const caught = jsonLines(step.report.log).flatMap(({ caught: seconds }) => seconds ?? []);
        const looks = ooms.map((/** @type {any} */ oom, /** @type {number} */ index) => ({
          caught: caught[index],
          dump: oom.dump_seconds,
          census: oom.census?.seconds,
          cycles: oom.cycles?.seconds,
        }));
        const bytes = step.manifest?.snapshots.map((/** @type {any} */ one) => one.bytes);
        found.see({ looks, snapshot_bytes: bytes });
        const [first, , last] = looks;
        found.say(
          `first dump ${ms(first?.dump)}, a later one ${ms(last?.dump)} (${Math.round((bytes?.at(-1) ?? 0) / 1e5) / 10} MB); ` +
            `census ${ms(last?.census)}, cycles ${ms(last?.cycles)}; caught in ${ms(last?.caught)}`,
        );
      },
    },
    {
      name: 'nvidia-smi',
      what: 'what the tool costs per call, and as one process that repeats itself each second',
      kind: 'measure',
      alone: true,
      seconds: 40,
      run: async (found, signal) => {
        if (spawnSync('nvidia-smi', ['-L'], { env: context.env }).status !== 0)
          throw new Skip('nvidia-smi is not here, or does not answer');
        const { code, stdout, stderr } = await bare(context, signal, {
          ...{ name: 'smi', run: '"$PYTHON" smi.py' },
        });
        found.same('exit code', code, 0);
        const [row] = jsonLines(stdout);
        if (row === undefined) throw new Error(stderr.slice(-500));
        found.see(row);
        const loop = row.loop
          ? `${ms(row.loop.cpu / row.loop.seconds)} of processor time a second with -l 1 (${row.loop.lines} lines)`
          : 'no -l here';
        found.say(`${ms(row.devices.wall)} a call, ${ms(row.devices.cpu)} of processor time; ${loop}`);
      },
    },
  ];
}
