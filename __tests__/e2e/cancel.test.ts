/** Cancels, time limits and kills, at any moment, of anybody: the code, the verdict and the evidence are right, and nobody is left. */
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { cleanUp, node24, plainPython, ROOT } from './kit.js';
import { cancelAtUpload, expectClean, onDisk, plain, replayScript, scratch, until } from './replay.js';

afterAll(cleanUp);
const MINUTES = 60_000;
/** The runner's ladder, shorter. */
const FAST = { sigint: 3000, sigterm: 2000, streams: 500 };
/** For a main that does not end by itself. */
const FASTEST = { ...FAST, sigint: 500 };

/** A node that first does something else. @param lines Python; \`node\` is the real one */
function nodeThat(lines: string): string {
  const path = join(scratch(), 'node');
  writeFileSync(
    path,
    `#!${plainPython()}
import os, subprocess, sys
node = ${JSON.stringify(node24())}
${lines}
os.execv(node, [node, *sys.argv[1:]])
`,
  );
  chmodSync(path, 0o755);
  return path;
}

const WAIT = `python -c 'import time; print("READY", flush=True); time.sleep(600)'`;
const ready = (line: string): boolean => line.includes('READY');

describe('a cancel while the step runs', () => {
  it.each(['github', 'act'] as const)(
    'in the style of %s ends everybody, groups of their own included, and says cancelled',
    async (cancelStyle) => {
      const pids = join(scratch(), 'pids');
      const deaf = `bash -c 'trap "" INT TERM HUP; echo $$ >> ${pids}; while :; do sleep 0.1; done'`;
      const step = await plain(
        `setsid ${deaf} &\ntimeout 300 ${deaf} &\nwhile [ "$(wc -l < ${pids} 2>/dev/null || echo 0)" -lt 2 ]; do sleep 0.05; done\n${WAIT}`,
        { with: { 'grace-period': '1' }, run: { cancelAfter: ready, cancelStyle, graces: FAST } },
      );
      expectClean(step);
      expect(readFileSync(pids, 'utf8').trim().split('\n')).toHaveLength(2);
      expect(step.report.conclusion).toBe('cancelled');
      expect(step.report.summary).toMatch(/cancelled/i);
      if (cancelStyle === 'github') {
        expect(step.report.main).toMatchObject({ code: 130, sent: ['SIGINT'] });
        expect(step.outputs).toMatchObject({ verdict: 'cancelled', 'exit-code': '130' });
        expect(step.report.post?.log).toBe('');
      } else {
        expect(step.report.main.signal).toBe('SIGKILL');
        expect(step.report.post?.log).toMatch(/ended \d+ processes of the step/);
        expect(step.report.post?.outputs['verdict']).toBe('cancelled');
      }
    },
    MINUTES,
  );

  it.each(['github', 'act'] as const)(
    'in the style of %s keeps an out-of-memory: verdict oom, evidence published',
    async (cancelStyle) => {
      const replay = await replayScript();
      const step = await plain(`python '${replay}'\n${WAIT}`, {
        run: { cancelAfter: ready, cancelStyle, graces: FAST },
      });
      expectClean(step);
      expect(step.artifacts.map(({ name }) => name)).toEqual(['oom-autopsy-job-0-1']);
      expect(step.artifacts[0]?.files.filter((file) => file.endsWith('.pickle'))).toHaveLength(1);
      const told = cancelStyle === 'github' ? step.outputs : (step.report.post?.outputs ?? {});
      expect(told).toMatchObject({ verdict: 'oom', 'snapshot-count': '1' });
      expect(step.report.summary).toMatch(/Out of GPU memory/);
      expect(onDisk(step)).toEqual([]);
    },
    MINUTES,
  );

  it(
    'by a time limit is a cancel too',
    async () => {
      const step = await plain(WAIT, { run: { timeoutMs: 1000, graces: FAST } });
      expectClean(step);
      expect(step.report.conclusion).toBe('failure');
      expect(step.outputs['verdict']).toBe('cancelled');
    },
    MINUTES,
  );
});

describe('a cancel while main publishes', () => {
  it(
    'loses nothing: main tells what it knows, post uploads',
    async () => {
      const replay = await replayScript();
      const { cancelAfter, onService } = cancelAtUpload();
      const step = await plain(`python '${replay}'\nexit 3`, {
        service: { CreateArtifact: 'hangx1' },
        onService,
        run: { cancelAfter, graces: FASTEST },
      });
      expectClean(step);
      expect(step.report.main).toMatchObject({ code: 3, sent: ['SIGINT', 'SIGTERM'] });
      expect(step.outputs).toMatchObject({ 'exit-code': '3', verdict: 'oom', 'snapshot-count': '1' });
      expect(step.report.main.summary).toMatch(/the post step tries again/);
      expect(step.report.post?.summary).toMatch(/It is done: artifact/);
      expect(step.artifacts).toHaveLength(1);
      expect(onDisk(step)).toEqual([]);
      const uploaded = JSON.parse(readFileSync(join(step.artifacts[0]?.dir ?? '', 'manifest.json'), 'utf8'));
      expect(uploaded).toMatchObject({ step: { exit_code: 3 }, verdict: { name: 'oom' } });
      expect(step.manifest.published).toMatchObject({
        state: 'uploaded',
        artifact: { id: expect.any(Number) },
      });
    },
    MINUTES,
  );

  it(
    'and is killed at once: post knows the exit code and the verdict, and publishes',
    async () => {
      const replay = await replayScript();
      const { cancelAfter, onService } = cancelAtUpload();
      const step = await plain(`python '${replay}'\nexit 3`, {
        service: { CreateArtifact: 'hangx1' },
        onService,
        run: { cancelAfter, cancelStyle: 'act' },
      });
      expectClean(step);
      expect(step.report.main.signal).toBe('SIGKILL');
      // What main knew is with the runner already.
      expect(step.outputs).toMatchObject({ 'exit-code': '3', verdict: 'oom' });
      expect(step.report.main.summary).toMatch(/Out of GPU memory[\s\S]*Upload under way/);
      expect(step.report.main.summary).toContain('train.py:5');
      expect(
        step.report.annotations.filter(({ title }) => /^Out of GPU memory/.test(title ?? '')),
      ).toHaveLength(1);
      expect(step.report.post?.summary).toMatch(/It is done: artifact/);
      expect(step.artifacts).toHaveLength(1);
      expect(step.report.summary.match(/Out of GPU memory/g)).toHaveLength(1);
    },
    MINUTES,
  );

  it(
    'and is killed while the report page is on its way: nothing of it is left',
    async () => {
      const replay = await replayScript();
      const stop = new AbortController();
      const step = await plain(`python '${replay}'\nexit 3`, {
        // The second artifact is the page.
        service: { CreateArtifact: 'hang@1x1' },
        onService: (service) => {
          const second = () => service.calls().filter(({ call }) => call === 'CreateArtifact').length > 1;
          void until(second, 'the page').then(() => stop.abort());
        },
        run: { cancelAfter: stop.signal, cancelStyle: 'act' },
      });
      expectClean(step);
      expect(step.report.main.signal).toBe('SIGKILL');
      expect(step.outputs).toMatchObject({ 'exit-code': '3', verdict: 'oom' });
      expect(step.report.main.summary).toMatch(/Out of GPU memory/);
      // The page is tried again, the evidence is not.
      expect(step.artifacts.map(({ name }) => name)).toEqual(['oom-autopsy-job-0-1']);
      expect(step.report.post?.summary).toMatch(/It is done: artifact .*zip `sha256:.*The report/);
    },
    MINUTES,
  );

  it(
    'and the service stays dead: the files stay, and the summary says where',
    async () => {
      const replay = await replayScript();
      const { cancelAfter, onService } = cancelAtUpload();
      const step = await plain(`python '${replay}'\nexit 3`, {
        service: { '*': 'hang' },
        env: { OOM_AUTOPSY_PUBLISH_TIMEOUT: '1' },
        onService,
        run: { cancelAfter, graces: FASTEST },
      });
      expectClean(step);
      expect(step.report.post?.summary).toMatch(/did not succeed[\s\S]*\.pickle[\s\S]*sha256:/);
      expect(onDisk(step).filter((name) => name.endsWith('.pickle'))).toHaveLength(1);
    },
    MINUTES,
  );
});

describe('a cancel while parity is checked', () => {
  it(
    'ends the check, and everything else is done',
    async () => {
      const replay = await replayScript();
      const python = join(scratch(), 'python');
      writeFileSync(python, '#!/bin/sh\nsleep 600\n');
      chmodSync(python, 0o755);
      const step = await plain(`python '${replay}'\nexit 3`, {
        with: { parity: 'fail', python },
        run: { cancelAfter: (line: string) => line.includes('checking parity'), graces: FAST },
      });
      expectClean(step);
      expect(step.report.main).toMatchObject({ code: 3 });
      expect(step.outputs).toMatchObject({ 'exit-code': '3', verdict: 'oom', parity: 'unverifiable' });
      expect(step.manifest.parity.reason).toMatch(/cancelled/);
      expect(step.artifacts).toHaveLength(1);
    },
    MINUTES,
  );
});

describe('SIGKILL', () => {
  it(
    'of main: post ends the step, and says that nobody saw the exit code',
    async () => {
      const replay = await replayScript();
      const step = await plain(`python '${replay}'\nsleep 600 &\nkill -KILL $PPID\nsleep 600`);
      expectClean(step);
      expect(step.report.main.signal).toBe('SIGKILL');
      expect(step.report.summary).toMatch(/exit code of the step was not seen/);
      expect(step.artifacts).toHaveLength(1);
      expect(step.report.jobConclusion).toBe('failure');
    },
    MINUTES,
  );

  it.each([
    ['the shell', 'kill -KILL $$'],
    ['the program', `python -c 'import os; os.kill(os.getpid(), 9)'`],
  ])(
    'of %s gives 137 and killed, never host-oom',
    async (_who, run) => {
      const step = await plain(run);
      expectClean(step);
      expect(step.report.main.code).toBe(137);
      expect(step.outputs).toMatchObject({ verdict: 'killed', 'exit-code': '137' });
      expect(step.report.post?.log).toBe('');
    },
    MINUTES,
  );

  it(
    'of a program while it dumps: its half file is taken away and named',
    async () => {
      const replay = await replayScript();
      const half = `
import os, re, signal
first = os.environ['PYTHONPATH'].split(':')[0]
host = re.sub('[^A-Za-z0-9-]', '-', os.uname().nodename)[:40]
name = f'.{host}-ranknone-{os.getpid()}-0123abcd-1-oom.pickle.tmp-{os.getpid()}'
open(os.path.join(first, '..', 'evidence', name), 'wb').write(b'half')
os.kill(os.getpid(), signal.SIGKILL)`;
      const step = await plain(`python '${replay}'\npython - <<'PY'${half}\nPY`);
      expectClean(step);
      expect(step.report.main.code).toBe(137);
      expect(step.manifest.faults).toEqual([expect.stringMatching(/unfinished dump of a process that died/)]);
      expect(onDisk(step)).toEqual([]);
    },
    MINUTES,
  );

  it(
    'of a program while it dumps, as far as can be seen: with others of the step alive its file is left alone',
    async () => {
      const replay = await replayScript();
      // The pid of a process in a namespace of its own means nothing here, or a process that is gone.
      const half = `
import os, re
first = os.environ['PYTHONPATH'].split(':')[0]
host = re.sub('[^A-Za-z0-9-]', '-', os.uname().nodename)[:40]
name = f'.{host}-ranknone-4194000-0123abcd-1-oom.pickle.tmp-4194000'
open(os.path.join(first, '..', 'evidence', name), 'wb').write(b'half')`;
      const step = await plain(
        `python '${replay}'\npython - <<'PY'${half}\nPY\nnohup sleep 60 >/dev/null 2>&1 &\nexit 3`,
      );
      expect(step.report.main.code).toBe(3);
      expect(step.manifest.faults).toEqual([]);
      expect(step.manifest.rejected).toEqual([
        expect.objectContaining({ reason: expect.stringMatching(/^unfinished dump/) }),
      ]);
      expect(onDisk(step).filter((name) => name.includes('.tmp-'))).toHaveLength(1);
    },
    MINUTES,
  );

  it(
    'of main when it has published and not yet told: post tells what main knew',
    async () => {
      const replay = await replayScript();
      const stop = new AbortController();
      // As where main was killed between its account and its summary.
      const node = nodeThat(
        `if 'dist/post/' in sys.argv[1]:\n    import glob\n    [os.unlink(f) for f in glob.glob(os.environ['RUNNER_TEMP'] + '/oom-autopsy-*/out/told')]`,
      );
      const step = await plain(`python '${replay}'\nexit 3`, {
        // The second artifact is the page.
        service: { CreateArtifact: 'hang@1x1' },
        onService: (service) => {
          const second = () => service.calls().filter(({ call }) => call === 'CreateArtifact').length > 1;
          void until(second, 'the page').then(() => stop.abort());
        },
        run: { node, cancelAfter: stop.signal, cancelStyle: 'act' },
      });
      expectClean(step);
      expect(step.report.main.signal).toBe('SIGKILL');
      expect(step.report.post?.summary).toMatch(/Out of GPU memory/);
      expect(step.report.post?.outputs).toMatchObject({
        'exit-code': '3',
        verdict: 'oom',
        'snapshot-count': '1',
      });
      // What was uploaded is not uploaded again.
      expect(step.artifacts.map(({ name }) => name)).toEqual(['oom-autopsy-job-0-1']);
      expect(step.report.post?.summary).toContain(step.artifacts[0]?.digest?.replace('sha256:', ''));
      const account = JSON.parse(readFileSync(step.report.post?.outputs['manifest'] ?? '', 'utf8'));
      expect(account).toMatchObject({
        verdict: { name: 'oom' },
        step: { exit_code: 3 },
        published: { state: 'uploaded', left_out: [] },
      });
      expect(account.snapshots).toHaveLength(1);
      expect(onDisk(step)).toEqual([]);
    },
    MINUTES,
  );

  it(
    'of main, and post is run twice: the second says no other thing',
    async () => {
      const replay = await replayScript();
      const node = nodeThat(`if 'dist/post/' in sys.argv[1]:\n    subprocess.run([node, *sys.argv[1:]])`);
      const step = await plain(`python '${replay}'\nkill -KILL $PPID\nsleep 600`, { run: { node } });
      expectClean(step);
      expect(step.report.post?.summary.match(/Out of GPU memory/g)).toHaveLength(1);
      expect(step.report.post?.summary.match(/^#+ /gm)).toHaveLength(
        [...new Set(step.report.post?.summary.match(/^#+ .*/gm))].length,
      );
      expect(step.report.post?.summary).not.toMatch(/no out-of-memory was seen|Cancelled/);
      expect(step.artifacts).toHaveLength(1);
      const account = JSON.parse(readFileSync(step.report.post?.outputs['manifest'] ?? '', 'utf8'));
      expect(account.snapshots).toHaveLength(1);
    },
    MINUTES,
  );

  it(
    'of the runner: main outlives its output and comes to its end',
    async () => {
      const temp = scratch();
      const main = spawn(node24(), [join(ROOT, 'dist', 'main', 'index.js')], {
        cwd: temp,
        env: {
          PATH: process.env.PATH,
          RUNNER_TEMP: temp,
          INPUT_RUN: `echo READY >&2; sleep 0.5; touch '${join(temp, 'ran')}'; exit 3`,
          'INPUT_IF-NO-TORCH': 'ignore',
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      main.stderr.once('data', () => {
        main.stdout.destroy();
        main.stderr.destroy();
      });
      const code = await new Promise((resolve) => main.once('exit', resolve));
      expect(code).toBe(3);
      expect(existsSync(join(temp, 'ran'))).toBe(true);
    },
    MINUTES,
  );

  it(
    'of post loses nothing that is on disk',
    async () => {
      const replay = await replayScript();
      let post = 0;
      const step = await plain(`python '${replay}'\nkill -KILL $PPID\nsleep 600`, {
        service: { '*': 'hang' },
        run: {
          cleanOrphans: false,
          onStart: (stage: string, pid: number) => {
            if (stage === 'post') post = pid;
          },
        },
        onService: (service) => {
          void until(() => service.calls().length > 0, 'an upload').then(() => process.kill(post, 'SIGKILL'));
        },
      });
      expect(step.report.post?.signal).toBe('SIGKILL');
      // The uploading process hears that its parent is gone, and goes too.
      await until(() => step.report.orphans.every(({ pid }) => !existsSync(`/proc/${pid}`)), 'its end');
      expect(onDisk(step).filter((name) => name.endsWith('.pickle'))).toHaveLength(1);
    },
    MINUTES,
  );
});

describe('post', () => {
  it(
    'does nothing after a main that came to its end, green or red',
    async () => {
      for (const run of ['true', 'exit 4']) {
        const step = await plain(run);
        expect(step.report.post).toMatchObject({ code: 0, log: '', summary: '' });
      }
    },
    MINUTES,
  );
});
