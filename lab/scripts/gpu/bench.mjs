/** The lines of the cost budget that need a device. They print numbers and assert none. */
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Skip } from './results.mjs';
import { bare, jsonLines, wrapped } from './step.mjs';

/** @typedef {import('./step.mjs').Context} Context @typedef {import('./results.mjs').Part} Part */

const MAX_ENTRIES = 100_000;
/** Programs of each kind, steps in a turn, and the time and number of rounds after which there is enough. */
const PAIRS = 2;
const STEPS = 10;
const ROUNDS_S = 40;
const MAX_ROUNDS = 40;

/** The value below which a share of the values lies. @param {number[]} values @param {number} share */
const quantile = (values, share) => {
  const sorted = [...values].sort((a, b) => a - b);
  return /** @type {number} */ (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]);
};
const median = (/** @type {number[]} */ values) => quantile(values, 0.5);
const ms = (/** @type {number} */ seconds) => `${(1000 * seconds).toFixed(1)} ms`;
const ratio = (/** @type {number} */ value) => `${value.toFixed(3)}x`;

/** Programs that connect to a socket and make steps when told to. @param {string} path */
function listenForWorkers(path) {
  /** @typedef {{kind: string, recording: boolean, steps: (count: number) => Promise<{wall: number, cpu: number}>}} Worker */
  /** @type {Worker[]} */
  const workers = [];
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();
  let enough = () => {};
  const server = createServer(async (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
    const answer = async () => {
      const { value, done } = await lines.next();
      if (done) throw new Error('a program of the measurement ended');
      return JSON.parse(value);
    };
    const hello = await answer().catch(() => null);
    if (hello === null) return;
    const steps = (/** @type {number} */ count) => {
      socket.write(`${count}\n`);
      return answer();
    };
    workers.push({ ...hello, steps });
    enough();
  });
  server.listen(path);
  return {
    /** Resolves when so many are there, in the order of their kinds. @param {number} count @returns {Promise<Worker[]>} */
    all: (count) =>
      new Promise((resolve) => {
        enough = () => {
          if (workers.length === count) resolve([...workers].sort((a, b) => a.kind.localeCompare(b.kind)));
        };
        enough();
      }),
    /** Ends them: a program whose connection is closed goes to its end. */
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Programs that end before they are let go have failed. @param {any} end of `bare` or `wrapped` @returns {never} */
function sayWhy(end) {
  throw new Error(
    `a program of the measurement ended: ${(end.report?.log ?? end.stderr).trim().slice(-300)}`,
  );
}

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
        const path = join(context.work, 'cost');
        const run = (/** @type {string} */ kind) =>
          `for i in $(seq ${PAIRS}); do "$PYTHON" cost.py ${kind} ${MAX_ENTRIES} '${path}' & done; wait`;
        const workers = listenForWorkers(path);
        const ended = [
          bare(context, signal, { name: 'plain', run: run('plain') }),
          bare(context, signal, { name: 'recipe', run: run('recipe') }),
          wrapped(context, found, signal, { name: 'ours', run: run('ours') }),
        ];
        const early = Promise.race(ended.map((end) => end.then(sayWhy)));
        early.catch(() => {});
        /** @type {Record<string, {wall: number, cpu: number}[]>} */
        const rows = { plain: [], recipe: [], ours: [] };
        let rounds = 0;
        try {
          const all = await Promise.race([workers.all(PAIRS * ended.length), early]);
          for (const { kind, recording } of all)
            found.same(`${kind}: recording is on`, recording, kind !== 'plain');
          const began = performance.now();
          for (; rounds < MAX_ROUNDS && performance.now() - began < ROUNDS_S * 1000; rounds++)
            for (const worker of rounds % 2 === 0 ? all : [...all].reverse())
              rows[worker.kind]?.push(await Promise.race([worker.steps(STEPS), early]));
        } finally {
          workers.close();
          await Promise.allSettled(ended);
        }
        /** Each turn over the recipe's of the same round: they met the same other work. */
        const over = (/** @type {string} */ kind, /** @type {'wall' | 'cpu'} */ clock) => {
          const ratios = (rows[kind] ?? []).map(
            (row, index) => row[clock] / /** @type {any} */ (rows['recipe'])[index][clock],
          );
          return { median: median(ratios), low: quantile(ratios, 0.25), high: quantile(ratios, 0.75) };
        };
        const table = Object.fromEntries(
          Object.entries(rows).map(([kind, turns]) => [
            kind,
            {
              wall_ms: 1000 * median(turns.map(({ wall }) => wall)),
              cpu_ms: 1000 * median(turns.map(({ cpu }) => cpu)),
              over_recipe: { wall: over(kind, 'wall'), cpu: over(kind, 'cpu') },
            },
          ]),
        );
        found.see({ rounds, pairs: PAIRS, steps: STEPS, table });
        const ours = over('ours', 'wall');
        found.say(
          `${ratio(ours.median)} the recipe (quartiles ${ratio(ours.low)} to ${ratio(ours.high)}, ${rounds} rounds); ` +
            `without recording ${ratio(over('plain', 'wall').median)}, ${table['plain']?.wall_ms.toFixed(1)} ms`,
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
