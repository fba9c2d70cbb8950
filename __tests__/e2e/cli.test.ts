/**
 * The command for a workstation, from a checkout that holds what npm packs and no node_modules: the program's output, input,
 * signals and exit code are what they are without it, and an out-of-memory leaves a folder.
 */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cleanUp, cudaPython, deviceEnv, freshFolder, node24, plainPython, ROOT, sha256 } from './kit.js';

let cli: string;
/** In place of /tmp: what the command leaves there is seen. */
let temp: string;
let work: string;
afterAll(cleanUp);
beforeAll(() => {
  const checkout = freshFolder();
  const { bin, files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  for (const name of files) cpSync(join(ROOT, name), join(checkout, name), { recursive: true });
  cli = join(checkout, bin['oom-autopsy']);
  work = freshFolder();
  temp = join(work, 'tmp');
  mkdirSync(temp);
});

/** torch leaves an empty folder for its compiler's cache, with us and without. */
const leftInTemp = (): string[] => readdirSync(temp).filter((name) => !name.startsWith('torchinductor'));

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const environment = (python: string, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  PATH: `${dirname(python)}${delimiter}${process.env['PATH']}`,
  HOME: work,
  TMPDIR: temp,
  ...deviceEnv('512M'),
  ...more,
});

function run(
  file: string,
  args: readonly string[],
  options: { python?: string; input?: string; env?: NodeJS.ProcessEnv } = {},
): Ran {
  const { status, stdout, stderr } = spawnSync(file, args, {
    cwd: work,
    encoding: 'utf8',
    timeout: 60_000,
    input: options.input ?? '',
    env: environment(options.python ?? plainPython(), options.env),
  });
  return { code: status, stdout, stderr };
}

const command = (args: readonly string[], options?: Parameters<typeof run>[2]): Ran =>
  run(node24(), [cli, ...args], options);

describe('a program that runs out of memory', () => {
  it('leaves its account on the terminal, and page, snapshot and digests in a folder', () => {
    const train = ['python', join(ROOT, 'examples', 'train_oom.py')];
    const plain = run(train[0] as string, train.slice(1), { python: cudaPython() });
    const { code, stdout, stderr } = command(['--out', 'kept here', '--', ...train], {
      python: cudaPython(),
    });
    expect([code, stdout]).toEqual([plain.code, plain.stdout]);
    expect(plain.stdout).toContain('step 4:');
    expect(stderr).toContain('torch.OutOfMemoryError');
    const after = stderr.slice(stderr.indexOf('oom-autopsy: verdict oom'));
    expect(after).toContain('🔴 Out of GPU memory in train_oom.py');
    expect(after).toMatch(/activation \(saved for backward\) +[0-9.]+ MiB/);
    expect(after).not.toMatch(/Not uploaded|runner|artifact|::error/);

    const [day, ...others] = readdirSync(join(work, 'kept here'));
    expect(others).toEqual([]);
    expect(day).toMatch(/^\d{4}-\d\d-\d\d-\d{6}$/);
    const folder = join(work, 'kept here', day as string);
    const files = readdirSync(folder).sort();
    const snapshot = files.find((name) => name.endsWith('-oom.pickle')) as string;
    expect(files.map((name) => name.replace(/^.*\.(receipt\.json|pickle)$/, '$1')).sort()).toEqual(
      ['SHA256SUMS', 'manifest.json', 'memory.json', 'pickle', 'receipt.json', 'report.html'].sort(),
    );
    expect(after).toContain(`'kept here/${day}/report.html'`);
    expect(after).toContain(`'kept here/${day}/${snapshot}'`);
    const sums = spawnSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd: folder, encoding: 'utf8' });
    expect([sums.status, sums.stdout.match(/: OK$/gm)?.length]).toEqual([0, 4]);
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    expect(manifest.snapshots[0].digest).toBe(`sha256:${sha256(join(folder, snapshot))}`);
    expect(manifest.parity.state).toBe('off');
    // The page holds the snapshot, so it can be opened from there.
    expect(readFileSync(join(folder, 'report.html'), 'utf8')).toContain(snapshot);
    expect(leftInTemp()).toEqual([]);
  }, 120_000);

  it('is told of when our own process was killed under it', () => {
    const program = `
import os, torch, time
try:
    held = [torch.empty(200 << 20, dtype=torch.uint8, device="cuda") for _ in range(9)]
except torch.OutOfMemoryError:
    pass
os.kill(os.getppid(), 9)
time.sleep(60)`;
    const { code, stderr } = command(['--out', 'killed', 'python', '-c', program], { python: cudaPython() });
    expect(code).toBe(137);
    expect(stderr).toContain('main was ended before it finished; ending its processes');
    const [day] = readdirSync(join(work, 'killed'));
    expect(
      readdirSync(join(work, 'killed', day as string)).filter((name) => name.endsWith('.pickle')),
    ).toHaveLength(1);
  }, 120_000);
});

it('a folder that cannot be made costs neither the exit code nor the evidence', () => {
  writeFileSync(join(work, 'a file'), '');
  const program = 'import torch; torch.empty(900 << 20, device="cuda")';
  const { code, stderr } = command(['--out', 'a file/below', 'python', '-c', program], {
    python: cudaPython(),
  });
  expect(code).toBe(1);
  const [, place] = /nothing could be kept there \(ENOTDIR\); the evidence is in (.*)/.exec(stderr) ?? [];
  expect(readdirSync(place as string).filter((name) => name.endsWith('.pickle'))).toHaveLength(1);
  for (const name of leftInTemp()) rmSync(join(temp, name), { recursive: true });
}, 60_000);

it('a green run leaves a folder where one was asked for, which a later run is compared with', () => {
  const program = 'import sys, torch; torch.empty(int(sys.argv[1]) << 20, device="cuda")';
  const small = command(['--out=green', 'python', '-c', program, '10'], { python: cudaPython() });
  expect([small.code, small.stderr.includes('✅ No out-of-memory')]).toEqual([0, true]);
  const [day] = readdirSync(join(work, 'green'));
  const baseline = ['--baseline', join('green', day as string, 'memory.json'), '--max-growth=5%'];
  const large = command([...baseline, 'python', '-c', program, '20'], { python: cudaPython() });
  expect(large.code).toBe(1);
  expect(large.stderr).toMatch(/🔴 The peak is .* more than the\s+baseline's/);
  rmSync(join(work, 'oom-autopsy'), { recursive: true });
}, 60_000);

it('the check of the categorized view runs where it is asked for', () => {
  const program = 'import torch; torch.empty(8, device="cuda")';
  const { code, stderr } = command(['--parity=fail', '--', 'python', '-c', program], {
    python: cudaPython(),
  });
  expect(code).toBe(0);
  expect(stderr).toContain('Parity: match');
}, 60_000);

describe('any other program', () => {
  const show = `
import json, os, sys
print(json.dumps([sys.argv[1:], sys.stdin.read(), os.getcwd(), sorted(k for k in os.environ if k.startswith(("GITHUB_", "RUNNER_", "INPUT_", "STATE_")))]))
sys.exit(7)`;

  it('gets its arguments, its input and its environment, and its exit code is kept', () => {
    const args = ['a b', '', '$HOME', "it's"];
    const options = { input: 'typed\n', env: { GITHUB_OUTPUT: '/of/somebody', INPUT_CYCLES: 'nonsense' } };
    const plain = run('python', ['-c', show, ...args], {
      input: 'typed\n',
      env: { GITHUB_OUTPUT: '/of/somebody' },
    });
    const { code, stdout, stderr } = command(
      ['--if-no-torch=ignore', '--', 'python', '-c', show, ...args],
      options,
    );
    expect([code, stdout]).toEqual([7, plain.stdout]);
    expect(stderr).toContain('🔴 The step failed with exit code 7');
    expect(existsSync(join(work, 'oom-autopsy'))).toBe(false);
    expect(leftInTemp()).toEqual([]);
  });

  it.each([
    [['python', '-c', 'import os; os.kill(os.getpid(), 9)'], 137],
    [['there-is-no-such-program'], 127],
    [['/etc/passwd'], 126],
    [['true'], 0],
  ])('%j ends with %d', (words, wanted) => expect(command(words).code).toBe(wanted));

  it.each([
    [['--no-such', 'x', 'touch', 'ran'], 2, 'there is no option --no-such'],
    [
      ['--cycles=loud', 'touch', 'ran'],
      1,
      'input `cycles`: "loud" is not accepted; accepted: `off`, `warn`, `fail`',
    ],
    [[], 2, 'there is no command to run'],
  ])('%j runs nothing', (words, wanted, message) => {
    const { code, stdout, stderr } = command(words);
    expect([code, stdout]).toEqual([wanted, '']);
    expect(stderr).toContain(message);
    expect(existsSync(join(work, 'ran'))).toBe(false);
    expect(leftInTemp()).toEqual([]);
  });

  it('says how it is used', () => {
    expect(command(['--help']).stdout).toContain('Usage: oom-autopsy [OPTION…] -- COMMAND');
    expect(command(['--version']).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('gets a signal that is sent to us once, and may go on', async () => {
    const program = `
import signal, sys, time
seen = []
signal.signal(signal.SIGTERM, lambda *_: seen.append("TERM"))
print("ready", flush=True)
end = time.monotonic() + 2
while time.monotonic() < end:
    time.sleep(0.05)
print(seen, flush=True)
sys.exit(3)`;
    const child = spawn(node24(), [cli, '--if-no-torch=ignore', 'python', '-c', program], {
      cwd: work,
      env: environment(plainPython()),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (text.includes('ready')) child.kill('SIGTERM');
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect([code, stdout]).toEqual([3, "ready\n['TERM']\n"]);
  });

  it('has the terminal: it asks, it sees Ctrl-C once, and it may answer that', () => {
    writeFileSync(
      join(work, 'asks.py'),
      `
import os, signal, sys
print([f.isatty() for f in (sys.stdin, sys.stdout, sys.stderr)], flush=True)
count = 0
def interrupted(*_):
    global count
    count += 1
    os.write(1, b"interrupted %d\\n" % count)
signal.signal(signal.SIGINT, interrupted)
os.write(1, b"name? ")
print("hello", sys.stdin.readline())
sys.exit(4)
`,
    );
    // A terminal of its own, as a person has one: keys go in, and what is shown comes out.
    const person = `
import os, pty, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    # Ctrl-C would else throw away what was printed meanwhile.
    mode = termios.tcgetattr(0)
    mode[3] |= termios.NOFLSH
    termios.tcsetattr(0, termios.TCSANOW, mode)
    os.execvp(sys.argv[1], sys.argv[1:])
shown = b""
keys = [(b"name? ", b"\\x03"), (b"interrupted 1", b"\\x03"), (b"interrupted 2", b"you\\n")]
while True:
    try:
        data = os.read(terminal, 4096)
    except OSError:
        break
    if not data:
        break
    shown += data
    if keys and keys[0][0] in shown:
        os.write(terminal, keys.pop(0)[1])
print(shown.decode())
print("code", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))`;
    const { stdout } = run('python', [
      '-c',
      person,
      node24(),
      cli,
      '--if-no-torch=ignore',
      'python',
      'asks.py',
    ]);
    expect(stdout).toContain('[True, True, True]');
    expect(stdout).toContain('interrupted 2');
    expect(stdout).not.toContain('interrupted 3');
    expect(stdout).toContain('hello you');
    expect(stdout).toContain('code 4');
    // It has no width, and what follows is readable all the same.
    expect(stdout).toContain('The step was cancelled or ran into a time limit.');
  });
});
