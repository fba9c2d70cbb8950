/**
 * Makes the Python environments that the tests and the demo run on, from nothing: `ensurePython`, or `node
 * lab/scripts/setup-python.mjs [cuda] [cpu] [tools]`, which prints the interpreters' paths as JSON in its
 * last line.
 *
 * - `cuda`: the CUDA build of torch over lab/standins/cuda; where a GPU is present, the same torch with
 *   nvidia's wheels.
 * - `cpu`: the torch whose categorizer the parity fixture was frozen from.
 * - `tools`: linters, act, and the programs that tests wrap.
 *
 * Each lies in `.setup/python-<kind>-<hash of all that it is made from>`. It is built there, under its final
 * name, since the scripts in an environment's bin folder hold its path; the file `.complete` is written last,
 * and a folder without it is thrown away and built again. Built-ins only, and no node_modules: this runs on a
 * fresh clone.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { ROOT, runMain, say, Unmet } from './lib.mjs';

/** Goes up when an environment must be built again though none of its inputs changed. */
const SCRIPT_VERSION = 1;

/** @typedef {'cuda' | 'cpu' | 'tools'} Kind */

/** The kinds, in the order they are made. */
export const KINDS = /** @type {const} */ (['cuda', 'cpu', 'tools']);

/**
 * Minor versions of Python 3 in the order they are looked for: the one CI uses first, then newest to oldest.
 */
const MINORS = [11, 13, 12, 10];

const STANDIN = 'lab/standins/cuda';

// ---- finding a Python -------------------------------------------------------------------------------------------

/** What a candidate interpreter says about itself; run with `-I -c`. */
const PROBE = `
import importlib.util, json, sys
print(json.dumps({"version": list(sys.version_info[:3]), "executable": sys.executable, "bits": sys.maxsize.bit_length() + 1,
                  "venv": all(importlib.util.find_spec(name) for name in ("venv", "ensurepip"))}))
`;

/** Paths of a program on PATH, in order. */
function onPath(name, env) {
  return (env.PATH ?? '')
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, name))
    .filter(isExecutable);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Interpreters that pyenv has installed of one minor version, newest first. */
function inPyenv(minor, env) {
  const folder = join(env.PYENV_ROOT || join(env.HOME || homedir(), '.pyenv'), 'versions');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.startsWith(`3.${minor}.`))
    .sort((a, b) => Number(b.split('.')[2]) - Number(a.split('.')[2]))
    .map((name) => join(folder, name, 'bin', 'python3'))
    .filter(isExecutable);
}

/** Paths worth trying, best first. */
export function candidates(env = process.env) {
  const versions = MINORS.flatMap((minor) => [...onPath(`python3.${minor}`, env), ...inPyenv(minor, env)]);
  return [...new Set([...versions, ...onPath('python3', env), '/usr/bin/python3'])];
}

/**
 * What an interpreter says about itself; null when it does not run (a pyenv shim of a version not selected,
 * say).
 */
function probe(path) {
  const { status, stdout } = spawnSync(path, ['-I', '-c', PROBE], { encoding: 'utf8' });
  try {
    return status === 0 ? JSON.parse(stdout) : null;
  } catch {
    return null;
  }
}

/**
 * The Python to make environments with.
 * @returns {{executable: string, version: string}}
 */
export function findPython(env = process.env) {
  const seen = [];
  for (const path of candidates(env)) {
    const found = probe(path);
    if (!found) continue;
    const version = found.version.join('.');
    const [major, minor] = found.version;
    if (major === 3 && MINORS.includes(minor) && found.bits === 64 && found.venv) {
      return { executable: found.executable, version };
    }
    seen.push({ path, version, minor, venv: found.venv, bits: found.bits });
  }
  const bare = seen.find((python) => MINORS.includes(python.minor) && python.bits === 64 && !python.venv);
  if (bare) {
    throw new Unmet(
      `${bare.path} (Python ${bare.version}) has no venv module. Install it: sudo apt-get install python3.${bare.minor}-venv`,
    );
  }
  const others = seen.map((python) => `${python.path} is ${python.version}`).join(', ');
  throw new Unmet(
    `Python 3.10 to 3.13, 64 bit, is needed${others ? ` (${others})` : ''}. Install it: sudo apt-get install python3.11 python3.11-venv`,
  );
}

// ---- what else the machine must have ----------------------------------------------------------------------------

/** Whether a physical GPU works here: then no stand-in is wanted. */
export function hasGpu() {
  if (!existsSync('/dev/nvidiactl')) return false;
  const { status, stdout } = spawnSync('nvidia-smi', ['-L'], { encoding: 'utf8' });
  return status === 0 && /^GPU \d/m.test(stdout);
}

/** Refuses, with the command that helps, where the stand-in could not be compiled. */
function requireCompiler() {
  const compiled = spawnSync('gcc', ['-x', 'c', '-fsyntax-only', '-'], {
    input: '#include <stdio.h>\n',
    encoding: 'utf8',
  });
  if (compiled.error) {
    throw new Unmet(
      `gcc is missing (the CUDA stand-in is compiled). Install it: sudo apt-get install gcc libc6-dev`,
    );
  }
  if (compiled.status !== 0) {
    throw new Unmet(
      `gcc finds no C headers. Install them: sudo apt-get install libc6-dev\n${compiled.stderr}`,
    );
  }
  for (const tool of ['readelf', 'nm']) {
    if (spawnSync(tool, ['--version']).error) {
      throw new Unmet(`${tool} is missing. Install it: sudo apt-get install binutils`);
    }
  }
}

/** Refuses where torch has no wheels that the stand-in could go under. */
function requireLinux() {
  if (process.platform !== 'linux') {
    throw new Unmet(
      `The tests and the demo need Linux (this is ${process.platform}): torch's CUDA build runs nowhere else.`,
    );
  }
}

// ---- running things ---------------------------------------------------------------------------------------------

/** The environment for pip and Python: nothing of the caller's own Python leaks in. */
function cleanEnv() {
  const env = { ...process.env, PIP_USER: '0', PIP_DISABLE_PIP_VERSION_CHECK: '1', PIP_NO_INPUT: '1' };
  for (const name of [
    'PYTHONPATH',
    'PYTHONHOME',
    'PYTHONSTARTUP',
    'PYTHONDONTWRITEBYTECODE',
    'PIP_TARGET',
    'PIP_PREFIX',
    'VIRTUAL_ENV',
  ]) {
    delete env[name];
  }
  return env;
}

function lastLines(text, count) {
  // pip warns of each index folder that has no such package: that is never why it failed.
  const lines = text
    .trimEnd()
    .split('\n')
    .filter((line) => !/^WARNING: Location .* is ignored/.test(line));
  return lines.slice(-count).join('\n');
}

/**
 * A worker, in Python: takes a lock, then runs the commands it reads (one JSON list a line) and answers each
 * with its exit code and output. When its standard input ends, so also when we were killed, it ends the
 * command first and lets go of the lock after: nobody then builds in a folder that an orphan still writes to.
 */
const WORKER = `
import fcntl, json, os, queue, signal, subprocess, sys, threading
def answer(*what):
    try:
        print(json.dumps(what), flush=True)
    except BrokenPipeError:
        os._exit(1)
lock = open(sys.argv[1], "a")
try:
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError:
    answer("waiting")
    fcntl.flock(lock, fcntl.LOCK_EX)
answer("held")
commands, running = queue.Queue(), []
def read():
    for line in sys.stdin:
        commands.put(json.loads(line))
    for child in running:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
    commands.put(None)
threading.Thread(target=read, daemon=True).start()
for command in iter(commands.get, None):
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True, errors="replace", start_new_session=True)
    running[:] = [child]
    output = child.communicate()[0]
    answer("done", child.returncode, output)
`;

/**
 * Runs `work` while no other set-up works on the same thing. The lock is the kernel's own and is gone with
 * its holder, so there are no stale ones. `work` gets a function that runs a program to its end; its failure
 * ends the set-up with the last lines of what it said.
 * @param {string} path of the lock
 * @param {string} python interpreter
 * @param {() => void} onWait called when another one holds the lock
 * @param {(must: (what: string, command: string[]) => Promise<void>) => Promise<void>} work
 */
async function locked(path, python, onWait, work) {
  // In a session of its own: Ctrl-C is for us, and our end is its end.
  const worker = spawn(python, ['-I', '-c', WORKER, path], {
    env: cleanEnv(),
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const closed = new Promise((resolve) => worker.on('close', resolve));
  // A worker that is gone shows in its missing answer.
  worker.stdin.on('error', () => {});
  const answers = createInterface({ input: worker.stdout })[Symbol.asyncIterator]();
  const answer = async () => {
    const { value, done } = await answers.next();
    if (done) throw new Unmet(`the worker that holds ${path} ended`);
    return JSON.parse(value);
  };
  const must = async (what, command) => {
    worker.stdin.write(`${JSON.stringify(command)}\n`);
    const [, code, output] = await answer();
    if (code !== 0) throw new Unmet(`${what} failed (exit code ${code}):\n${lastLines(output, 25)}`);
  };
  try {
    if ((await answer())[0] === 'waiting') {
      onWait();
      await answer();
    }
    await work(must);
  } finally {
    worker.stdin.end();
    await closed;
  }
}

// ---- the environments -------------------------------------------------------------------------------------------

/** Files below a folder that decide what the stand-in becomes. */
function standinSources(root) {
  const folder = join(root, STANDIN, 'src');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.[ch]$/.test(name),
  );
  return [join(STANDIN, 'build.py'), ...sources.sort().map((name) => join(STANDIN, 'src', name))];
}

/**
 * What an environment is made of.
 * @returns {{title: string, noDeps: string[], withDeps: string[], standin: boolean, devices: number | null,
 *   check: string}} requirement files, whether the stand-in may be needed, its fixed number of devices, and
 *   code that must run in the end
 */
function recipe(kind, gpu) {
  const tests = 'lab/requirements/test.txt';
  switch (kind) {
    case 'cuda':
      return {
        title: gpu
          ? "torch 2.14.1 with nvidia's wheels, for the GPU of this machine"
          : 'torch 2.14.1, CUDA build, 1.3 GB',
        noDeps: gpu ? [tests] : ['lab/requirements/torch-cuda.txt', tests],
        withDeps: gpu ? ['lab/requirements/torch-cuda-gpu.txt'] : [],
        standin: !gpu,
        devices: null,
        check: `import numpy, torch, torch._inductor, torch.utils.viz._cycles
assert torch.cuda.is_available(), "no CUDA device"
torch.zeros(1, device="cuda")`,
      };
    case 'cpu':
      return {
        title: 'torch 2.13.0 for the CPU',
        noDeps: ['lab/requirements/torch-cpu.txt', tests],
        withDeps: [],
        standin: true,
        devices: 0,
        check: `import numpy, torch, torch.profiler._memory_profiler
assert not torch.cuda.is_available(), "a CUDA device"
torch.nn.Linear(2, 2)(torch.zeros(1, 2)).sum().backward()`,
      };
    case 'tools':
      return {
        title: 'linters, act and the programs that tests wrap',
        noDeps: ['lab/requirements/tools.txt'],
        withDeps: [],
        standin: false,
        devices: null,
        check: 'import jsonschema, pytest',
      };
    default:
      throw new Unmet(`no such environment: ${kind}; there are ${KINDS.join(', ')}`);
  }
}

/** Requirement files a set of them takes in with `-r`, themselves too. */
function withIncluded(root, files) {
  return files.flatMap((file) => {
    const included = [...readFileSync(join(root, file), 'utf8').matchAll(/^-r +(\S+)/gm)];
    return [
      file,
      ...withIncluded(
        root,
        included.map((match) => join('lab/requirements', match[1])),
      ),
    ];
  });
}

/** Hash of all that an environment is made from. */
function keyOf(root, kind, plan, gpu, python) {
  const files = withIncluded(root, [...plan.noDeps, ...plan.withDeps]);
  if (plan.standin) files.push('lab/requirements/cuda-headers.txt', ...standinSources(root));
  const hash = createHash('sha256');
  hash.update(
    JSON.stringify([
      SCRIPT_VERSION,
      kind,
      gpu,
      process.arch,
      python.version,
      realpathSync(python.executable),
    ]),
  );
  for (const file of files) hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 12);
}

/** Makes one environment in a folder that is not there yet. */
async function make(root, folder, plan, python, log, must) {
  const interpreter = join(folder, 'bin', 'python');
  const pip = [interpreter, '-m', 'pip', 'install', '--quiet', '--no-compile', '--progress-bar', 'off'];
  const requirements = (files) => files.flatMap((file) => ['-r', join(root, file)]);

  log(`Python ${python.version} (${python.executable}) …`);
  await must('python -m venv', [python.executable, '-m', 'venv', folder]);

  log(`${plan.title} …`);
  if (plan.withDeps.length > 0) await must('pip install', [...pip, ...requirements(plan.withDeps)]);
  await must('pip install', [...pip, '--no-deps', ...requirements(plan.noDeps)]);

  if (plan.standin && needsCudaLibraries(folder)) {
    requireCompiler();
    log('compiling the CUDA stand-in …');
    const headers = [
      '--no-deps',
      '--target',
      join(folder, 'cuda-headers'),
      ...requirements(['lab/requirements/cuda-headers.txt']),
    ];
    await must('pip install', [...pip, ...headers]);
    const fixed = plan.devices === null ? [] : ['--devices', String(plan.devices)];
    await must('the CUDA stand-in', [interpreter, join(root, STANDIN, 'build.py'), ...fixed]);
  }
  log('checking it …');
  await must('the check of the new environment', [interpreter, '-c', plan.check]);
  writeFileSync(join(folder, '.complete'), '');
}

/** Whether the torch that was installed is a CUDA build. */
function needsCudaLibraries(folder) {
  const lib = join(folder, 'lib');
  return readdirSync(lib).some((name) =>
    existsSync(join(lib, name, 'site-packages/torch/lib/libtorch_cuda.so')),
  );
}

/** Throws away what an environment of the same kind was before its inputs changed. */
function removeOthers(setup, kind, keep) {
  for (const name of readdirSync(setup)) {
    if (name.startsWith(`python-${kind}-`) && name !== keep)
      rmSync(join(setup, name), { recursive: true, force: true });
  }
}

/** One environment, made when it is not there. */
async function ensureOne(root, kind, python, gpu, log) {
  const plan = recipe(kind, gpu);
  const setup = join(root, '.setup');
  const name = `python-${kind}-${keyOf(root, kind, plan, gpu, python)}`;
  const folder = join(setup, name);
  const interpreter = join(folder, 'bin', 'python');
  const complete = () => existsSync(join(folder, '.complete')) && isExecutable(interpreter);
  if (complete()) return interpreter;

  const tell = (line) => log(`set-up: python ${kind}: ${line}`);
  // Said before anything is downloaded, not after; the CPU build of some indexes needs none, so it is not
  // asked there.
  if (plan.standin && plan.devices === null) requireCompiler();
  mkdirSync(setup, { recursive: true });
  const wait = () => tell('another set-up is at work on it, waiting …');
  await locked(join(setup, `python-${kind}.lock`), python.executable, wait, async (must) => {
    if (complete()) return;
    const started = performance.now();
    rmSync(folder, { recursive: true, force: true });
    await make(root, folder, plan, python, tell, must);
    removeOthers(setup, kind, name);
    tell(`done in ${Math.round((performance.now() - started) / 1000)} s (${relative(root, folder)})`);
  });
  return interpreter;
}

/**
 * Makes the environments that are not there yet.
 * @param {{root?: string, log?: (line: string) => void, which?: readonly Kind[]}} options
 * @returns {Promise<Partial<Record<Kind, string>>>} absolute paths of their interpreters
 */
export async function ensurePython({ root = ROOT, log = say, which = KINDS } = {}) {
  requireLinux();
  const python = findPython();
  const gpu = hasGpu();
  const made = await Promise.allSettled(which.map((kind) => ensureOne(root, kind, python, gpu, log)));
  const failed = made.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  return Object.fromEntries(which.map((kind, index) => [kind, made[index].value]));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await runMain(async () => {
    const which = process.argv.slice(2);
    console.log(JSON.stringify(await ensurePython(which.length > 0 ? { which } : {})));
    return 0;
  });
}
