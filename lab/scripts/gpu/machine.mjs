/** What the check runs on: the interpreter with torch, the devices, the driver, the machine. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { arch, availableParallelism, release, totalmem } from 'node:os';
import { at } from './paths.mjs';

/** A machine that cannot be checked, with the reason. */
export class Unfit extends Error {}

/** Asked of nvidia-smi where it answers; the stand-in's knows fewer. */
const SMI_FIELDS = [
  'driver_version',
  'mig.mode.current',
  'persistence_mode',
  'compute_mode',
  'ecc.mode.current',
];

/**
 * @typedef {object} Torch what programs/probe.py prints
 * @property {string} executable @property {string} python
 * @property {string} torch
 * @property {string | null} cuda
 * @property {number | null} cudnn
 * @property {string | null} nccl
 * @property {boolean} standin torch runs over the stand-in runtime
 * @property {{index: number, name: string, total: number, free: number, capability: string}[]} devices
 */

/** @param {string} python @param {Record<string, string>} env @returns {Torch | string} why not */
function probe(python, env) {
  const { status, stdout, stderr, error } = spawnSync(python, [at('programs', 'probe.py')], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    timeout: 120_000,
  });
  if (error) return error.message;
  try {
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  } catch {
    return (stderr || stdout).trim().split('\n').at(-1) || `exit code ${status}`;
  }
}

/**
 * The interpreter that was named, or the first of python3 and python that has torch and a device.
 * @param {string | undefined} named @param {Record<string, string>} env @returns {Torch}
 */
export function findTorch(named, env) {
  const reasons = [];
  for (const python of named === undefined ? ['python3', 'python'] : [named]) {
    const found = probe(python, env);
    if (typeof found === 'string') reasons.push(`${python}: ${found}`);
    else if (found.devices.length === 0) reasons.push(`${python}: torch ${found.torch} sees no CUDA device`);
    else return found;
  }
  throw new Unfit(`no Python with torch and a device (${reasons.join('; ')}). Name one with --python.`);
}

/**
 * Answers of nvidia-smi for each device; null where there is none, or it does not answer.
 * @param {NodeJS.ProcessEnv} env
 */
function askSmi(env) {
  const asked = spawnSync(
    'nvidia-smi',
    [`--query-gpu=${SMI_FIELDS.join(',')}`, '--format=csv,noheader,nounits'],
    { encoding: 'utf8', env, timeout: 30_000 },
  );
  if (asked.status !== 0) return null;
  return asked.stdout
    .trim()
    .split('\n')
    .map((line) => {
      const values = line.split(',').map((value) => value.trim());
      return Object.fromEntries(SMI_FIELDS.map((field, index) => [field, values[index] ?? null]));
    });
}

/** The driver's own version, where nvidia-smi is missing. */
function driverFromProc() {
  try {
    const text = readFileSync('/proc/driver/nvidia/version', 'utf8');
    return /Kernel Module\s+(?:for \S+\s+)?([\d.]+)/.exec(text)?.[1] ?? null;
  } catch {
    return null;
  }
}

function osName() {
  try {
    return /^PRETTY_NAME="?([^"\n]*)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? null;
  } catch {
    return null;
  }
}

/** All that is said of the machine beside the results. @param {Torch} torch @param {NodeJS.ProcessEnv} env */
export function describe(torch, env) {
  const smi = askSmi(env);
  return {
    device: torch.standin ? 'stand-in' : 'physical',
    gpus: torch.devices.map((device) => ({ ...device, ...smi?.[device.index] })),
    driver: smi?.[0]?.['driver_version'] ?? driverFromProc(),
    torch: torch.torch,
    cuda: torch.cuda,
    cudnn: torch.cudnn,
    nccl: torch.nccl,
    python: torch.python,
    os: osName(),
    kernel: release(),
    arch: arch(),
    cpus: availableParallelism(),
    memory: totalmem(),
    container: existsSync('/.dockerenv') || existsSync('/run/.containerenv'),
    node: process.versions.node,
  };
}
