/**
 * Runs that are not like the one on a developer's machine: in another root file system, as a user without rights, with a workspace that
 * cannot be written and no home. (RUNNER_TEMP has a blank and non-ASCII letters in every end-to-end test.)
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { cleanUp, cudaPython, freshFolder, node24, plainPython, ROOT, runStep } from './kit.js';
import { REAL, replayProgram } from './recorded.js';
import { expectClean, OUT_OF_MEMORY, plain, replayScript, scratch } from './replay.js';

afterAll(cleanUp);
const MINUTES = 60_000;
const root = process.getuid?.() === 0;
const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

/** A file that runs in place of node; `code` gets `node` and `args`, both Python. */
function wrapper(code: string): string {
  const path = join(scratch(), 'node');
  const node = JSON.stringify(realpathSync(node24()));
  writeFileSync(
    path,
    `#!${plainPython()}\nimport os, sys\nnode, args = ${node}, [${node}, *sys.argv[1:]]\n${code}\n`,
  );
  chmodSync(path, 0o755);
  return path;
}

describe('a user without rights', () => {
  // uid and gid of `nobody` on most systems: all that matters is that it owns nothing.
  const NOBODY = 65534;

  (root ? it : it.skip)(
    'with no home and a workspace that cannot be written',
    async () => {
      const replay = await replayScript();
      const workspace = freshFolder();
      chmodSync(workspace, 0o555);
      const temp = join(freshFolder(), 'temp');
      mkdirSync(temp);
      for (const path of [dirname(temp), temp]) chmodSync(path, 0o777);
      for (const path of [dirname(replay), join(dirname(replay), 'evidence')]) chmodSync(path, 0o755);
      spawnSync('chmod', ['-R', 'a+r', dirname(replay)]);
      // The interpreters of the set-up may lie where nobody can go: the evidence is put there by the shell alone.
      const template = join(dirname(replay), 'evidence');
      const put = `cp '${template}'/* "\${PYTHONPATH%%:*}/../evidence"\nsed -i 's/"step": *"[^"]*"/"step": "'$OOM_AUTOPSY_STEP'"/' "\${PYTHONPATH%%:*}/../evidence"/*.json`;
      const step = await plain(
        `${put}\nid -u\n(touch here) 2>/dev/null && echo WRITTEN\necho "home=[\${HOME-unset}]"\nexit 6`,
        {
          workspace,
          env: { HOME: null as unknown as string },
          run: {
            temp,
            node: wrapper(`
for folder, _, files in os.walk(${JSON.stringify(temp)}):
    for name in (folder, *(os.path.join(folder, file) for file in files)): os.chmod(name, 0o777)
os.setgroups([]); os.setgid(${NOBODY}); os.setuid(${NOBODY})
os.execv(node, args)`),
          },
        },
      );
      expectClean(step);
      expect(step.report.log).toContain(`${NOBODY}\n`);
      expect(step.report.log).not.toContain('WRITTEN');
      expect(step.report.log).toContain('home=[unset]');
      expect(step.report.main.code).toBe(6);
      expect(step.outputs).toMatchObject({ verdict: 'oom', 'snapshot-count': '1' });
      expect(step.artifacts).toHaveLength(1);
      expect(step.report.summary).toMatch(/Out of GPU memory/);
    },
    2 * MINUTES,
  );
});

describe('another root file system', () => {
  const possible = root && has('unshare') && spawnSync('unshare', ['-m', 'true']).status === 0;

  /**
   * A root with the system's folders bound read-only and everything else at another place than outside: the action at /action, the
   * interpreter at its own path (a virtual environment knows it), RUNNER_TEMP at /__w/_temp, the workspace at /__w/repo.
   */
  (possible ? it : it.skip)(
    'has its own paths all the way, also in the artifact',
    async () => {
      const rootfs = join(freshFolder('oom-autopsy-root-'), 'rootfs');
      const workspace = freshFolder();
      const temp = join(freshFolder(), 'temp');
      mkdirSync(temp);
      writeFileSync(join(workspace, 'train.py'), OUT_OF_MEMORY);
      if (!REAL)
        cpSync(dirname(replayProgram('small-oom', true)), join(workspace, 'recorded'), { recursive: true });
      const interpreter = REAL ? cudaPython() : plainPython();
      const system = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc', '/opt', '/dev', '/sys'].filter(
        existsSync,
      );
      const python = [dirname(dirname(interpreter)), dirname(dirname(realpathSync(interpreter)))];
      for (const path of [
        ...system,
        ...python,
        '/proc',
        '/tmp',
        '/action',
        '/__w/repo',
        '/__w/_temp',
        '/node',
      ])
        mkdirSync(join(rootfs, path), { recursive: true });
      for (const name of ['dist', 'python'])
        cpSync(join(ROOT, name), join(rootfs, 'action', name), { recursive: true });
      const moves: [string, string][] = [
        [workspace, '/__w/repo'],
        [temp, '/__w/_temp'],
        [dirname(realpathSync(node24())), '/node'],
        ...[...system, ...python].map((path): [string, string] => [path, path]),
      ];
      const inside = wrapper(`
import subprocess
root = ${JSON.stringify(rootfs)}
moves = ${JSON.stringify(moves)}
def mount(*args): subprocess.run(['mount', *args], check=True)
mount('--make-rprivate', '/')
for outside, within in moves: mount('--rbind', outside, root + within)
mount('--rbind', '/proc', root + '/proc')
def moved(text):
    for outside, within in sorted(moves, key=lambda m: -len(m[0])):
        if outside != within: text = text.replace(outside, within)
    return text.replace(${JSON.stringify(ROOT)}, '/action')
env = {name: value if name == 'PATH' else moved(value) for name, value in os.environ.items()}
env['LD_LIBRARY_PATH'] = ''
os.chroot(root)
os.chdir('/__w/repo')
os.execve('/node/node', ['node', moved(args[1])], env)`);
      // Python below 3.12 cannot unshare: the program of that name starts the wrapper.
      const outer = wrapper(
        `os.execvp('unshare', ['unshare', '-m', '--', ${JSON.stringify(inside)}, *args[1:]])`,
      );
      const step = await runStep({
        inputs: { run: REAL ? 'python train.py' : 'python recorded/replay.py' },
        workspace,
        python: interpreter,
        run: { temp, node: outer },
      });
      expect(step.report.orphans).toEqual([]);
      expect(step.report.log).toContain(REAL ? 'torch.OutOfMemoryError' : 'replayed');
      expect(step.report.main.code).toBe(1);
      expect(step.outputs).toMatchObject({ verdict: 'oom', 'snapshot-count': '1', 'evidence-dir': '' });
      expect(step.outputs['manifest']).toMatch(/^\/__w\/_temp\/oom-autopsy-/);
      expect(step.artifacts).toHaveLength(1);
      expect(step.report.summary).toMatch(/Out of GPU memory/);
      expect(step.report.annotations).toEqual([
        expect.objectContaining({ level: 'error', file: 'train.py' }),
      ]);
      expect(step.report.post).toMatchObject({ code: 0, log: '' });
    },
    2 * MINUTES,
  );
});
