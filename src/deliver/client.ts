/**
 * Runs the uploading process (worker.ts) with a deadline that holds: when it is reached the process is killed, and with it
 * its sockets, retries and threads. Its output is not ours to print: progress is counted from it, secrets it asks the runner to mask are
 * passed on, the rest is dropped.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { eachLine } from '../step/helper.js';
import { oneLine } from './reasons.js';
import type { UploadAnswer, UploadJob } from './worker.js';

export interface UploadPorts {
  /** Path of the built worker. */
  readonly worker: string;
  /** Environment with the runner's ACTIONS_* variables. */
  readonly env: NodeJS.ProcessEnv;
  /** Bytes uploaded so far. */
  readonly onProgress?: (bytes: number) => void;
  /** Gets `::add-mask::…` lines, which must reach the runner as they are. */
  readonly onMask?: (line: string) => void;
  readonly signal?: AbortSignal;
}

export interface UploadRequest extends Omit<UploadJob, 'secrets'> {
  /** Open descriptors of `files`, in their order: the uploading process reads these, whatever their names lead to by then. */
  readonly descriptors: readonly number[];
}

/** Blocks the client holds in memory: 8 MiB each, and about three copies of each on their way. */
const CONCURRENCY = '3';
/**
 * Blocks that were sent are garbage outside of V8's heap, and V8 is in no hurry with them while its own heap may grow: 512 MiB
 * at level 0 peaked at 137 MiB resident with these bounds and at 179 to 196 MiB without. The client's own heap is about 30 MiB.
 */
const NODE_FLAGS = ['--max-semi-space-size=2', '--max-old-space-size=96'];
const TOKEN = 'ACTIONS_RUNTIME_TOKEN';
const LOOPBACK = ['localhost', '127.0.0.1', '::1', '[::1]'];

/**
 * The worker's environment. A proxy must not get what is meant for loopback (a runner's own relay; the stand-in service):
 * the service client knows that by itself, the blob client does not.
 */
export function workerEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const result: NodeJS.ProcessEnv = { ...env };
  if (!result.ACTIONS_ARTIFACT_UPLOAD_CONCURRENCY) result.ACTIONS_ARTIFACT_UPLOAD_CONCURRENCY = CONCURRENCY;
  const proxied = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].some(
    (name) => env[name] || env[name.toLowerCase()],
  );
  if (proxied) {
    const given = [env.NO_PROXY, env.no_proxy].flatMap((list) => (list ? list.split(',') : []));
    const list = [...new Set([...given.map((entry) => entry.trim()), ...LOOPBACK])].filter(
      (entry) => entry !== '',
    );
    result.NO_PROXY = list.join(',');
    result.no_proxy = result.NO_PROXY;
  }
  return result;
}

const stopped = (message: string): UploadAnswer => ({
  ok: false,
  name: 'Stopped',
  message,
  code: null,
  status: null,
});

const SECRET = /^(ACTIONS_.*TOKEN|INPUT_.*|GITHUB_STATE|STATE_.*)$/;

/** The worker's environment in two parts: what /proc may show of it, and what goes by a message. */
function parted(env: NodeJS.ProcessEnv): {
  readonly shown: NodeJS.ProcessEnv;
  readonly token: string | undefined;
} {
  const shown = Object.fromEntries(Object.entries(env).filter(([name]) => !SECRET.test(name)));
  return { shown, token: env[TOKEN] };
}

/** Uploads; resolves at the deadline at the latest and never rejects. Nothing of it runs on afterwards. */
export function upload(
  request: UploadRequest,
  ports: UploadPorts,
  deadlineMs: number,
): Promise<UploadAnswer> {
  return new Promise((resolve) => {
    const { shown, token } = parted(workerEnvironment(ports.env));
    let trouble = '';
    let child: ChildProcess | undefined;
    let timer: NodeJS.Timeout | undefined;
    const finish = (result: UploadAnswer): void => {
      clearTimeout(timer);
      ports.signal?.removeEventListener('abort', onAbort);
      // SIGKILL whatever the answer: the client may keep sockets alive for minutes.
      child?.kill('SIGKILL');
      child?.unref();
      child?.channel?.unref();
      child?.stdout?.destroy();
      child?.stderr?.destroy();
      resolve(result);
    };
    const onAbort = (): void => finish(stopped('cancelled'));
    if (ports.signal?.aborted) return onAbort();
    ports.signal?.addEventListener('abort', onAbort, { once: true });
    timer = setTimeout(() => {
      const last = trouble === '' ? '' : `; last trouble: ${trouble}`;
      finish(stopped(`no end after ${Math.round(deadlineMs / 1000)} s: stopped${last}`));
    }, deadlineMs);
    try {
      child = spawn(process.execPath, [...NODE_FLAGS, ports.worker], {
        env: shown,
        stdio: ['ignore', 'pipe', 'pipe', 'ipc', ...request.descriptors],
      });
    } catch (error) {
      return finish(stopped(`the uploading process did not start: ${oneLine(String(error))}`));
    }
    child.on('error', (error) =>
      finish(stopped(`the uploading process did not start: ${oneLine(error.message)}`)),
    );
    child.on('message', (answer) => finish(answer as UploadAnswer));
    child.on('exit', (code, signal) =>
      finish(
        stopped(`the uploading process ended (${signal ?? code})${trouble === '' ? '' : `: ${trouble}`}`),
      ),
    );
    eachLine(child.stdout, (line) => {
      const progress = /^Uploaded bytes ([0-9]+)$/.exec(line);
      if (progress) ports.onProgress?.(Number(progress[1]));
      else if (line.startsWith('::add-mask::')) ports.onMask?.(line);
      else if (/^Attempt [0-9]+ of [0-9]+ failed/.test(line))
        trouble = oneLine(line.replace(/ Retrying.*/, ''));
    });
    eachLine(child.stderr, (line) => {
      if (line.trim() !== '') trouble = oneLine(line);
    });
    const { descriptors: _held, ...job } = request;
    const secrets: Record<string, string> = token === undefined ? {} : { [TOKEN]: token };
    child.send({ ...job, secrets } satisfies UploadJob, (error) => {
      if (error) finish(stopped(`the uploading process did not answer: ${oneLine(error.message)}`));
    });
  });
}
