/**
 * What the end-to-end tests share: the built action (dist) run as GitHub's runner would, with a real artifact
 * service on loopback, a RUNNER_TEMP with a blank and non-ASCII letters in its path, and the torch that the set-up
 * made (on the physical GPU where there is one, else over the stand-in device).
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { type RunReport, runAction } from '../../lab/standins/runner/runner.mjs';
import { startService } from '../../lab/standins/service/service.mjs';

export const ROOT = join(import.meta.dirname, '..', '..');

/** An interpreter of the set-up, by environment variable. */
function interpreter(variable: string): string {
  const path = process.env[variable];
  if (!path) throw new Error(`${variable} is not set: run these tests with \`npm test\``);
  return path;
}

/** CUDA build of torch. */
export const cudaPython = (): string => interpreter('OA_PYTHON_CUDA');
/** CPU build of torch. */
export const cpuPython = (): string => interpreter('OA_PYTHON_CPU');
/** An interpreter without torch. */
export const plainPython = (): string => interpreter('OA_PYTHON_TOOLS');
/** Node 24, on which action.yml says the action runs. */
export const node24 = (): string => process.env['OA_NODE'] ?? process.execPath;

/** What a test may set. */
export interface StepOptions {
  readonly inputs: Readonly<Record<string, string>>;
  /** Device memory of the stand-in. */
  readonly total?: string;
  readonly devices?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Interpreter that `python` means in the step. */
  readonly python?: string;
  readonly workspace?: string;
  readonly service?: Parameters<typeof startService>[0]['faults'];
  /** Gets the service before the action starts. */
  readonly onService?: (service: Awaited<ReturnType<typeof startService>>) => void;
  readonly run?: Partial<Parameters<typeof runAction>[0]>;
  /** No artifact service is offered at all. */
  readonly noService?: boolean;
}

/** An uploaded artifact, unzipped. */
export interface Unzipped {
  readonly name: string;
  readonly digest: string | null;
  readonly dir: string;
  readonly files: readonly string[];
}

/** A finished run of the action. */
export interface Step {
  readonly report: RunReport;
  readonly outputs: Readonly<Record<string, string>>;
  readonly temp: string;
  readonly artifacts: readonly Unzipped[];
  /** Pages that were uploaded as they are. */
  readonly pages: readonly { readonly name: string; readonly html: string }[];
  /** The manifest on disk, as JSON; null when there is none (or not under that path, for a run in another root). */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at many places of it
  readonly manifest: any;
  /** Calls that the artifact service got. */
  readonly calls: readonly string[];
}

const made: string[] = [];

/** Removes what the tests of a file have made. */
export function cleanUp(): void {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
}

/** A new folder, with a blank and non-ASCII letters in its name unless told otherwise. */
export function freshFolder(prefix = 'oom äutopsy '): string {
  const path = mkdtempSync(join(tmpdir(), prefix));
  made.push(path);
  return path;
}

/** Settings of the stand-in device; without effect on a physical GPU. */
export const deviceEnv = (total = '256M', devices = 1): Record<string, string> => ({
  OA_STANDIN_TOTAL_BYTES: total,
  OA_STANDIN_DEVICES: String(devices),
  OA_STANDIN_ZERO_D2H: '64',
});

export const sha256 = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

/** Runs the action once. `parity` is off unless the test asks for it: it takes ten seconds. */
export async function runStep(options: StepOptions): Promise<Step> {
  const root = freshFolder();
  const service = options.noService
    ? null
    : await startService({
        dir: join(root, 'service'),
        maxSeconds: 600,
        ...(options.service ? { faults: options.service } : {}),
      });
  if (service) options.onService?.(service);
  try {
    const python = options.python ?? cudaPython();
    const workspace = options.workspace ?? join(root, 'workspace');
    mkdirSync(workspace, { recursive: true });
    const temp = options.run?.temp ?? join(root, 'temp');
    const report = await runAction({
      actionDir: ROOT,
      workspace,
      temp,
      node: node24(),
      inputs: { parity: 'off', ...options.inputs },
      env: {
        PATH: `${dirname(python)}${delimiter}${process.env['PATH']}`,
        ...deviceEnv(options.total, options.devices),
        ...service?.env,
        ...options.env,
      },
      ...options.run,
      // Not the runner's five seconds: a main that was killed leaves its output to the step's processes, and nothing more comes.
      graces: { streams: 500, ...options.run?.graces },
    });
    const uploaded = (service?.artifacts() ?? []).filter((artifact) => artifact.state === 'finalized');
    const pages = uploaded
      .filter((artifact) => artifact.mime === 'text/html')
      .map(({ name, path }) => ({ name, html: readFileSync(path as string, 'utf8') }));
    const artifacts = uploaded
      .filter((artifact) => artifact.mime === 'application/zip')
      .map((artifact) => {
        const dir = join(root, `artifact-${artifact.id}`);
        mkdirSync(dir);
        const unzip = spawnSync(cudaPython(), ['-m', 'zipfile', '-e', artifact.path as string, dir]);
        if (unzip.status !== 0) throw new Error(String(unzip.stderr));
        return { name: artifact.name, digest: artifact.digest, dir, files: readdirSync(dir).sort() };
      });
    const manifestPath = report.outputs['manifest'];
    return {
      report,
      outputs: report.outputs,
      temp,
      artifacts,
      pages,
      manifest:
        manifestPath && existsSync(manifestPath) ? JSON.parse(readFileSync(manifestPath, 'utf8')) : null,
      calls: service?.calls().map(({ call }) => call) ?? [],
    };
  } finally {
    await service?.close();
  }
}
