/** When the parity check is not run at all, and which receipts may name the interpreter that runs it. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import type { Evidence } from '../../src/evidence/collect.js';
import { parityOf } from '../../src/parity/run.js';
import type { Ended } from '../../src/step/ended.js';

const root = mkdtempSync(join(tmpdir(), 'parity run '));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const ended = (options: object, more: object = {}): Ended =>
  ({
    plan: { options: { parity: 'fail', python: '', fixture: '', ...options }, workspace: root },
    result: { cancelledBy: null },
    env: {},
    actionDir: '/nowhere',
    ...more,
  }) as unknown as Ended;

/** Evidence of processes that say they ran under these interpreters. */
const evidence = (...executables: string[]): Evidence =>
  ({ receipts: executables.map((executable) => ({ torch: {}, executable })) }) as unknown as Evidence;

const lines: string[] = [];
const log = (line: string): void => void lines.push(line);

it('is off when it is not asked for', async () => {
  expect(await parityOf(ended({ parity: 'off' }), evidence('/usr/bin/python3'), log)).toMatchObject({
    state: 'off',
  });
});

it('says that there is nothing to compare when no process used torch', async () => {
  const parity = await parityOf(ended({}), evidence(), log);
  expect(parity).toMatchObject({
    state: 'unverifiable',
    notRun: false,
    reason: expect.stringMatching(/no process/),
  });
});

it.each(['relative/python', '/bin/sh', '/tmp/evil', '/x/python;rm', '/x/pythonista'])(
  'does not run %s because a receipt names it',
  async (executable) => {
    expect(await parityOf(ended({}), evidence(executable), log)).toMatchObject({
      reason: expect.stringMatching(/no process/),
    });
    expect(lines).toEqual([]);
  },
);

it.each<[string, object, RegExp]>([
  ['the step was cancelled', { result: { cancelledBy: 'SIGINT' } }, /^the step was cancelled/],
  [
    'main was ended after the step had ended by itself',
    { result: { cancelledBy: null }, hurried: true },
    /^main was ended before it had run the check$/,
  ],
  [
    'main was ended with the step',
    { result: null, hurried: true },
    /^main was ended before it had run the check$/,
  ],
  [
    'a cancel comes once the step has ended',
    { cancel: { asked: AbortSignal.abort(), overdue: new AbortController().signal } },
    /^the job was cancelled before the check was run$/,
  ],
])('is not run when %s, and says so', async (_name, more, reason) => {
  expect(await parityOf(ended({}, more), evidence('/usr/bin/python3'), log)).toMatchObject({
    state: 'unverifiable',
    notRun: false,
    reason: expect.stringMatching(reason),
  });
  expect(lines).toEqual([]);
});

it.each([
  ['', ['--worker', '30', '--remember', '/the/temp']],
  ['my.json', ['--worker', '182', '--remember', '/the/temp', '--fixture']],
])('holds a step up by 30 s at most, longer only for a fixture of the user’s (%s)', async (fixture, args) => {
  const [python, seen] = [join(root, 'python3'), join(root, 'seen')];
  writeFileSync(python, `#!/bin/bash\nprintf '%s\\n' "$@" > '${seen}'\n`);
  chmodSync(python, 0o755);
  writeFileSync(join(root, 'my.json'), '');
  const env = { PATH: process.env['PATH'], RUNNER_TEMP: '/the/temp' };
  await parityOf(ended({ python, fixture }, { env, actionDir: '/d' }), evidence(), log);
  const lines = readFileSync(seen, 'utf8').trim().split('\n');
  expect(lines.slice(0, 3)).toEqual(['/d/python/parity/oom_autopsy_parity', 'check', '--json']);
  expect(lines.slice(3, 3 + args.length)).toEqual(args);
});
