/**
 * Programs that start where PYTHONPATH does not reach, through dist: never silent, never green by accident. Each is named with its
 * reason and the remedy in the summary, an annotation and the manifest. What the watch looks for is a library of torch's that is
 * mapped (mapped.ts); with OA_LONG=1 it is real torch's.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { cleanUp, freshFolder, plainPython, ROOT, runStep, type Step } from './kit.js';
import { mappedPython, mapTorch, seenProgram, stateFiles, temporary, torchLibrary } from './mapped.js';
import { REAL } from './recorded.js';

afterAll(cleanUp);
const MINUTES = 60_000;

// biome-ignore lint/suspicious/noExplicitAny: a manifest as JSON
type Json = any;

/** A torch that imports in a millisecond: what is reached has it on its path, and leaves a receipt. */
const TINY = join(ROOT, '__tests__', 'shim', 'tiny');
const tiny = (): Record<string, string> => (REAL ? {} : { PYTHONPATH: TINY });
/** Uses the GPU, where the shim and torch can be had. */
const USE = REAL
  ? "import torch\ntorch.zeros(1, device='cuda')\n"
  : `
try:
    import torch
    torch.cuda.init()
except ImportError:
    pass
`;

/**
 * A workspace with a program that has torch loaded in `job.py`, and the options of its step.
 * @param more lines of it @param among see mapped.ts
 */
function job(more = '', among = false) {
  const [workspace, temp] = [freshFolder(), temporary()];
  writeFileSync(join(workspace, 'job.py'), `${seenProgram(workspace, temp, among)}\n${more}\n`);
  return { workspace, python: mappedPython(), run: { temp } };
}

/** A Python of before 3.9 on this machine. */
function oldPython(): string | null {
  const root = join(homedir(), '.pyenv', 'versions');
  const name = existsSync(root) ? readdirSync(root).find((version) => version.startsWith('3.8.')) : undefined;
  return name === undefined ? null : join(root, name, 'bin', 'python');
}

/** The step is green, says so without a green mark, warns once, and names one program with this reason and remedy. */
function expectMissed(step: Step, reason: string, remedy: RegExp | string): void {
  const { report, manifest } = step;
  expect([report.main.code, manifest.verdict.name, manifest.processes]).toEqual([0, 'ok', []]);
  expect(manifest.unarmed.map((p: Json) => p.reason)).toEqual([reason]);
  const [missed] = manifest.unarmed;
  expect(missed.advice).toMatch(remedy);
  expect(report.annotations.map(({ level }) => level)).toEqual(['warning']);
  expect(report.annotations[0]?.message).toContain('PyTorch ran in this step out of reach');
  expect(report.annotations[0]?.message).toContain(
    `(pid ${missed.pid}) had torch loaded, but ${missed.advice}`,
  );
  expect(report.summary).toMatch(/^🟡/);
  expect(report.summary).toMatch(/Not seen/);
  expect(report.summary).toContain(`pid ${missed.pid}`);
}

describe('a program with torch that was not reached', () => {
  it.each<[string, string, string, RegExp]>([
    ['python -I', 'python -I job.py', 'isolated', /drop -I/],
    ['python -E', 'python -E job.py', 'ignore-environment', /drop -E/],
    [
      'python -S',
      `python -S -c 'import glob, sys; sys.path += glob.glob(sys.argv[1]); exec(open("job.py").read())' "$(dirname "$(which python)")/../lib/*/site-packages"`,
      'no-site',
      /drop -S/,
    ],
    [
      'a PYTHONPATH of its own',
      'export PYTHONPATH=$(pwd)\npython job.py',
      'pythonpath-replaced',
      /\$PWD:\$PYTHONPATH/,
    ],
    ['a cleared PYTHONPATH', 'make -s gpu', 'pythonpath-cleared', /leave it set/],
    ['env -i', 'env -i "$(which python)" job.py', 'environment-cleared', /hand PYTHONPATH on/],
    [
      'a sitecustomize in front',
      'PYTHONPATH="front:$PYTHONPATH" python job.py',
      'shadowed',
      /put that folder behind/,
    ],
    ['in the background', 'python -I job.py & wait', 'isolated', /drop -I/],
    ['through a shell of its own', 'timeout 60 setsid -w sh -c "python -I job.py"', 'isolated', /drop -I/],
  ])(
    '%s',
    async (_name, run, reason, remedy) => {
      const step = job();
      const { workspace } = step;
      writeFileSync(join(workspace, 'Makefile'), 'unexport PYTHONPATH\ngpu:\n\tpython job.py\n');
      mkdirSync(join(workspace, 'front'));
      writeFileSync(join(workspace, 'front', 'sitecustomize.py'), '');
      expectMissed(await runStep({ inputs: { run }, ...step }), reason, remedy);
    },
    MINUTES,
  );

  it(
    'tox, with the name of the environment in the remedy, which works',
    async () => {
      const options = { ...job(USE), noService: true };
      const { workspace, python } = options;
      writeFileSync(
        join(workspace, 'tox.ini'),
        [
          '[tox]',
          'no_package = true',
          '[testenv:gpu-311]',
          'skip_install = true',
          'pass_env = OTHER,OA_STANDIN_*',
          `allowlist_externals = ${python}`,
          `commands = ${python} job.py`,
        ].join('\n'),
      );
      const tox = { run: `'${plainPython()}' -m tox -q -e gpu-311` };
      const step = await runStep({ inputs: tox, ...options, env: tiny() });
      const remedy = 'TOX_OVERRIDE=testenv:gpu-311.pass_env+=PYTHONPATH';
      expectMissed(step, 'tox', /TOX_OVERRIDE=testenv:gpu-311\.pass_env\+=PYTHONPATH/);
      expect(step.manifest.script_hints.map((hint: Json) => hint.what)).toEqual(['tox']);

      const [name, ...value] = remedy.split('=');
      const temp = temporary();
      writeFileSync(join(workspace, 'job.py'), `${seenProgram(workspace, temp)}\n${USE}`);
      const again = await runStep({
        inputs: tox,
        ...options,
        run: { temp },
        env: { ...tiny(), [name as string]: value.join('=') },
      });
      expect([again.report.main.code, again.manifest.unarmed]).toEqual([0, []]);
      expect(again.manifest.processes).toHaveLength(1);
    },
    2 * MINUTES,
  );

  it(
    'a program that is no Python of its own',
    async () => {
      // As a frozen program or one in C++: its name is not python, and nothing of Python's start is read.
      const [workspace, temp] = [freshFolder(), temporary()];
      copyFileSync(realpathSync(plainPython()), join(workspace, 'trainer'));
      writeFileSync(join(workspace, 'job.py'), mapTorch(workspace, temp));
      const home = realpathSync(join(dirname(realpathSync(plainPython())), '..'));
      const step = await runStep({
        inputs: { run: './trainer -I job.py' },
        workspace,
        env: { PYTHONHOME: home, LD_LIBRARY_PATH: join(home, 'lib') },
        run: { temp },
      });
      expectMissed(step, 'not-python', /run the script with python/);
      expect(step.manifest.unarmed[0].program).toBe('trainer');
    },
    MINUTES,
  );

  it(
    'a torch whose import fails',
    async () => {
      const [workspace, temp] = [freshFolder(), temporary()];
      mkdirSync(join(workspace, 'torch'));
      writeFileSync(
        join(workspace, 'torch', '__init__.py'),
        `${mapTorch(workspace, temp)}\nraise ImportError('libcudart.so.13: cannot open shared object file')\n`,
      );
      const run = "python -c 'import torch' || true";
      expectMissed(
        await runStep({ inputs: { run }, workspace, python: plainPython(), run: { temp } }),
        'import-unfinished',
        /`import torch` had begun/,
      );
    },
    MINUTES,
  );

  const old = oldPython();
  (old === null ? it.skip : it)(
    old === null ? 'skipped: no Python 3.8 here' : 'a Python before 3.9',
    async () => {
      const [workspace, temp] = [freshFolder(), temporary()];
      writeFileSync(join(workspace, 'job.py'), mapTorch(workspace, temp));
      const run = `'${old}' job.py`;
      expectMissed(
        await runStep({ inputs: { run }, workspace, run: { temp } }),
        'old-python',
        /3\.9 or newer/,
      );
    },
    MINUTES,
  );
});

it(
  'a step of which a part was reached: the rest is named, and a policy to fail does not fail it',
  async () => {
    const run = 'python -I job.py &\npython -E job.py &\npython job.py\nwait';
    const { report, manifest } = await runStep({
      inputs: { run, 'if-no-torch': 'fail' },
      ...job(USE, true),
      env: tiny(),
    });
    expect(report.main.code).toBe(0);
    expect(manifest.processes.map((p: Json) => p.recorder.state)).toEqual(['disarmed']);
    expect(manifest.unarmed.map((p: Json) => p.reason).sort()).toEqual(['ignore-environment', 'isolated']);
    expect(report.summary).toMatch(/^🟡/);
    expect(report.summary).toMatch(/drop -I/);
    expect(report.summary).toMatch(/drop -E/);
    expect(report.annotations.map(({ level }) => level)).toEqual(['warning']);
    expect(report.annotations[0]?.message).toMatch(/^Not all of this step was recorded: .*1 other process/);
  },
  2 * MINUTES,
);

it(
  'a red step that was not reached keeps its code and says so all the same',
  async () => {
    const fail = REAL
      ? "torch.empty(1 << 40, dtype=torch.uint8, device='cuda')"
      : "raise MemoryError('torch.OutOfMemoryError')";
    const { report, outputs, manifest } = await runStep({
      inputs: { run: 'python -I job.py', 'if-no-torch': 'fail' },
      ...job(fail),
    });
    expect(report.main.code).toBe(1);
    expect(report.log).toContain('torch.OutOfMemoryError');
    expect([outputs['verdict'], outputs['oom-count']]).toEqual(['failed', '0']);
    expect(manifest.unarmed.map((p: Json) => p.reason)).toEqual(['isolated']);
    expect(report.summary).toMatch(/drop -I/);
    expect(report.annotations.map(({ level }) => level)).toEqual(['error', 'warning']);
  },
  MINUTES,
);

it(
  'a main that is killed has told what it knew: post names who was not reached and who was on the GPU before',
  async () => {
    const tools = join(ROOT, 'lab', 'standins', 'cuda', 'bin');
    const options = job('time.sleep(60)');
    const told = `grep -q '"sightings":.{"pid"' ${stateFiles(options.run.temp)}`;
    const step = await runStep({
      inputs: {
        run: `python -I job.py &\nuntil ${told}; do sleep 0.02; done\nkill -KILL $PPID\nsleep 60`,
      },
      ...options,
      env: {
        OA_STANDIN_OTHERS_BYTES: '192M',
        PATH: [tools, dirname(options.python), process.env['PATH']].join(delimiter),
      },
    });
    const { report } = step;
    expect(report.main.signal).toBe('SIGKILL');
    const manifest: Json = JSON.parse(readFileSync(report.post?.outputs['manifest'] ?? '', 'utf8'));
    expect(manifest.unarmed.map((p: Json) => p.reason)).toEqual(['isolated']);
    expect(report.summary).toMatch(/drop -I/);
    expect(manifest.gpu.before).toMatchObject({ state: 'seen', tool: 'nvidia-smi' });
    expect(manifest.gpu.before.devices[0].used).toBe(192 * 2 ** 20);
    expect(report.orphans).toEqual([]);
  },
  MINUTES,
);

it(
  'a process of the machine that has torch and is not of the step is nobody of ours',
  async () => {
    const load = REAL ? 'import torch' : `import ctypes; ctypes.CDLL('${torchLibrary(freshFolder())}')`;
    const other = spawn(
      mappedPython(),
      ['-I', '-c', `${load}\nimport time\nprint(1, flush=True)\ntime.sleep(60)`],
      {
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    try {
      await once(other.stdout, 'data');
      // Long enough for two looks.
      const { manifest } = await runStep({ inputs: { run: 'sleep 0.8' }, python: plainPython() });
      expect(manifest.unarmed).toEqual([]);
    } finally {
      other.kill('SIGKILL');
    }
  },
  MINUTES,
);

describe('no PyTorch in sight', () => {
  const plain = (run: string, policy = 'warn') =>
    runStep({ inputs: { run, 'if-no-torch': policy }, python: plainPython(), noService: true });

  it('is told from PyTorch out of reach, and how to be silent about it', async () => {
    const { report, manifest } = await plain('python -c "print(1)"');
    expect(manifest.unarmed).toEqual([]);
    expect(report.annotations[0]?.message).toMatch(/none was seen with torch loaded.*`if-no-torch: ignore`/);
    expect(report.summary).toMatch(/none was seen with torch loaded/);
    const silent = await plain('true', 'ignore');
    expect(silent.report.annotations).toEqual([]);
    expect(silent.report.summary).toMatch(/^⚪/);
  });

  it.each([
    ['docker', 'docker run --gpus all image python train.py', /container:/],
    ['sudo', 'sudo -E python train.py', /--preserve-env=PYTHONPATH/],
    ['srun', 'srun --ntasks=2 python train.py', /--export=ALL/],
    ['ray', 'ray job submit -- python train.py', /start it in the wrapped step/],
    ['su', 'su - user -c "python train.py"', /--whitelist-environment/],
    ['ssh', 'ssh gpu-07 python train.py', /another machine/],
  ])('%s in the text of the step is named with its remedy', async (what, command, remedy) => {
    const { report, manifest } = await plain(`true\nif false; then\n  ${command}\nfi`);
    expect(manifest.script_hints).toMatchObject([{ line: 3, what }]);
    expect(report.annotations[0]?.message).toMatch(remedy);
    expect(report.annotations[0]?.message).toMatch(new RegExp(`line 3 of the step uses ${what}`));
    expect(report.summary).toMatch(remedy);
    expect(report.summary.match(/[Ll]ine 3 of the step/g)).toHaveLength(1);
  });

  it('a program that hands work to others is seen though the text does not show it', async () => {
    const [workspace, temp] = [freshFolder(), temporary()];
    copyFileSync('/bin/sleep', join(workspace, 'docker'));
    const told = `grep -q '"carriers":."docker"' ${stateFiles(temp)}`;
    writeFileSync(
      join(workspace, 'Makefile'),
      `gpu:\n\t@chmod +x docker; ./docker 60 & until ${told}; do sleep 0.02; done; kill $$!\n`,
    );
    const { report } = await runStep({
      inputs: { run: 'make -s gpu' },
      workspace,
      noService: true,
      python: plainPython(),
      run: { temp },
    });
    expect(report.annotations[0]?.message).toMatch(/the step ran docker; .*docs\/reach\.md/);
    expect(report.summary).toMatch(/the step ran docker/);
  });
});
