/**
 * Runs programs of the check, wrapped by the action as GitHub's runner would run it, or bare; each ends with
 * its part.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { at, loadStandins, ROOT } from './paths.mjs';

/** Settings of the stand-in device; without effect on a physical GPU. */
export const STANDIN_ENV = { OA_STANDIN_TOTAL_BYTES: '4G', OA_STANDIN_ZERO_D2H: '64' };

/**
 * @typedef {object} Context what all parts share
 * @property {import('./machine.mjs').Torch} torch
 * @property {NodeJS.ProcessEnv} env
 * @property {string} work folder for everything that is written
 * @property {number} jobs parts that run side by side
 * @property {number} patience by how much every time limit is stretched
 */
/**
 * @typedef {object} Step a finished wrapped step
 * @property {any} report of the stand-in runner
 * @property {Record<string, string>} outputs
 * @property {any} manifest
 * @property {{name: string, digest: string | null, dir: string, files: string[]} | null} artifact unzipped
 * @property {string | null} page the report page
 * @property {string} workspace
 */

const standins = await loadStandins();

/**
 * The environment of a program: the caller's, less what belongs to a job.
 * @param {Record<string, string>} more
 */
export const programEnv = (more) => ({
  ...standins.cleanEnv(process.env),
  ...STANDIN_ENV,
  // The artifact service is on loopback, whatever proxy this machine has.
  NO_PROXY: '127.0.0.1',
  no_proxy: '127.0.0.1',
  ...more,
});

/** A new folder with the programs and the example in it. @param {Context} context @param {string} name */
function workspaceOf(context, name) {
  const folder = mkdtempSync(join(context.work, `${name}-`));
  const workspace = join(folder, 'work space');
  mkdirSync(workspace);
  for (const program of readdirSync(at('programs')).filter((name) => /\.(py|sh)$/.test(name)))
    copyFileSync(at('programs', program), join(workspace, program));
  copyFileSync(at('example'), join(workspace, basename(at('example'))));
  return { folder, workspace };
}

/** @param {string} path */
export const sha256 = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');

/**
 * Runs the action once, with an artifact service, and ends what is left of it when the part's time is up. In
 * the script, "$PYTHON" is the interpreter.
 * @param {Context} context @param {import('./results.mjs').Findings} found @param {AbortSignal} signal
 * @param {{name: string, run: string, inputs?: Record<string, string>, env?: Record<string, string>}} options
 * @returns {Promise<Step>}
 */
export async function wrapped(context, found, signal, { name, run, inputs = {}, env = {} }) {
  const { folder, workspace } = workspaceOf(context, name);
  const service = await standins.startService({ dir: join(folder, 'service'), maxSeconds: 600 });
  try {
    const report = await standins.runAction({
      actionDir: ROOT,
      workspace,
      temp: join(folder, 'runner temp'),
      baseEnv: { ...context.env, ...env },
      env: { PYTHON: context.torch.executable, ...service.env },
      inputs: { run, parity: 'off', ...inputs },
      cancelAfter: signal,
      cancelStyle: 'act',
    });
    found.log = report.log;
    const uploaded = service.artifacts().filter(({ state }) => state === 'finalized');
    const page = uploaded.find(({ mime }) => mime === 'text/html')?.path;
    const zip = uploaded.find(({ mime }) => mime === 'application/zip');
    const manifest = report.outputs['manifest'];
    return {
      ...{ report, outputs: report.outputs, workspace },
      manifest: manifest && existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')) : null,
      artifact: zip ? unzip(context, zip, join(folder, 'artifact')) : null,
      page: page ? readFileSync(page, 'utf8') : null,
    };
  } finally {
    await service.close();
  }
}

/** @param {Context} context @param {any} artifact @param {string} dir */
function unzip(context, artifact, dir) {
  mkdirSync(dir);
  const done = spawnSync(context.torch.executable, ['-I', '-m', 'zipfile', '-e', artifact.path, dir], {
    encoding: 'utf8',
  });
  if (done.status !== 0) throw new Error(`the artifact cannot be unzipped: ${done.stderr}`);
  return { name: artifact.name, digest: artifact.digest, dir, files: readdirSync(dir).sort() };
}

/**
 * Runs a script without the action, in a process group of its own that ends with the part.
 * @param {Context} context @param {AbortSignal} signal
 * @param {{name: string, run: string, env?: Record<string, string>}} options
 * @returns {Promise<{code: number | null, stdout: string, stderr: string, workspace: string}>}
 */
export function bare(context, signal, { name, run, env = {} }) {
  const { workspace } = workspaceOf(context, name);
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['--noprofile', '--norc', '-e', '-o', 'pipefail', '-c', run], {
      cwd: workspace,
      env: { ...context.env, PYTHON: context.torch.executable, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const end = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // gone already
      }
    };
    signal.addEventListener('abort', end, { once: true });
    /** @type {{stdout: Buffer[], stderr: Buffer[]}} */
    const said = { stdout: [], stderr: [] };
    child.stdout.on('data', (chunk) => said.stdout.push(chunk));
    child.stderr.on('data', (chunk) => said.stderr.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      signal.removeEventListener('abort', end);
      const text = (/** @type {Buffer[]} */ chunks) => Buffer.concat(chunks).toString('utf8');
      resolve({ code, stdout: text(said.stdout), stderr: text(said.stderr), workspace });
    });
  });
}

/**
 * The JSON that a program printed, one object a line, other lines left out.
 * @param {string} text
 * @returns {any[]}
 */
export const jsonLines = (text) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
