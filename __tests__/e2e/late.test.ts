/** Servers that a step starts with `&`: not waited for, not killed, told; what they write afterwards is collected by post. */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { cleanUp, node24, plainPython, ROOT, type Step } from './kit.js';
import { onDisk, plain, replayScript, scratch, until } from './replay.js';

afterAll(cleanUp);
const MINUTES = 60_000;

/** A node that starts post only when a file is there: the time that later steps of the job take. */
function nodeWithLaterSteps(until: string): string {
  const path = join(scratch(), 'node');
  const node = JSON.stringify(node24());
  writeFileSync(
    path,
    `#!${plainPython()}
import os, sys, time
if 'dist/post/' in sys.argv[1]:
    while not os.path.exists(${JSON.stringify(until)}): time.sleep(0.02)
os.execv(${node}, [${node}, *sys.argv[1:]])
`,
  );
  chmodSync(path, 0o755);
  return path;
}

/** Starts a server that runs out of memory once the step's shell is gone and main has told. */
async function serverStep(before: string, token = '') {
  const folder = scratch();
  const [go, done] = [join(folder, 'go'), join(folder, 'done')];
  const replay = await replayScript();
  const server = `while [ ! -e ${go} ]; do sleep 0.02; done; python ${replay} ${token}; touch ${done}; sleep 60`;
  return {
    script: `${before}\nnohup bash -c '${server}' >/dev/null 2>&1 &\n`,
    run: {
      node: nodeWithLaterSteps(done),
      onLog: (line: string) => {
        if (/oom-autopsy: verdict/.test(line) && !existsSync(go)) writeFileSync(go, '');
      },
    },
  };
}

describe('a server that outlives its step', () => {
  it(
    'and runs out of GPU memory later is published by post, and lives on',
    async () => {
      const { script, run } = await serverStep('');
      const step = await plain(`${script}exit 0`, { run });
      expect(step.report.conclusion).toBe('success');
      expect(step.outputs).toMatchObject({ verdict: 'ok', 'snapshot-count': '0' });
      expect(step.report.survivors.length).toBeGreaterThan(0);
      expect(step.report.main.summary).toMatch(/still run/i);
      expect(step.artifacts.map(({ name }) => name)).toEqual(['oom-autopsy-job-0-1-late']);
      const files = step.artifacts[0]?.files ?? [];
      expect(files.filter((file) => file.endsWith('.pickle'))).toHaveLength(1);
      const check = spawnSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd: step.artifacts[0]?.dir as string });
      expect(check.status).toBe(0);
      expect(step.report.post?.summary).toMatch(/After the step had ended[\s\S]*Out of GPU memory/);
      expect(step.report.post?.code).toBe(0);
      // Neither main nor post ended it, and its evidence folder is still there for it.
      expect(step.report.orphans.length).toBeGreaterThan(0);
      expect(onDisk(step).filter((file) => file.endsWith('.pickle'))).toHaveLength(1);
    },
    MINUTES,
  );

  it(
    'does not get published twice what main has published',
    async () => {
      const replay = await replayScript();
      const { script, run } = await serverStep(`python '${replay}'`, '0123abcd');
      const step = await plain(`${script}exit 3`, { run });
      expect(step.report.main.code).toBe(3);
      expect(step.artifacts.map(({ name }) => name)).toEqual([
        'oom-autopsy-job-0-1',
        'oom-autopsy-job-0-1-late',
      ]);
      const [first, second] = step.artifacts.map(({ files }) => files.filter((f) => f.endsWith('.pickle')));
      expect(first).toHaveLength(1);
      expect(second).toHaveLength(1);
      expect(second?.[0]).toContain('0123abcd');
      expect(first?.[0]).not.toContain('0123abcd');
    },
    MINUTES,
  );

  it(
    'and threw the mark of its step away is known to post too, which leaves its folder alone',
    async () => {
      const begin = 'print("ready", flush=True); import time; time.sleep(60)';
      const step = await plain(
        `(env -i PATH="$PATH" PYTHONPATH="$PYTHONPATH" setsid python -c '${begin}' >/dev/null 2>&1 & sleep 1); sleep 0.5`,
      );
      expect(step.report.main.summary).toMatch(/still run/i);
      expect(step.report.post?.code).toBe(0);
      expect(existsSync(step.outputs['evidence-dir'] as string)).toBe(true);
      expect(step.manifest.still_running).toHaveLength(1);
      process.kill(step.manifest.still_running[0].pid, 'SIGKILL'); // no runner finds it without its environment
    },
    MINUTES,
  );

  it(
    'and writes nothing more makes post say nothing',
    async () => {
      const step = await plain(`nohup sleep 60 >/dev/null 2>&1 &`);
      expect(step.report.survivors).toHaveLength(1);
      expect(step.report.main.summary).toMatch(/still run/i);
      expect(step.report.post).toMatchObject({ code: 0, log: '', summary: '' });
      expect(step.report.orphans).toHaveLength(1);
    },
    MINUTES,
  );
});

/** A GPU tool that main waits for after the step, and with it for everything that follows its look at the evidence folder. */
function slowTool() {
  const folder = scratch();
  const [ended, asked, done] = ['ended', 'asked', 'done'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const tool = join(folder, 'nvidia-smi');
  writeFileSync(
    tool,
    `#!/bin/bash
if [ -e ${ended} ]; then touch ${asked}; while [ ! -e ${done} ]; do sleep 0.02; done; fi
case "$1" in *query-gpu*) echo '0, GPU-1, X, 1000, 10, 990';; esac
`,
  );
  chmodSync(tool, 0o755);
  const path = [folder, dirname(plainPython()), process.env['PATH']].join(delimiter);
  return { ended, asked, done, env: { PATH: path } };
}

describe('evidence that is written when main has looked at the folder, and before it is done', () => {
  const pickles = (files: readonly string[]): readonly string[] => files.filter((f) => f.endsWith('.pickle'));
  /** All is somewhere: what main saw in its artifact, what came later in post's. */
  const expectBoth = (step: Step): void => {
    expect(step.artifacts.map(({ name }) => name)).toEqual([
      'oom-autopsy-job-0-1',
      'oom-autopsy-job-0-1-late',
    ]);
    const [first, second] = step.artifacts.map(({ files }) => pickles(files));
    expect([first?.length, second?.length]).toEqual([1, 1]);
    expect(second?.[0]).toContain('0badcafe');
  };

  it(
    'by a process that is gone by then',
    async () => {
      const replay = await replayScript();
      const { ended, asked, done, env } = slowTool();
      const step = await plain(
        `python '${replay}'
(while [ ! -e ${asked} ]; do sleep 0.02; done; sleep 0.7; python '${replay}' 0badcafe; touch ${done}) >/dev/null 2>&1 &
touch ${ended}
exit 3`,
        { env },
      );
      expect(step.report.main.code).toBe(3);
      expect(step.report.main.summary).toMatch(/still run/i);
      expectBoth(step);
    },
    MINUTES,
  );

  it(
    'by somebody who was never seen',
    async () => {
      const replay = await replayScript();
      const { ended, asked, done, env } = slowTool();
      const temp = join(scratch(), 'temp');
      const late = 'other-ranknone-7-0badcafe-1-oom.pickle';
      const writing = until(() => existsSync(asked), 'the look after the step')
        .then(() => new Promise((resolve) => setTimeout(resolve, 700)))
        .then(() => {
          const [folder] = readdirSync(temp).filter((name) => name.startsWith('oom-autopsy-'));
          writeFileSync(join(temp, folder ?? '', 'evidence', late), 'a snapshot');
          writeFileSync(done, '');
        });
      const step = await plain(`python '${replay}'\ntouch ${ended}\nexit 3`, { env, run: { temp } });
      await writing;
      expect(step.report.main.code).toBe(3);
      expect(step.report.main.log).toMatch(/the evidence folder was kept/);
      expect(step.outputs['evidence-dir']).toContain(temp);
      expectBoth(step);
    },
    MINUTES,
  );
});

describe('a process that had run out of memory and went on', () => {
  it(
    'and ends by it later is told by post',
    async () => {
      const folder = scratch();
      const [open, up, go, done] = ['open.py', 'up', 'go', 'done'].map((name) => join(folder, name)) as [
        string,
        string,
        string,
        string,
      ];
      const replay = await replayScript();
      writeFileSync(
        open,
        `
import glob, json, os, time
config = json.load(open(os.path.join(os.environ['PYTHONPATH'].split(':')[0], '_oom_autopsy', 'config.json')))
[name] = glob.glob(os.path.join(config['evidence'], '*.receipt.json'))
whole = json.load(open(name))
def write(content):
    with open(name + '.new', 'w') as file: json.dump(content, file)
    os.replace(name + '.new', name)
write({**whole, 'end': None, 'thread_ends': []})
open(${JSON.stringify(up)}, 'w')
while not os.path.exists(${JSON.stringify(go)}): time.sleep(0.02)
write(whole)
open(${JSON.stringify(done)}, 'w')
`,
      );
      const step = await plain(
        `python '${replay}'\nnohup python ${open} >/dev/null 2>&1 &\nwhile [ ! -e ${up} ]; do sleep 0.02; done`,
        {
          run: {
            node: nodeWithLaterSteps(done),
            onLog: (line: string) => {
              if (/oom-autopsy: verdict/.test(line)) writeFileSync(go, '');
            },
          },
        },
      );
      expect(step.outputs['verdict']).not.toBe('oom');
      expect(step.report.post?.summary).toMatch(/After the step had ended[\s\S]*Out of GPU memory/);
      const [, late] = step.artifacts;
      expect(late?.name).toBe('oom-autopsy-job-0-1-late');
      expect(late?.files.filter((file) => file.endsWith('.receipt.json'))).toHaveLength(1);
    },
    MINUTES,
  );
});

describe('the evidence folder', () => {
  it.each([
    ['goes with the last survivor, once all of it is published', {}, []],
    ['stays when something in it is not', { 'max-upload-size': '1' }, ['pickle', 'json']],
  ])(
    '%s',
    async (_name, inputs, left) => {
      const replay = await replayScript();
      const gone = join(scratch(), 'gone');
      const step = await plain(
        `python '${replay}'\nnohup bash -c "while kill -0 $PPID; do sleep 0.02; done; touch ${gone}" >/dev/null 2>&1 &\nexit 3`,
        { with: inputs, run: { node: nodeWithLaterSteps(gone) } },
      );
      expect(step.report.main.code).toBe(3);
      expect(step.artifacts).toHaveLength(1);
      expect(step.report.post).toMatchObject({ code: 0, log: '', summary: '' });
      expect(
        onDisk(step)
          .map((file) => file.split('.').at(-1))
          .sort(),
      ).toEqual([...left].sort());
    },
    MINUTES,
  );
});

describe('post after a main that came to its end', () => {
  it('loads nothing but its entry', () => {
    const folder = join(scratch(), 'post');
    mkdirSync(folder);
    for (const name of ['index.js', 'package.json'])
      copyFileSync(join(ROOT, 'dist', 'post', name), join(folder, name));
    const run = (state: Record<string, string>) =>
      spawnSync(node24(), [join(folder, 'index.js')], {
        env: { ...process.env, ...state },
        encoding: 'utf8',
      });
    expect(run({ STATE_finished: 'true' })).toMatchObject({ status: 0, stdout: '', stderr: '' });
    // Its other half is not there, so anything more would fail.
    expect(run({ STATE_finished: 'told' }).status).not.toBe(0);
  });
});
