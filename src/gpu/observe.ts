/**
 * Lists the GPUs with their memory, and every process that holds some. Run before and after the step, so that
 * memory of an earlier job is not attributed to the step (sgl-project/sglang#21180, huggingface/trl#5207).
 *
 * Without a tool on PATH this costs a search of PATH. A tool that fails, hangs or gives an unexpected answer
 * is reported and never fatal. Its output is untrusted text.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { noAnswer, runHelper } from '../step/helper.js';
import { processFacts } from '../step/proc.js';
import type { GpuDevice, GpuFacts, GpuProcess } from './parse.js';

/** A process as the tool lists it, and as it is found here. */
export interface ObservedProcess extends GpuProcess {
  /** When it started, in clock ticks since boot; null when no such process can be seen here. */
  readonly startTicks: number | null;
}

export const TOOLS = ['nvidia-smi', 'amd-smi', 'rocm-smi'] as const;
export type GpuTool = (typeof TOOLS)[number];

export type GpuObservation =
  | {
      readonly state: 'seen';
      readonly tool: GpuTool;
      readonly devices: readonly GpuDevice[];
      readonly processes: readonly ObservedProcess[];
      /**
       * False when none of the pids exists here: we are in a container and the tool shows pids of the host.
       */
      readonly pidsKnown: boolean;
      /** What could not be asked, or null. */
      readonly note: string | null;
      readonly seconds: number;
    }
  | { readonly state: 'absent'; readonly tool: null }
  | { readonly state: 'failed'; readonly tool: GpuTool; readonly reason: string; readonly seconds: number };

export interface ObserveOptions {
  /** For all questions to the tool together. */
  readonly timeoutMs: number;
  readonly env?: NodeJS.ProcessEnv;
  /** Where processes are listed (for tests). */
  readonly proc?: string;
}

const MAX_OUTPUT = 4 * 2 ** 20;

/**
 * The first of the tools on PATH. Only absolute entries: the step's workspace may hold a file of that name.
 */
function findTool(path: string): { readonly tool: GpuTool; readonly file: string } | null {
  const folders = path.split(delimiter).filter(isAbsolute);
  for (const tool of TOOLS) {
    for (const folder of folders) {
      const file = join(folder, tool);
      try {
        // Nearly always absent: an exception for each folder and tool would take 2 ms in all, twice a step.
        if (!statSync(file, { throwIfNoEntry: false })?.isFile()) continue;
        accessSync(file, constants.X_OK);
        return { tool, file };
      } catch {
        // not for us
      }
    }
  }
  return null;
}

type Ask = (...args: readonly string[]) => Promise<string>;

/** Runs the tool with arguments; rejects with one line. The deadline is one for all calls. */
function asker(file: string, env: NodeJS.ProcessEnv, until: number): Ask {
  return async (...args) => {
    const timeoutMs = Math.max(0, Math.round(until - performance.now()));
    const result = await runHelper({ file, args, env }, { timeoutMs, maxBytes: MAX_OUTPUT });
    if (result.kind !== 'ok') throw new Error(noAnswer(result));
    return result.stdout;
  };
}

interface Answers extends GpuFacts {
  readonly note: string | null;
}

/** Loaded where there is a tool. */
const parsers = () => import('./parse.js');

const message = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function askNvidia(ask: Ask): Promise<Answers> {
  const format = '--format=csv,noheader,nounits';
  const [devicesCsv, processesCsv] = await Promise.all([
    ask('--query-gpu=index,uuid,name,memory.total,memory.used,memory.free', format),
    ask('--query-compute-apps=gpu_uuid,pid,process_name,used_memory', format).catch(
      (error: unknown) => error,
    ),
  ]);
  const { parseNvidiaDevices, parseNvidiaProcesses } = await parsers();
  const devices = parseNvidiaDevices(devicesCsv);
  if (devices.length === 0) throw new Error('named no device');
  return typeof processesCsv === 'string'
    ? { devices, processes: parseNvidiaProcesses(processesCsv, devices), note: null }
    : { devices, processes: [], note: `the processes could not be asked for: ${message(processesCsv)}` };
}

async function askAmd(ask: Ask): Promise<Answers> {
  const none = (): string => '';
  const [statics, metric, process] = await Promise.all([
    ask('static', '--asic', '--json').catch(none),
    ask('metric', '--mem-usage', '--json'),
    ask('process', '--json').catch(none),
  ]);
  const { parseAmd } = await parsers();
  const facts = parseAmd(statics, metric, process);
  if (!facts) throw new Error('named no device');
  return { ...facts, note: process === '' ? 'the processes could not be asked for' : null };
}

async function askRocm(ask: Ask): Promise<Answers> {
  const { parseRocm } = await parsers();
  const facts = parseRocm(
    await ask('--showmeminfo', 'vram', '--showproductname', '--showuniqueid', '--showpids', '--json'),
  );
  if (!facts) throw new Error('named no device');
  return { ...facts, note: null };
}

const QUESTIONS: Readonly<Record<GpuTool, (ask: Ask) => Promise<Answers>>> = {
  'nvidia-smi': askNvidia,
  'amd-smi': askAmd,
  'rocm-smi': askRocm,
};

/** Asks the first tool there is. Never throws; done within `timeoutMs`. */
export async function observeGpus(options: ObserveOptions): Promise<GpuObservation> {
  const env = options.env ?? process.env;
  const found = findTool(env.PATH ?? '');
  if (!found) return { state: 'absent', tool: null };
  const started = performance.now();
  const seconds = (): number => Math.round(performance.now() - started) / 1000;
  try {
    const answers = await QUESTIONS[found.tool](asker(found.file, env, started + options.timeoutMs));
    const processes = answers.processes.map((process) => ({
      ...process,
      startTicks: processFacts(process.pid, options.proc)?.startTicks ?? null,
    }));
    const pidsKnown = processes.length === 0 || processes.some(({ startTicks }) => startTicks !== null);
    return { state: 'seen', tool: found.tool, ...answers, processes, pidsKnown, seconds: seconds() };
  } catch (error) {
    return { state: 'failed', tool: found.tool, reason: message(error), seconds: seconds() };
  }
}
