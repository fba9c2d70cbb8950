/**
 * The parity gate on dist: the built-in fixture on both builds of torch, a fixture of the user's that matches and drifts,
 * inputs that cannot be used. What hangs, crashes and lies is in __tests__/unit/parity-check.test.ts.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  cleanUp,
  cpuPython,
  cudaPython,
  deviceEnv,
  freshFolder,
  plainPython,
  ROOT,
  runStep,
  type Step,
  type StepOptions,
} from './kit.js';

afterAll(cleanUp);
const MINUTES = 60_000;
const soak = process.env['OA_SOAK'] ? it : it.skip;

const PARITY = join(ROOT, 'python', 'parity', 'oom_autopsy_parity');

/** A step that has nothing to do with torch; the interpreter for the check is named. */
const plain = (
  workspace: string,
  inputs: Record<string, string>,
  env: Record<string, string> = {},
  run: NonNullable<StepOptions['run']> = {},
) =>
  runStep({
    run,
    python: plainPython(),
    noService: true,
    workspace,
    env,
    inputs: { run: 'true', 'if-no-torch': 'ignore', parity: 'fail', ...inputs },
  });

async function until(holds: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 600 && !holds(); tries++) await setTimeout(50);
  return holds();
}

const warnings = ({ report }: Step) => report.annotations.filter(({ level }) => level === 'warning');

/** An "interpreter" that says what a check said: a recorded result, with some of it changed. */
function recorded(workspace: string, changes: object): string {
  const result = {
    schema: 'oom-autopsy.parity.v1',
    verdict: 'match',
    says: ['The rebuilt view matches the fixture in 20 of 20 scenarios.'],
    view: { status: 'match', differences: [] },
    oracle: { status: 'same', reason: null, differences: [] },
    migration: { status: 'exact', reason: null, rows: [], lines: [], differences: [] },
    environment: { torch: '2.14.1' },
    fixture: { built_in: true },
    trigger: { status: 'quiet', new: [] },
    seconds: 3.9,
    ...changes,
  };
  const path = join(workspace, 'recorded-python');
  writeFileSync(path, `#!/bin/bash\ncat <<'END'\n${JSON.stringify(result)}\nEND\n`);
  chmodSync(path, 0o755);
  return path;
}

describe('the built-in fixture', () => {
  it(
    'matches on a CPU build of torch, and a later step of the job need not measure it again',
    async () => {
      const temp = freshFolder();
      const torch = () =>
        runStep({
          python: cpuPython(),
          noService: true,
          run: { temp },
          inputs: { run: 'import torch; print(torch.ones(2).sum())', shell: 'python', parity: 'fail' },
        });
      const { report, outputs, manifest } = await torch();
      expect(report.main.code).toBe(0);
      expect(outputs).toMatchObject({ parity: 'match', verdict: 'ok', 'cycle-count': '0' });
      expect(manifest.parity.result.view.status).toBe('match');
      expect(manifest.parity.result.fixture.built_in).toBe(true);
      const [process] = manifest.processes;
      expect(process.cycles).toMatchObject({ state: 'nothing-to-watch', count: 0 });
      expect(process.recorder).toMatchObject({ state: 'unsupported' });
      expect(report.summary).toContain('Parity: match.');
      expect(manifest.parity.result.migration).toMatchObject({
        status: 'not-measured-again',
        reason: expect.stringMatching(/^measured again and exact in 1 of 20 scenarios/),
      });
      expect(report.summary).not.toContain('Review trigger');

      const later = await torch();
      expect(later.outputs['parity']).toBe('match');
      expect(later.manifest.parity.result.earlier).toBe(true);
      expect(later.report.summary).toContain('Parity: match, checked earlier in this job.');
      expect(later.report.annotations).toEqual(report.annotations);
    },
    2 * MINUTES,
  );

  it('that drifts turns a green step red, is one warning with `warn`, and leaves a red step its code', async () => {
    const workspace = freshFolder();
    const difference = { scenario: 'mlp', what: 'bytes of parameter', fixture: 2960, now: 2704 };
    const python = recorded(workspace, {
      verdict: 'drift',
      says: ['The rebuilt view drifted from the fixture: mlp, bytes of parameter: fixture 2960, now 2704.'],
      view: { status: 'drift', differences: [difference] },
    });
    const green = await plain(workspace, { python });
    expect(green.report.main.code).toBe(1);
    expect(green.outputs).toMatchObject({ 'exit-code': '0', verdict: 'ok', parity: 'drift' });
    expect(green.report.annotations).toMatchObject([{ level: 'error' }]);
    expect(green.report.summary).toMatch(/Parity with the frozen fixture: <b>drift<\/b>/);
    expect(green.report.summary).toContain('fixture 2960, now 2704');
    const warned = await plain(workspace, { python, parity: 'warn' });
    expect(warned.report.main.code).toBe(0);
    expect(warned.outputs['parity']).toBe('drift');
    expect(warned.report.annotations).toHaveLength(1);
    expect(warnings(warned)).toHaveLength(1);
    const red = await plain(workspace, { python, run: 'exit 5' });
    expect(red.report.main.code).toBe(5);
    expect(red.outputs).toMatchObject({ 'exit-code': '5', parity: 'drift' });
  });
});

const SCENARIO = `
import torch

def build():
    model = torch.nn.Sequential(torch.nn.Linear(16, WIDTH), torch.nn.ReLU(), torch.nn.Linear(WIDTH, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    batch = torch.ones(8, 16)
    def step():
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
    return step

WIDTH = 32
`;

/** Changes a fixture as a drift would have it: another number, and a seal that fits. */
const RESEAL = `
import sys
from oom_autopsy_parity import fixture
source, target, seal = sys.argv[1:]
data = fixture.read(source)
[entry] = data["scenarios"].values()
entry["view"]["bytes"]["parameter"] += 256
text = fixture.text(data) if seal == "yes" else open(source).read().replace('"steps": 1', '"steps": 2')
open(target, "w").write(text)
`;

describe("a fixture of the user's", () => {
  const workspace = freshFolder();
  const python = (...args: string[]) => {
    const done = spawnSync(cudaPython(), args, {
      cwd: workspace,
      encoding: 'utf8',
      env: { ...process.env, ...deviceEnv(), PYTHONPATH: join(ROOT, 'python', 'parity') },
    });
    if (done.status !== 0) throw new Error(done.stderr);
    return done;
  };
  const check = (inputs: Record<string, string>) => plain(workspace, { python: cudaPython(), ...inputs });

  beforeAll(() => {
    mkdirSync(join(workspace, 'ci'));
    writeFileSync(join(workspace, 'ci', 'my_step.py'), SCENARIO);
    python(PARITY, 'freeze', '--scenario', 'ci/my_step.py', '-o', 'ci/my step.json');
    python('-c', RESEAL, 'ci/my step.json', 'ci/drifted.json', 'yes');
    python('-c', RESEAL, 'ci/my step.json', 'ci/edited.json', 'no');
    const later = readFileSync(join(workspace, 'ci/my step.json'), 'utf8');
    writeFileSync(join(workspace, 'ci/later.json'), later.replace('fixture.v1', 'fixture.v7'));
    writeFileSync(join(workspace, 'ci/broken.json'), '{"schema": ');
  }, 2 * MINUTES);

  it(
    'matches by a path from the workspace, in the interpreter that the step used',
    async () => {
      const { report, outputs, manifest } = await runStep({
        workspace,
        noService: true,
        inputs: { run: 'import torch', shell: 'python', parity: 'fail', fixture: 'ci/my step.json' },
      });
      expect(report.main.code).toBe(0);
      expect(outputs['parity']).toBe('match');
      expect(manifest.parity.result.fixture).toMatchObject({ built_in: false, scenarios: ['my_step'] });
      expect(report.log).toContain(`checking parity with ${manifest.processes[0].executable}`);
      expect(report.annotations).toEqual([]);
    },
    MINUTES,
  );

  it(
    'turns a green step red when it drifts, and says by which number',
    async () => {
      const { report, outputs, manifest } = await check({ fixture: 'ci/drifted.json' });
      expect(report.main.code).toBe(1);
      expect(outputs).toMatchObject({ 'exit-code': '0', verdict: 'ok', parity: 'drift' });
      const [error, ...more] = report.annotations;
      expect(more).toEqual([]);
      expect(error).toMatchObject({ level: 'error' });
      // 16 * 32 + 32 + 32 * 4 + 4 parameters of four bytes, and what was added by hand.
      expect(error?.message).toMatch(/drifted.*my_step, bytes of parameter: fixture 2960, now 2704/);
      expect(manifest.parity.result.view.differences).toEqual([
        'my_step, bytes of parameter: fixture 2960, now 2704',
      ]);
      expect(manifest.parity.result.oracle.status).toBe('same');
      expect(report.summary).toMatch(/Parity with the frozen fixture: <b>drift<\/b>/);
      expect(report.summary).toContain('fixture 2960, now 2704');
    },
    MINUTES,
  );

  it.each([
    [
      'edited by hand',
      'ci/edited.json',
      /edited\.json.*its own sha256.*freeze it again, or take the file back/,
    ],
    ['of a later schema', 'ci/later.json', /oom-autopsy\.fixture\.v7.*later.*update the action/],
    ['broken', 'ci/broken.json', /broken\.json.*is no JSON.*freeze it again/],
  ])('that is %s is a wrong input: nothing is run', async (_name, fixture, message) => {
    const ran = join(workspace, 'ran');
    const step = await check({ fixture, run: `touch '${ran}'` });
    expect(existsSync(ran)).toBe(false);
    expect(step.report.main.code).toBe(1);
    expect(step.report.annotations).toHaveLength(1);
    expect(step.report.annotations[0]?.message).toMatch(message);
    const unasked = await check({ fixture, parity: 'off', run: `touch '${ran}'` });
    expect(existsSync(ran)).toBe(true);
    expect(unasked.report.main.code).toBe(0);
    rmSync(ran);
  });

  it(
    'whose scenario has changed is drift, and that is the first thing said',
    async () => {
      const path = join(workspace, 'ci', 'my_step.py');
      try {
        writeFileSync(path, SCENARIO.replace('WIDTH = 32', 'WIDTH = 48'));
        const grown = await check({ fixture: 'ci/my step.json' });
        expect(grown.outputs['parity']).toBe('drift');
        expect(grown.report.annotations[0]?.message).toMatch(
          /drifted\. The scenario file my_step\.py is not the one that was frozen.*my_step.*now/,
        );
        writeFileSync(path, 'raise ImportError("no such layer")');
        const broken = await check({ fixture: 'ci/my step.json' });
        expect(broken.outputs['parity']).toBe('unverifiable');
        expect(broken.report.main.code).toBe(0);
        expect(warnings(broken)[0]?.message).toMatch(/my_step\.py.*no such layer/);
      } finally {
        writeFileSync(path, SCENARIO);
      }
    },
    2 * MINUTES,
  );
});

describe('the interpreter', () => {
  const workspace = freshFolder();
  const seen = join(workspace, 'seen');
  beforeAll(() => {
    mkdirSync(join(workspace, 'tools'));
    const fake = join(workspace, 'tools', 'mypython');
    writeFileSync(fake, `#!/bin/bash\n{ echo "$0"; env; } > '${seen}'\necho no result\n`);
    chmodSync(fake, 0o755);
  });

  it('may be a path from the workspace or a name on PATH, and gets no more than the step did', async () => {
    const secrets = { ACTIONS_RUNTIME_TOKEN: 'not-for-you', MINE: 'yes', PYTHONPATH: '/their/own' };
    const path = { PATH: `${join(workspace, 'tools')}${delimiter}${process.env['PATH']}` };
    for (const [python, env] of [
      ['tools/mypython', secrets],
      ['mypython', { ...secrets, ...path }],
    ] as const) {
      const step = await plain(workspace, { python }, env);
      expect(step.outputs['parity']).toBe('unverifiable');
      expect(warnings(step)[0]?.message).toMatch(/printed no JSON \(no result\)/);
      const lines = readFileSync(seen, 'utf8').split('\n');
      expect(lines[0]).toBe(join(workspace, 'tools', 'mypython'));
      expect(lines).toContain('MINE=yes');
      expect(lines).toContain('PYTHONPATH=/their/own');
      expect(lines.filter((line) => /^(ACTIONS_RUNTIME|INPUT_|STATE_)/.test(line))).toEqual([]);
    }
  });

  it.each([
    ['no-such-python', /no interpreter "no-such-python" on PATH.*`python`/],
    ['.venv/bin/python', /no interpreter .*\.venv\/bin\/python; .*`python`/],
  ])('%s does not exist: unverifiable, after the step, which might have made it', async (python, message) => {
    const ran = join(workspace, `ran ${python.length}`);
    const step = await plain(workspace, { python, run: `touch '${ran}'` });
    expect(existsSync(ran)).toBe(true);
    expect(step.report.main.code).toBe(0);
    expect(step.outputs['parity']).toBe('unverifiable');
    expect(warnings(step)[0]?.message).toMatch(message);
  });

  it('without torch is unverifiable', async () => {
    const step = await plain(workspace, { python: plainPython() });
    expect(step.outputs['parity']).toBe('unverifiable');
    expect(warnings(step)[0]?.message).toMatch(/torch cannot be imported by .*Name the interpreter/);
  });

  it('is not needed where no process used torch and none is named, nor with `off`', async () => {
    const nothing = await plain(workspace, {});
    expect(nothing.outputs['parity']).toBe('unverifiable');
    expect(nothing.report.annotations).toEqual([]);
    const off = await plain(workspace, { parity: 'off', python: 'no-such', fixture: 'no-such.json' });
    expect(off.outputs['parity']).toBe('off');
    expect(off.report.summary).not.toContain('arity');
  });
});

it('sees its standard input end when main is killed', async () => {
  const workspace = freshFolder();
  const [began, ended] = [join(workspace, 'began'), join(workspace, 'ended')];
  let early = true;
  const python = join(workspace, 'python-that-waits');
  writeFileSync(python, `#!/bin/bash\ntouch '${began}'\ncat\ntouch '${ended}'\n`);
  chmodSync(python, 0o755);
  const step = await plain(
    workspace,
    { python },
    {},
    {
      onStart: (stage, pid) => {
        if (stage === 'main')
          void until(() => existsSync(began)).then(() => {
            early = existsSync(ended);
            process.kill(pid, 'SIGKILL');
          });
      },
      cleanOrphans: false,
    },
  );
  expect(step.report.main.signal).toBe('SIGKILL');
  expect(early).toBe(false);
  expect(await until(() => existsSync(ended))).toBe(true);
});

it('lists a fixture that is not there with the other wrong inputs, before anything runs', async () => {
  const workspace = freshFolder();
  const ran = join(workspace, 'ran');
  mkdirSync(join(workspace, 'folder'));
  const one = await plain(workspace, { run: `touch '${ran}'`, fixture: 'gone.json', snapshot: 'sometimes' });
  expect(one.report.main.code).toBe(1);
  expect(one.report.annotations).toHaveLength(1);
  expect(one.report.annotations[0]?.message).toMatch(
    /`snapshot`[\s\S]*`fixture`: "gone\.json".*no such file/,
  );
  const two = await plain(workspace, {
    run: `touch '${ran}'`,
    fixture: 'folder',
    'working-directory': 'nowhere',
  });
  expect(two.report.annotations[0]?.message).toMatch(
    /working-directory[\s\S]*`fixture`: "folder".*not a file/,
  );
  expect(existsSync(ran)).toBe(false);
});

soak(
  'six checks at once match, however slow each gets',
  async () => {
    const steps = await Promise.all(
      Array.from({ length: 6 }, () => plain(freshFolder(), { python: cpuPython() })),
    );
    expect(steps.map(({ outputs }) => outputs['parity'])).toEqual(steps.map(() => 'match'));
  },
  10 * MINUTES,
);
