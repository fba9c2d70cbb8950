/**
 * The end-to-end parts of the check: each wraps a small program as a user's step and looks at what came of
 * it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { at } from './paths.mjs';
import { Skip } from './results.mjs';
import { bare, jsonLines, sha256, wrapped } from './step.mjs';

/** @typedef {import('./step.mjs').Context} Context @typedef {import('./step.mjs').Step} Step */
/** @typedef {import('./results.mjs').Findings} Findings @typedef {import('./results.mjs').Part} Part */

const MIB = 2 ** 20;
const mib = (/** @type {number} */ bytes) => `${Math.round(bytes / MIB).toLocaleString('en')} MiB`;
const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(1)} %`;

/** `"$PYTHON" program`, as a step would say it. @param {string} program */
const python = (program) => `"$PYTHON" ${program}`;

/** All out-of-memories of a step, each with its process. @param {Step} step */
const oomsOf = ({ manifest }) =>
  (manifest?.processes ?? []).flatMap((/** @type {any} */ process) =>
    process.ooms.map((/** @type {any} */ oom) => ({ ...oom, process })),
  );

/**
 * The census of an out-of-memory: its sums are the allocator's own numbers.
 * @param {Findings} found
 * @param {any} oom
 * @returns {number} the share that is attributed, of all devices with memory
 */
function censusAddsUp(found, oom) {
  const { complete, cut } = oom.census ?? { complete: false, cut: 'none' };
  // A busy machine cuts it short; any other reason is worth a look.
  if (!/were over/.test(cut)) found.holds('the out-of-memory has a complete census', complete, cut);
  found.see({ census_cut: cut });
  let [attributed, allocated] = [0, 0];
  for (const device of oom.census?.devices ?? []) {
    const parts = /** @type {{bytes: number}[]} */ (Object.values(device.categories));
    const sum = parts.reduce((all, { bytes }) => all + bytes, 0);
    found.same(`GPU ${device.index}: the categories' sum is what is allocated`, sum, device.allocated);
    if (device.index === oom.device)
      found.same(
        'census and allocator agree',
        [device.allocated, device.reserved],
        [oom.allocated, oom.reserved],
      );
    attributed += device.attributed;
    allocated += device.allocated;
  }
  return allocated === 0 ? 0 : attributed / allocated;
}

/**
 * Every process that armed has switched recording off, and was seen to; those that ended past their exit
 * handlers cannot.
 * @param {Findings} found @param {Step} step
 */
function disarmed(found, { manifest }) {
  for (const { program, recorder, end } of manifest?.processes ?? [])
    if (recorder.armed_at !== null && end !== null)
      found.same(
        `recording of ${program} is off`,
        [recorder.state, recorder.disarm_proven],
        ['disarmed', true],
      );
  found.same('faults of the action', manifest?.faults ?? null, []);
}

/**
 * The artifact is whole: `sha256sum -c`, and each snapshot has one digest everywhere.
 * @param {Findings} found
 * @param {Step} step
 */
function evidenceIsWhole(found, { artifact, outputs, manifest, page }) {
  if (artifact === null) {
    found.wrong.push('nothing was uploaded');
    return;
  }
  const check = spawnSync('sha256sum', ['-c', '--quiet', 'SHA256SUMS'], {
    cwd: artifact.dir,
    encoding: 'utf8',
  });
  found.same('sha256sum -c', [check.status, check.stdout], [0, '']);
  found.same("the zip's digest", outputs['artifact-digest'], artifact.digest);
  const references = JSON.parse(outputs['snapshots'] || '[]');
  found.same('snapshots in the output and in the manifest', references, manifest?.snapshots);
  for (const { file, digest, bytes } of references) {
    const path = join(artifact.dir, file);
    if (!existsSync(path)) {
      found.wrong.push(`${file} is not in the artifact`);
      continue;
    }
    found.same(`digest of ${file}`, `sha256:${sha256(path)}`, digest);
    found.same(`bytes of ${file}`, readFileSync(path).length, bytes);
    found.holds('the page names the digest', page?.includes(digest.slice(7)));
  }
}

/**
 * What holds for each step that nothing catches an out-of-memory in.
 * @param {Findings} found @param {Step} step @returns {any} the last out-of-memory
 */
function ranOut(found, step) {
  const { outputs, report } = step;
  found.same('exit code', report.main.code, 1);
  found.same('verdict', outputs['verdict'], 'oom');
  found.same('out-of-memories', outputs['oom-count'], '1');
  found.same('snapshots', outputs['snapshot-count'], '1');
  evidenceIsWhole(found, step);
  disarmed(found, step);
  const oom = oomsOf(step).at(-1);
  if (oom === undefined) throw new Error('the manifest has no out-of-memory');
  const share = censusAddsUp(found, oom);
  const reference = step.manifest.snapshots[0];
  found.see({
    ...{ wanted: oom.wanted, free: oom.free, limit: oom.limit, device: oom.device, thread: oom.thread },
    ...{ allocated: oom.allocated, reserved: oom.reserved, attributed: share, retries: oom.retries },
    ...{ snapshot_bytes: reference?.bytes, dump_seconds: oom.dump_seconds },
    ...{ census_seconds: oom.census?.seconds, cycles_seconds: oom.cycles?.seconds },
  });
  found.say(`verdict oom, code 1; ${mib(oom.allocated)} allocated, ${percent(share)} of it attributed`);
  return oom;
}

/**
 * A part that is one program that runs out of memory.
 * @param {Context} context
 * @param {string} name
 * @param {string} what
 * @param {object} options
 */
function outOfMemory(context, name, what, options) {
  const {
    program,
    more = () => {},
    ...rest
  } = /** @type {{program: string, more?: (found: Findings, oom: any, step: Step) => void, env?: Record<string, string>, inputs?: Record<string, string>}} */ (
    options
  );
  return /** @type {Part} */ ({
    ...{ name, what, kind: 'check' },
    run: async (found, signal) => {
      const step = await wrapped(context, found, signal, { name, run: python(program), ...rest });
      more(found, ranOut(found, step), step);
    },
  });
}

/**
 * The process that holds memory beside the step.
 * @param {Context} context
 * @param {AbortSignal} signal
 * @param {number} bytes
 * @param {Record<string, string>} env
 */
async function holdMemory(context, signal, bytes, env) {
  const child = spawn(context.torch.executable, ['-B', at('programs', 'holder.py'), String(bytes)], {
    env: { ...context.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
    signal,
    killSignal: 'SIGKILL',
  });
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  for await (const line of createInterface({ input: child.stdout }))
    return { pid: Number(line), end: () => child.stdin.end() };
  throw new Error('the process that was to hold memory ended');
}

/** What the program left in its folder, by file. @param {string} workspace */
const outcomeOf = (workspace) => {
  const folder = join(workspace, 'outcome');
  return Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((file) => [file, readFileSync(join(folder, file), 'utf8')]),
  );
};

/**
 * What a program said on stderr, less what differs from run to run: its folder, the amounts of the device at
 * that moment, the time in a warning.
 * @param {string} text @param {string} workspace
 */
const lasting = (text, workspace) => text.replaceAll(workspace, '').replace(/\d[\d.]*/g, '#');

/** The error that ends a traceback. @param {string} stderr */
const lastError = (stderr) =>
  (stderr.match(/^[A-Za-z_][\w.]*: .*$/gm)?.at(-1) ?? stderr.trim().split('\n').at(-1) ?? '').slice(0, 200);

/** @param {Context} context @returns {Part[]} */
export function parts(context) {
  const { torch } = context;
  const two = torch.standin || torch.devices.length > 1;
  return [
    {
      name: 'whole-device',
      what: 'the example fills the whole device; nothing catches it',
      kind: 'check',
      alone: true,
      seconds: 90,
      run: async (found, signal) => {
        const step = await wrapped(context, found, signal, {
          name: 'whole',
          run: python('train_oom.py'),
        });
        const oom = ranOut(found, step);
        found.holds(
          'no limit of its own was in the way',
          oom.reserved > oom.device_total * 0.5,
          oom.reserved,
        );
        const { parameter, optimizer_state: state } = oom.census?.devices[0]?.categories ?? {};
        if (oom.census?.complete)
          found.same("AdamW's state is twice the parameters", state?.bytes, 2 * (parameter?.bytes ?? 0));
        const [error] = step.report.annotations.filter((/** @type {any} */ a) => a.level === 'error');
        found.same('the annotation is on the line of the example', error?.file, 'train_oom.py');
      },
    },
    outOfMemory(context, 'uncaught', "an allocator's limit is reached; nothing catches it", {
      program: 'grow.py',
      more: (/** @type {Findings} */ found, /** @type {any} */ oom) =>
        found.holds('the limit is the one that was set', oom.limit < oom.device_total, oom.limit),
    }),
    {
      name: 'caught',
      what: 'caught, with a smaller batch after it: green, oom-recovered',
      kind: 'check',
      run: async (found, signal) => {
        const step = await wrapped(context, found, signal, { name: 'caught', run: python('grow.py catch') });
        found.same('exit code', step.report.main.code, 0);
        found.same('verdict', step.outputs['verdict'], 'oom-recovered');
        found.same('the program went on', /caught at batch \d+\n[\s\S]*^done$/m.test(step.report.log), true);
        const ooms = oomsOf(step);
        found.same('out-of-memories', step.outputs['oom-count'], String(ooms.length));
        found.holds('at least one snapshot', Number(step.outputs['snapshot-count']) >= 1);
        evidenceIsWhole(found, step);
        disarmed(found, step);
        for (const oom of ooms) censusAddsUp(found, oom);
        found.say(`verdict oom-recovered, code 0; ${ooms.length} caught`);
      },
    },
    outOfMemory(context, 'forked', 'a worker forked after the import runs out of memory', {
      program: 'forked.py',
      more: (/** @type {Findings} */ found, /** @type {any} */ oom, /** @type {Step} */ step) => {
        found.holds(
          'CUDA was not initialised in the parent',
          step.report.log.includes('in the parent: False'),
        );
        const parent = step.manifest.processes.find((/** @type {any} */ one) => one.pid === oom.process.ppid);
        found.same('the parent did not arm', parent?.recorder.armed_at, null);
      },
    }),
    outOfMemory(context, 'backward', 'on the autograd thread, in backward', {
      program: 'backward.py',
      more: (/** @type {Findings} */ found, /** @type {any} */ oom, /** @type {Step} */ step) => {
        found.holds('the forward was done', step.report.log.includes('forward done'));
        found.holds('it was on another thread than the main one', oom.thread !== 'main', oom.thread);
        const names = (oom.main_stack ?? []).map((/** @type {any} */ frame) => frame.function);
        found.holds('the main thread stood in train_step', names.includes('train_step'), names);
      },
    }),
    outOfMemory(context, 'expandable', 'with expandable segments', {
      program: 'grow.py',
      env: {
        PYTORCH_CUDA_ALLOC_CONF: 'expandable_segments:True',
        PYTORCH_ALLOC_CONF: 'expandable_segments:True',
      },
    }),
    outOfMemory(context, 'streams', 'on a side stream, with blocks recorded on several', {
      program: 'streams.py',
    }),
    outOfMemory(context, 'pinned', 'with pinned memory, and a loader whose workers are forked', {
      program: 'pinned.py',
      more: (/** @type {Findings} */ found, /** @type {any} */ _oom, /** @type {Step} */ step) => {
        found.holds('the batches were pinned', step.report.log.includes('pinned 8 of 8'));
        found.holds('the copy arrived', step.report.log.includes('copied True'));
      },
    }),
    two
      ? outOfMemory(context, 'second-device', 'the second of two devices runs out', {
          program: 'second.py',
          env: { OA_STANDIN_DEVICES: '2' },
          more: (/** @type {Findings} */ found, /** @type {any} */ oom) => {
            found.same('the device that ran out', oom.device, 1);
            found.same(
              'devices of the process',
              oom.process.devices.map((/** @type {any} */ device) => device.index),
              [0, 1],
            );
          },
        })
      : {
          name: 'second-device',
          what: 'the second of two devices runs out',
          kind: 'check',
          run: async () => {
            throw new Skip('this machine has one device');
          },
        },
    {
      name: 'cycles',
      what: 'reference cycles that hold tensors are found, with their bytes',
      kind: 'check',
      run: async (found, signal) => {
        const step = await wrapped(context, found, signal, { name: 'cycles', run: python('cycles.py') });
        found.same('exit code', step.report.main.code, 0);
        found.same('kinds of cycles', step.outputs['cycle-count'], '2');
        const { tensors, bytes } = step.manifest?.cycles ?? {};
        found.same('tensors and bytes they hold', [tensors, bytes], [3, { 'cuda:0': 28 * MIB }]);
        disarmed(found, step);
        found.say('2 kinds, 3 tensors, 28 MiB');
      },
    },
    {
      name: 'timeline',
      what: 'the timeline covers three steps of a training, by category',
      kind: 'check',
      run: async (found, signal) => {
        const step = await wrapped(context, found, signal, {
          name: 'timeline',
          run: python('steps.py'),
          inputs: { categories: 'timeline', 'timeline-steps': '3' },
        });
        found.same('exit code', step.report.main.code, 0);
        const timeline = step.manifest?.processes[0]?.timeline;
        found.same(
          'state, mode, steps',
          [timeline?.state, timeline?.mode, timeline?.steps],
          ['done', 'operations', 3],
        );
        const device = timeline?.devices.find((/** @type {any} */ one) => one.device.startsWith('cuda'));
        for (const point of [...(device?.points ?? []), ...(device ? [device.peak] : [])]) {
          const parts = /** @type {number[]} */ (Object.values(point.by_category));
          found.same(
            'sum of a point',
            parts.reduce((a, b) => a + b, 0),
            point.bytes,
          );
        }
        found.holds('there is a peak', device?.peak?.bytes > 0);
        disarmed(found, step);
        found.see({ peak: device?.peak, points: device?.points.length });
        found.say(`3 steps, ${device?.points.length} points, peak ${mib(device?.peak?.bytes ?? 0)}`);
      },
    },
    {
      name: 'parity',
      what: 'the parity check says a known word of this torch, and changes no outcome',
      kind: 'check',
      seconds: 90,
      run: async (found, signal) => {
        const step = await wrapped(context, found, signal, {
          name: 'parity',
          run: python('steps.py'),
          inputs: { parity: 'warn' },
        });
        found.same('exit code', step.report.main.code, 0);
        const word = step.outputs['parity'] ?? '';
        found.holds('a known word', ['match', 'drift', 'unverifiable'].includes(word), word);
        const { reason, result } = step.manifest?.parity ?? {};
        found.see({ parity: word, reason, result });
        found.say(`${word} on torch ${torch.torch}${reason ? `: ${reason}` : ''}`);
      },
    },
    {
      name: 'same-outcome',
      what: 'exit codes and output of four programs are the same with and without the action',
      kind: 'check',
      seconds: 90,
      run: async (found, signal) => {
        const run = 'source ./same.sh';
        const step = await wrapped(context, found, signal, { name: 'same', run });
        const plain = await bare(context, signal, { name: 'plain', run });
        found.same('exit code of the script', [step.report.main.code, plain.code], [0, 0]);
        const [ours, theirs] = [outcomeOf(step.workspace), outcomeOf(plain.workspace)];
        found.same('files', Object.keys(ours), Object.keys(theirs));
        for (const [file, text] of Object.entries(theirs)) {
          const said = ours[file] ?? '';
          if (file.endsWith('.err'))
            found.same(file, lasting(said, step.workspace), lasting(text, plain.workspace));
          else found.same(file, said, text);
        }
        const codes = ['green', 'fail', 'leave', 'grow'].map((name) => theirs[`${name}.code`]?.trim());
        found.same('codes without the action', codes, ['0', '1', '7', '1']);
        found.say(`codes ${codes.join(', ')} and all output equal`);
      },
    },
    {
      name: 'fork-after-import',
      what: 'importing torch does not initialise CUDA: fork works after it',
      kind: 'check',
      run: async (found, signal) => {
        const step = await wrapped(context, found, signal, { name: 'forking', run: python('forking.py') });
        found.same('exit code', step.report.main.code, 0);
        for (const line of ['initialised by the import: False', 'child: (3,)', 'parent: (3,)'])
          found.holds(`the program says "${line}"`, step.report.log.includes(line));
        disarmed(found, step);
        found.say('CUDA works in the child and in the parent');
      },
    },
    {
      name: 'strangers',
      what: 'what another process holds on the device is seen before the step',
      kind: 'check',
      alone: true,
      run: async (found, signal) => {
        if (spawnSync('nvidia-smi', ['-L'], { env: context.env }).status !== 0)
          throw new Skip('nvidia-smi is not here, or does not answer');
        const env = { OA_STANDIN_SHARED: join(context.work, 'ledger') };
        const size = Math.round((torch.devices[0]?.total ?? 0) / 16);
        const holder = await holdMemory(context, signal, size, env);
        try {
          const step = await wrapped(context, found, signal, {
            ...{ name: 'strangers', run: python('steps.py') },
            env,
          });
          found.same('exit code', step.report.main.code, 0);
          const before = step.manifest?.gpu.before;
          found.same('state', before?.state, 'seen');
          // Not by index: the tool numbers devices otherwise than torch where CUDA_VISIBLE_DEVICES is set.
          const devices = before?.devices ?? [];
          const held = devices.find((/** @type {any} */ device) => device.used >= size);
          found.holds('a device is seen that counts what is held', held !== undefined, devices);
          const total = torch.devices[0]?.total ?? 0;
          found.holds(
            "the tool's total is torch's within 5 %",
            Math.abs((held?.total ?? 0) / total - 1) < 0.05,
            held?.total,
          );
          const listed = before?.processes.find((/** @type {any} */ one) => one.pid === holder.pid);
          found.see({ before, listed: listed !== undefined });
          // In a container the tool may name pids of the host, or none.
          if (before?.pidsKnown && before.processes.length > 0)
            found.holds('the process is named', listed !== undefined, before.processes);
          found.say(
            listed
              ? `${mib(size)} of pid ${holder.pid} named`
              : 'the used bytes are seen; the tool does not name the process',
          );
        } finally {
          holder.end();
        }
      },
    },
    {
      name: 'compile',
      what: 'a program under torch.compile compiles and computes the same',
      kind: 'check',
      seconds: 120,
      run: async (found, signal) => {
        const env = (/** @type {string} */ cache) => ({
          TORCHINDUCTOR_CACHE_DIR: join(context.work, cache),
          TRITON_CACHE_DIR: join(context.work, `${cache}-triton`),
          // Workers of its own outlive a failed compilation by minutes.
          TORCHINDUCTOR_COMPILE_THREADS: '1',
        });
        const plain = await bare(context, signal, {
          ...{ name: 'compiled', run: python('compiled.py'), env: env('inductor-plain') },
        });
        if (plain.code !== 0 && !signal.aborted)
          throw new Skip(`torch.compile fails here without the action too: ${lastError(plain.stderr)}`);
        const step = await wrapped(context, found, signal, {
          ...{ name: 'compile', run: python('compiled.py'), env: env('inductor-ours') },
        });
        const said = (/** @type {string} */ text) => text.match(/^(graphs|loss) .*$/gm);
        found.same('exit code', step.report.main.code, 0);
        found.same('graphs and loss', said(step.report.log), said(plain.stdout));
        disarmed(found, step);
        found.say(said(plain.stdout)?.join(', ') ?? '');
      },
    },
    {
      name: 'outside-allocator',
      what: 'memory that cuBLAS, cuDNN, NCCL or a kernel asks the driver for, on a full device: what comes of it',
      kind: 'report',
      alone: true,
      seconds: 60,
      run: async (found, signal) => {
        const kinds = ['cublas', 'cudnn', 'kernel', ...(torch.nccl === null ? [] : ['nccl'])];
        const limit = Math.round(12 * context.patience);
        const run = `code=0; for kind in ${kinds.join(' ')}; do timeout -k 1 ${limit} "$PYTHON" outside.py $kind || code=1; done; exit $code`;
        const step = await wrapped(context, found, signal, {
          ...{ name: 'outside', run },
          inputs: { upload: 'false', cycles: 'off' },
        });
        const rows = jsonLines(step.report.log);
        const [headline = ''] = step.report.summary.split('\n');
        found.see({ rows, verdict: step.outputs['verdict'], headline });
        const failed = rows.filter(({ error }) => error !== null);
        found.say(
          failed.length === 0
            ? `${rows.length} of ${kinds.length} ended in time, none failed`
            : `${failed.map(({ kind, error }) => `${kind}: ${error}`).join(', ')}; verdict ${step.outputs['verdict']}`,
        );
      },
    },
    {
      name: 'peaks',
      what: "ten runs: the peaks are torch's own to the byte; their spread over the runs is printed",
      kind: 'check',
      seconds: 120,
      run: async (found, signal) => {
        const run = `seq 10 | xargs -P ${context.jobs} -I{} "$PYTHON" peaks.py`;
        const step = await wrapped(context, found, signal, { name: 'peaks', run });
        found.same('exit code', step.report.main.code, 0);
        const rows = jsonLines(step.report.log);
        found.same('runs', rows.length, 10);
        const spread = (/** @type {number[]} */ values) => ({
          least: Math.min(...values),
          most: Math.max(...values),
          spread: Math.max(...values) - Math.min(...values),
        });
        /** @type {Record<string, ReturnType<typeof spread>>} */
        const table = {};
        for (const name of ['transformer', 'both'])
          for (const kind of ['allocated', 'reserved'])
            table[`${name} ${kind}`] = spread(rows.map((row) => row[name][kind]));
        for (const { pid, both } of rows) {
          const process = step.manifest?.processes.find((/** @type {any} */ one) => one.pid === pid);
          const device = process?.devices[0];
          found.same(
            `peaks of pid ${pid}`,
            [device?.peak_allocated, device?.peak_reserved],
            [both.allocated, both.reserved],
          );
        }
        found.see({ spread: table });
        const widest = Math.max(...Object.values(table).map((one) => one.spread));
        found.say(`equal to torch's in ${rows.length} runs; widest spread over them ${widest} bytes`);
      },
    },
  ];
}
