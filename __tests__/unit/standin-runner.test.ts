// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions of GitHub's language
// The runner stand-in: tiny actions written to a folder, run as steps; and its pure parts on their own.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readAction, resolveInputs } from '../../lab/standins/runner/action.mjs';
import { Masker, parseCommand, StepLog } from '../../lab/standins/runner/commands.mjs';
import { condition, evaluate, interpolate } from '../../lab/standins/runner/expressions.mjs';
import { parsePairs } from '../../lab/standins/runner/files.mjs';
import { isDying, LineReader, processesWith } from '../../lab/standins/runner/process.mjs';
import { runAction } from '../../lab/standins/runner/runner.mjs';

const root = mkdtempSync(join(tmpdir(), 'standin-runner-'));
const QUICK = { sigint: 300, sigterm: 300, streams: 300 };
let dir: string;
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(() => {
  dir = mkdtempSync(join(root, 'a b ü-')); // paths with spaces and more are the rule here
});

/** Writes an action whose main and post are these lines of JavaScript, and runs it. */
type Options = Omit<Partial<Parameters<typeof runAction>[0]>, 'actionDir'> & {
  yml?: string;
  post?: string;
  postIf?: string;
};
function run(main: string, { yml = '', post, postIf, ...options }: Options = {}) {
  const actionDir = join(dir, 'action');
  mkdirSync(actionDir, { recursive: true });
  const head = `import fs from 'node:fs'; import cp from 'node:child_process';
    const env = process.env; const add = (file, text) => fs.appendFileSync(env[file], text);
    const wait = (ms) => new Promise((ok) => setTimeout(ok, ms));\n`;
  const runs = post === undefined ? '' : `, post: post.mjs${postIf ? `, post-if: "${postIf}"` : ''}`;
  writeFileSync(
    join(actionDir, 'action.yml'),
    `name: tiny\n${yml}\nruns: {using: node24, main: main.mjs${runs}}\n`,
  );
  writeFileSync(join(actionDir, 'main.mjs'), head + main);
  if (post !== undefined) writeFileSync(join(actionDir, 'post.mjs'), head + post);
  return runAction({ actionDir, temp: join(dir, 'temp'), workspace: dir, graces: QUICK, ...options });
}
const printed = (report: Awaited<ReturnType<typeof runAction>>) => JSON.parse(report.main.log);

describe('what a step is given', () => {
  it('inputs by their names, defaults evaluated, INPUT_ in upper case with hyphens kept', async () => {
    const report = await run(
      `console.log(JSON.stringify(Object.fromEntries(Object.entries(env).filter(([n]) => n.startsWith('INPUT_')))))`,
      {
        yml: `inputs:
  run: {required: true}
  artifact-name: {default: "oom-\${{ github.job }}-\${{ strategy.job-index }}-\${{ github.run_attempt }}"}
  with space: {default: 7}
  none: {}`,
        inputs: { RUN: 'echo 1\necho 2\n', extra: true },
        jobContext: { github: { job: 'train', run_attempt: 2 }, strategy: { 'job-index': 3 } },
      },
    );
    expect(JSON.parse(report.main.log.split('\n').at(-2) as string)).toEqual({
      INPUT_RUN: 'echo 1\necho 2\n',
      'INPUT_ARTIFACT-NAME': 'oom-train-3-2',
      INPUT_WITH_SPACE: '7',
      INPUT_NONE: '',
      INPUT_EXTRA: 'true',
    });
    expect(report.annotations).toMatchObject([
      {
        level: 'warning',
        message: expect.stringContaining("Unexpected input(s) 'extra', valid inputs are ['run'"),
      },
    ]);
  });

  it('the variables of a job, its own env, and nothing of the surroundings', async () => {
    process.env.GITHUB_FOREIGN = 'leak';
    const report = await run('console.log(JSON.stringify({ ...env, cwd: process.cwd() }))', {
      env: { MINE: 'yes', HOME: null, GITHUB_SERVER_URL: 'https://ghes.example' },
      jobContext: { github: { server_url: 'https://github.com', run_id: 42 } },
    });
    delete process.env.GITHUB_FOREIGN;
    const env = printed(report);
    expect(env).toMatchObject({
      ...{ MINE: 'yes', CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_RUN_ID: '42', GITHUB_RUN_ATTEMPT: '1' },
      ...{ GITHUB_JOB: 'job', GITHUB_REPOSITORY: 'octocat/hello-world', GITHUB_WORKSPACE: dir, cwd: dir },
      ...{ RUNNER_TEMP: join(dir, 'temp'), RUNNER_OS: 'Linux', RUNNER_TRACKING_ID: report.trackingId },
      GITHUB_SERVER_URL: 'https://github.com',
    });
    expect(env.GITHUB_OUTPUT).toContain(join(dir, 'temp', '_runner_file_commands', 'set_output_'));
    for (const name of ['HOME', 'GITHUB_FOREIGN', 'JEST_WORKER_ID', 'GITHUB_ACTION_PATH', 'STATE_x'])
      expect(env).not.toHaveProperty(name); // GITHUB_ACTION_PATH is for composite actions only
  });

  it('closed stdin, and outputs that are pipes and not sockets', async () => {
    const report = await run(`
      const kind = (fd) => fs.fstatSync(fd).isFIFO();
      const stdin = fs.readFileSync(0).length;
      console.log(JSON.stringify({ out: kind(1), err: kind(2), stdin }));
      fs.writeFileSync('/dev/stdout', 'by name\\n');`);
    expect(report.main.log).toBe('{"out":true,"err":true,"stdin":0}\nby name\n');
  });
});

describe('what a step leaves', () => {
  it('outputs, state, env, path and summary, from main to post', async () => {
    const report = await run(
      `add('GITHUB_OUTPUT', 'a=1=2\\nlong<<E_O_F\\nx\\n\\ny=z\\nE_O_F\\nempty<<E\\nE\\nlast=no newline');
       add('GITHUB_STATE', 'pid=77\\n'); add('GITHUB_ENV', 'FOO=bar\\n'); add('GITHUB_PATH', '/first\\n/second\\n');
       add('GITHUB_STEP_SUMMARY', '# Main\\r\\n');`,
      {
        post: `console.log([env.STATE_pid, env.FOO, env.PATH.split(':').slice(0, 2), env.INPUT_RUN].join()); add('GITHUB_STEP_SUMMARY', '# Post');`,
        inputs: { run: 'r' },
      },
    );
    expect(report.outputs).toEqual({ a: '1=2', long: 'x\n\ny=z', empty: '', last: 'no newline' });
    expect(report.state).toEqual({ pid: '77' });
    expect(report.env).toEqual({ FOO: 'bar', PATH: '/second:/first' });
    expect(report.summary).toBe('# Main\n\n# Post\n');
    expect(report.post?.log).toBe('77,bar,/second,/first,r\n');
    expect(report).toMatchObject({
      conclusion: 'success',
      jobConclusion: 'success',
      problems: [],
      orphans: [],
    });
  });

  it('a faulty file fails the step; what came before the fault counts; NODE_OPTIONS is refused', async () => {
    const report = await run(
      `add('GITHUB_OUTPUT', 'good=1\\nbad<<EOF\\nnever closed'); add('GITHUB_ENV', 'NODE_OPTIONS=-x\\nA=1\\n');`,
    );
    expect(report).toMatchObject({
      conclusion: 'failure',
      outputs: { good: '1' },
      env: { A: '1' },
      main: { code: 0 },
    });
    expect(report.annotations.map((a) => a.message)).toEqual([
      "Can't store NODE_OPTIONS output parameter using '$GITHUB_ENV' command.",
      "Unable to process file command 'output' successfully.",
      "Invalid value. Matching delimiter not found 'EOF'",
    ]);
  });

  it.each([
    [1024 * 1024, 'kept', []],
    [
      1024 * 1024 + 1,
      'dropped whole',
      [expect.objectContaining({ level: 'error', message: expect.stringContaining('got 1024k') })],
    ],
  ])('a summary of %d bytes is %s, and the step stays green', async (bytes, _what, annotations) => {
    const report = await run(`add('GITHUB_STEP_SUMMARY', 'x'.repeat(${bytes}))`);
    expect(report.summary.length).toBe(annotations.length === 0 ? bytes + 1 : 0);
    expect(report).toMatchObject({ conclusion: 'success', annotations });
  });

  it('ten annotations of a level in each stage, and the others in the log', async () => {
    const say = `for (let i = 0; i < 12; i++) console.log('::error::e' + i + '\\n::warning::w' + i);`;
    const report = await run(say, { post: say });
    expect(report.annotations).toHaveLength(40);
    expect(
      report.main.annotations
        .filter((a) => a.level === 'error')
        .map((a) => a.message)
        .at(-1),
    ).toBe('e9');
    expect(report.main.annotationCounts).toEqual({ error: 12, warning: 12, notice: 0 });
    expect(report.main.log).toContain('##[error]e11\n');
  });

  it('bytes as they were, with an unterminated last line', async () => {
    const report = await run(
      `process.stdout.write(Buffer.from([0xff, 10, 13, 10, 65, 13, 66])); process.stderr.write('no end')`,
    );
    expect([...(report.main.stdout.data as Buffer)]).toEqual([0xff, 10, 13, 10, 65, 13, 66]);
    expect(report.main.stderr).toMatchObject({ bytes: 6, data: Buffer.from('no end') });
    expect(report.stdoutSha256).toBe(
      createHash('sha256')
        .update(report.main.stdout.data as Buffer)
        .digest('hex'),
    );
    expect(report.log.split('\n').sort()).toEqual(['', '', 'A', 'B', 'no end', '\ufffd']);
  });

  it('large output is counted and hashed without being kept; commands in it are heard', async () => {
    const report = await run(
      `const block = Buffer.alloc(1 << 20, 'y'.repeat(79) + '\\n');
       for (let i = 0; i < 24; i++) { fs.writeSync(1, block); if (i === 11) fs.writeSync(1, '\\n::notice::half\\n'); }`,
      { keepOutput: false },
    );
    const block = Buffer.alloc(1 << 20, `${'y'.repeat(79)}\n`);
    const hash = createHash('sha256');
    for (let i = 0; i < 24; i++) hash.update(block).update(i === 11 ? '\n::notice::half\n' : '');
    expect(report).toMatchObject({ stdoutBytes: 24 * (1 << 20) + 16, stdoutSha256: hash.digest('hex') });
    expect(report.main.stdout.data).toBeNull();
    expect(report.annotations).toEqual([{ level: 'notice', message: 'half' }]);
    expect(report.log.length).toBeLessThan(2 << 20);
  });
});

describe('how a step ends', () => {
  it('a code other than 0 is a failure, and post runs', async () => {
    const report = await run('process.exitCode = 3', { post: `console.log('post')` });
    expect(report).toMatchObject({
      conclusion: 'failure',
      main: { code: 3, signal: null },
      post: { code: 0 },
    });
    expect(report.log).toBe('post\n');
  });

  it('a signal is a failure', async () => {
    expect(await run(`process.kill(process.pid, 'SIGSEGV'); await wait(5000)`)).toMatchObject({
      ...{ conclusion: 'failure', main: { code: null, signal: 'SIGSEGV', sent: [] } },
    });
  });

  it('a post that fails turns the job red, not the step', async () => {
    expect(await run('', { post: 'process.exitCode = 1' })).toMatchObject({
      conclusion: 'success',
      jobConclusion: 'failure',
    });
  });

  it.each([
    ['success()', '', true],
    ['success()', 'process.exitCode = 1', false],
    ['failure()', 'process.exitCode = 1', true],
    ["always() && job.status == 'failure'", 'process.exitCode = 1', true],
    ['${{ !cancelled() }}', '', true],
  ])('post-if: %s after "%s" gives %s', async (postIf, main, ran) => {
    expect((await run(main, { postIf, post: '' })).post !== null).toBe(ran);
  });

  it('survivors that hold the output open are let go, named, and ended after post', async () => {
    const report = await run(
      `cp.spawn('sleep', ['30'], { stdio: 'inherit', detached: true }).unref(); console.log('done');`,
      { post: '' },
    );
    expect(report).toMatchObject({
      conclusion: 'success',
      main: { code: 0, heldOpen: true },
      post: { heldOpen: false },
    });
    expect(report.survivors).toEqual([{ pid: expect.any(Number), command: 'sleep 30' }]);
    expect(report.orphans).toEqual(report.survivors);
    expect(report.problems).toEqual([expect.stringContaining('held open')]);
    while (processesWith('RUNNER_TRACKING_ID', report.trackingId).length > 0)
      await new Promise((ok) => setTimeout(ok, 10));
  });

  it('a process that was killed and is still on its way out is no orphan', () => {
    const status = (own: string, shared: string) =>
      `State:\tS\nSigPnd:\t${own}\nShdPnd:\t${shared}\nSigBlk:\t0000000000000100\n`;
    const [none, kill, term] = ['0000000000000000', '0000000000000100', '0000000000004000'];
    expect([status(none, none), status(term, term)].map(isDying)).toEqual([false, false]);
    expect([status(kill, none), status(none, kill), status(none, '0000000000004100')].map(isDying)).toEqual([
      true,
      true,
      true,
    ]);
    expect(isDying(readFileSync('/proc/self/status', 'utf8'))).toBe(false);
  });

  it('a survivor with an output of its own holds nothing, and can be left alone', async () => {
    const report = await run(`cp.spawn('sleep', ['30'], { stdio: 'ignore', detached: true }).unref();`, {
      cleanOrphans: false,
    });
    expect(report.main.heldOpen).toBe(false);
    const [left] = processesWith('RUNNER_TRACKING_ID', report.trackingId);
    expect(report.orphans).toEqual([left]);
    process.kill(left?.pid as number, 'SIGKILL');
  });
});

describe('cancel and timeout', () => {
  // a child of main that would say so if it got a signal, and a main that goes on until it gets one
  const child = `const kid = cp.spawn(process.execPath, ['-e', 'for (const s of ["SIGINT", "SIGTERM"]) process.on(s, () => require("fs").writeFileSync("kid", s)); setTimeout(() => {}, 4000)'], { stdio: 'ignore' });`;
  const ready = `console.log('ready'); setTimeout(() => {}, 20000);`;

  it('SIGINT to main alone; then post, with the state that main left', async () => {
    const report = await run(
      `add('GITHUB_STATE', 'k=v\\n'); ${child}
       process.on('SIGINT', () => { console.log('got SIGINT'); process.exit(130); }); ${ready}`,
      {
        cancelAfter: (line) => line === 'ready',
        graces: { ...QUICK, sigint: 5000 },
        post: `console.log(env.STATE_k, fs.existsSync('kid'))`,
      },
    );
    expect(report).toMatchObject({
      conclusion: 'cancelled',
      main: { code: 130, sent: ['SIGINT'] },
      jobConclusion: 'cancelled',
    });
    expect(report.log).toBe('ready\ngot SIGINT\n##[error]The operation was canceled.\nv false\n');
    expect(report.survivors).toHaveLength(1);
  });

  it('SIGTERM and SIGKILL to one that does not go', async () => {
    const report = await run(
      `process.on('SIGINT', () => console.log('int')); process.on('SIGTERM', () => console.log('term')); ${ready}`,
      { cancelAfter: (line) => line === 'ready', post: '' },
    );
    expect(report).toMatchObject({
      conclusion: 'cancelled',
      main: { signal: 'SIGKILL', sent: ['SIGINT', 'SIGTERM', 'SIGKILL'] },
      post: { code: 0 },
    });
    expect(report.main.log).toContain('int\nterm\n');
  });

  it('the log can be followed as it is written', async () => {
    const heard: string[] = [];
    const report = await run(`console.log('::add-mask::xyz'); console.log('a xyz'); ${ready}`, {
      ...{
        cancelAfter: (line: string) => line === 'ready',
        onLog: (line: string) => heard.push(line),
        post: `console.log('p')`,
      },
    });
    expect(heard).toEqual(['a ***', 'ready', '##[error]The operation was canceled.', 'p']);
    expect(report.log).toBe(`${heard.join('\n')}\n`);
  });

  it('a main that ends well after a cancel is cancelled all the same', async () => {
    const report = await run(`process.on('SIGINT', () => process.exit(0)); ${ready}`, {
      cancelAfter: (line) => line === 'ready',
    });
    expect(report).toMatchObject({ conclusion: 'cancelled', main: { code: 0 } });
  });

  it('act kills at once, and runs post with what was saved', async () => {
    const report = await run(`add('GITHUB_STATE', 'k=v\\n'); process.on('SIGINT', () => {}); ${ready}`, {
      ...{
        cancelAfter: (line: string) => line === 'ready',
        cancelStyle: 'act' as const,
        post: 'console.log(env.STATE_k)',
      },
    });
    expect(report).toMatchObject({
      conclusion: 'cancelled',
      main: { signal: 'SIGKILL', sent: ['SIGKILL'] },
      post: { log: 'v\n' },
    });
  });

  it('by time, by a signal, and by the step’s timeout, which is a failure', async () => {
    expect(await run(ready, { cancelAfter: 20 })).toMatchObject({ conclusion: 'cancelled' });
    const stop = new AbortController();
    expect(await run(ready, { cancelAfter: stop.signal, onStart: () => stop.abort() })).toMatchObject({
      conclusion: 'cancelled',
    });
    const late = await run(ready, { timeoutMs: 60, name: 'train', postIf: 'failure()', post: '' });
    expect(late).toMatchObject({ conclusion: 'failure', post: { code: 0 } });
    expect(late.annotations).toEqual([
      { level: 'error', message: "The action 'train' has timed out after 0 minutes." },
    ]);
  });

  it('someone else may kill main or post', async () => {
    const kill = (which: string) => (stage: string, pid: number) => {
      if (stage === which) process.kill(pid, 'SIGKILL');
    };
    expect(await run(ready, { onStart: kill('main'), post: '' })).toMatchObject({
      conclusion: 'failure',
      main: { signal: 'SIGKILL', sent: [] },
      post: { code: 0 },
    });
    expect(await run('', { onStart: kill('post'), post: ready })).toMatchObject({
      conclusion: 'success',
      post: { signal: 'SIGKILL' },
      jobConclusion: 'failure',
    });
  });

  it('post has a bound of its own', async () => {
    const report = await run('', { post: ready, postTimeoutMs: 100 });
    expect(report).toMatchObject({ post: { signal: 'SIGKILL' }, problems: ['post was ended after 100 ms'] });
  });
});

describe('workflow commands', () => {
  const logOf = (lines: string[], options = {}) => {
    const log = new StepLog({ masker: new Masker(), workspace: '/w', ...options });
    for (const line of lines) log.line(line);
    return log;
  };

  it.each([
    ['::error::a%0Ab%25%2C', { level: 'error', message: 'a\nb%%2C' }],
    [
      '  ::warning file=x.py,line=3,title=a%2Cb%3A::m',
      { level: 'warning', message: 'm', file: 'x.py', line: '3', title: 'a,b:' },
    ],
    ['::Notice file=/w/src/a.py::m', { level: 'notice', message: 'm', file: 'src/a.py' }],
    ['before ##[error]old form', { level: 'error', message: 'old form' }],
    [`::error::${'x'.repeat(5000)}`, { level: 'error', message: 'x'.repeat(4096) }],
  ])('%.40s', (line, annotation) => {
    expect(logOf([line]).annotations).toEqual([annotation]);
  });

  it.each(['x ::error::m', '::unknown::m', '::error no end', 'a::b::c', '##[nothing]x'])(
    '"%s" is plain output',
    (line) => {
      const log = logOf([line]);
      expect(log.annotations).toEqual([]);
      expect(log.log).toBe(`${line}\n`);
    },
  );

  it('groups, debug, echo', () => {
    const lines = ['::group::A', '::debug::d', '::endgroup::', '::echo::on', '::group::B'];
    expect(logOf(lines).log).toBe('##[group]A\n##[endgroup]\n::group::B\n##[group]B\n');
    expect(logOf(['::debug::d'], { debug: true }).log).toBe('##[debug]d\n');
  });

  it('stop-commands: nothing is heard until the token', () => {
    const log = logOf([
      '::stop-commands::tok',
      '::error::no',
      '::set-output name=a::1',
      '::TOK::',
      '::error::yes',
    ]);
    expect(log.annotations.map((a) => a.message)).toEqual(['yes']);
    expect(log.outputs).toEqual({});
    expect(logOf(['::stop-commands::error']).failed).toBe(true);
  });

  it('set-output and save-state still work and warn; set-env and add-path fail the step', () => {
    const log = logOf(['::set-output name=a::1%0A2', '::save-state name=b::3']);
    expect([log.outputs, log.state, log.failed, log.counts.warning]).toEqual([
      { a: '1\n2' },
      { b: '3' },
      false,
      2,
    ]);
    for (const line of ['::set-env name=a::1', '::add-path::/x', '::set-output::1', '::echo::maybe'])
      expect(logOf([line])).toMatchObject({ failed: true, counts: { error: 2 } });
  });

  it('masks in the log, in annotations and in the summary, in every form', async () => {
    const report = await run(
      `console.log('::add-mask::s3cret/one%0Asecond'); console.log('a s3cret/one b second c s3cret%2Fone ' + Buffer.from('second').toString('base64'));
       console.log('::error::s3cret/one'); add('GITHUB_STEP_SUMMARY', 'x second y'); console.error(env.TOKEN, env.ACTIONS_RUNTIME_TOKEN);`,
      { secrets: ['t0k3n'], env: { TOKEN: 't0k3n', ACTIONS_RUNTIME_TOKEN: 'rt-token' } },
    );
    expect(report.log.split('\n')).toEqual(
      expect.arrayContaining(['a *** b *** c *** ***', '##[error]***', '*** ***']),
    );
    expect([report.summary, report.annotations[0]?.message]).toEqual(['x *** y\n', '***']);
    expect(report.masks).toEqual(['t0k3n', 'rt-token', 's3cret/one\nsecond']);
  });

  it('reads properties as the runner does', () => {
    expect(parseCommand('::error a=1, b=x=y,=z,c=::d', () => true)).toEqual({
      command: 'error',
      properties: { a: '1', b: 'x=y' },
      data: 'd',
    });
  });
});

describe('pure parts', () => {
  it('lines end at LF, CR and CRLF, however the bytes are cut', () => {
    const text = 'a\r\nb\rc\n\n\r\r\nd::e\r';
    const want = text.replace(/\r\n?/g, '\n').split('\n').slice(0, -1);
    for (let size = 1; size <= text.length; size++) {
      const lines: string[] = [];
      const commands: string[] = [];
      const readers = [
        new LineReader((l) => lines.push(l), true),
        new LineReader((l) => commands.push(l), false),
      ];
      for (const reader of readers) {
        for (let at = 0; at < text.length; at += size) reader.push(Buffer.from(text.slice(at, at + size)));
        reader.end();
      }
      expect([lines, commands]).toEqual([want, ['d::e']]);
    }
  });

  it('pairs', () => {
    expect(parsePairs('a<<b=c\nx\nb=c\n')).toEqual({ entries: [['a', 'x']], problem: null });
    expect(parsePairs('a=1<<2\r\n')).toEqual({ entries: [['a', '1<<2\r']], problem: null });
    for (const bad of ['nothing', '=x', '<<E\nE', 'a<<\n'])
      expect(parsePairs(bad).problem).toContain('Invalid format');
  });

  const scope = {
    contexts: { github: { job: 'Train', sha: null }, strategy: { 'job-index': 0 } },
    functions: { always: () => true },
  };
  it.each([
    ["github.job == 'train' && 'yes' || 'no'", 'yes'],
    ["github['JOB']", 'Train'],
    ['strategy.job-index', 0],
    ["format('{0}-{{{1}}}', github.job, strategy.job-index)", 'Train-{0}'],
    ['!(github.sha || false)', true],
    ["'it''s'", "it's"],
    ['1 < 2 && 2 >= 2', true],
    ['github.nothing.at.all', null],
    ["always() && contains(github.job, 'AIN')", true],
  ])('%s', (text, value) => {
    expect(evaluate(text, scope)).toEqual(value);
  });

  it.each([
    ['secrets.TOKEN', 'the context "secrets" is not available here; available are github, strategy'],
    ['hashFiles("x")', 'cannot read the expression'],
    ["hashFiles('x')", 'the function hashFiles() is not supported'],
    ['github.', 'a name must follow'],
    ['1 +', 'cannot read'],
    ['(1', 'expected ")"'],
    ['1 2', '"2" is not supported there'],
  ])('refuses %s', (text, why) => {
    expect(() => evaluate(text, scope)).toThrow(why);
  });

  it('interpolates, and takes a condition with or without braces', () => {
    expect(interpolate("a-${{ github.job }}-${{ '}}' }}-${{github.sha}}", scope)).toBe('a-Train-}}-');
    expect([condition('always()', scope), condition('${{ !always() }}', scope)]).toEqual([true, false]);
  });

  it('says what it does not run', async () => {
    const runs = (r: object) => () => readAction({ runs: r }, 'action.yml');
    expect(runs({ using: 'composite' })).toThrow('runs.using is "composite"');
    expect(runs({ using: 'node24' })).toThrow('runs.main is missing');
    expect(runs({ using: 'node24', main: 'm', pre: 'p' })).toThrow('runs.pre is not supported');
    const action = readAction(
      { inputs: { a: { default: '${{ secrets.X }}' } }, runs: { using: 'node24', main: 'm' } },
      'f',
    );
    expect(() => resolveInputs(action, {}, scope)).toThrow('the context "secrets"');
    await expect(runAction({ actionDir: dir })).rejects.toThrow('no action.yml');
    await expect(run('', { node: '/no/such/node' })).rejects.toThrow('ENOENT');
  });
});

it('the command line: runs an action beside an artifact service and prints what came of it', async () => {
  await run('', {}); // for its action.yml
  writeFileSync(
    join(dir, 'action', 'main.mjs'),
    `import { writeFileSync } from 'node:fs';
     const { DefaultArtifactClient } = await import(${JSON.stringify(join(process.cwd(), 'node_modules/@actions/artifact/lib/artifact.js'))});
     writeFileSync('e.txt', 'evidence');
     const { digest } = await new DefaultArtifactClient().uploadArtifact('evidence', ['e.txt'], '.', { skipArchive: true });
     console.log('::notice title=digest::' + digest); process.exitCode = Number(process.env.INPUT_CODE);`,
  );
  const cli = (...args: string[]) =>
    spawnSync(
      process.execPath,
      [
        join(process.cwd(), 'lab/standins/runner/cli.mjs'),
        '--action',
        join(dir, 'action'),
        '--workspace',
        dir,
        ...args,
      ],
      { encoding: 'utf8', timeout: 30_000 },
    );
  const json = join(dir, 'report.json');
  const done = cli('--input', 'code=3', '--service', 'start', '--temp', join(dir, 'cli'), '--json', json);
  expect(done).toMatchObject({ status: 1, stderr: '' });
  const digest = createHash('sha256').update('evidence').digest('hex');
  expect(done.stdout).toContain(`e.txt (finalized): 8 bytes, sha256:${digest}`);
  expect(done.stdout).toContain(`notice [digest]: ${digest}`);
  const { artifacts, main } = JSON.parse(readFileSync(json, 'utf8'));
  expect(readFileSync(artifacts[0].path, 'utf8')).toBe('evidence');
  expect(main.code).toBe(3);
  expect(cli('--input', 'code')).toMatchObject({
    status: 2,
    stderr: 'runner: --input code: the form is NAME=VALUE\n',
  });
  const refused = cli('--service', 'start', '--fault', 'CreateArtifact=403', '--temp', join(dir, 'cli2'));
  expect(refused.stdout).toContain('Failed to CreateArtifact');
  expect(refused.status).toBe(1);
}, 30_000);
