/** At most one error for the verdict, on the user's own line, and one for the gates. */
import { describe, expect, it } from '@jest/globals';
import { annotations } from '../../src/report/annotations.js';
import { eightRanks, failedRank, frame, HOSTILE, manifest, quietRank, WORKSPACE } from './report-kit.js';

describe('annotations', () => {
  it('point at the innermost line of the workspace', () => {
    const [error, ...more] = annotations(eightRanks(), WORKSPACE);
    expect(more).toEqual([]);
    expect(error).toMatchObject({
      level: 'error',
      place: { title: 'Out of GPU memory on rank 1', file: 'model/block.py', startLine: 22 },
    });
    expect(error?.message).toMatch(/^model\/block\.py:22 in Block\.forward asked for 16\.00 MiB on GPU 1/);
    expect(error?.message).not.toContain('**');
  });

  it('pass over libraries that are installed in the workspace', () => {
    const library = frame(`${WORKSPACE}/.venv/lib/python3.11/site-packages/accelerate/utils.py`, 9, 'f');
    const stack = [frame(`${WORKSPACE}/train.py`, 3, 'main'), library];
    const m = manifest({ receipts: [failedRank(1, 0, {}, { stack })], exitCode: 1 });
    expect(annotations(m, WORKSPACE)[0]?.place).toMatchObject({ file: 'train.py', startLine: 3 });
  });

  it('point nowhere when no frame lies in the workspace', () => {
    expect(annotations(eightRanks(), '/somewhere/else')[0]?.place).toEqual({
      title: 'Out of GPU memory on rank 1',
    });
    expect(annotations(eightRanks(), null)[0]?.place.file).toBeUndefined();
    const leaving = [frame(`${WORKSPACE}/../../secret.py`, 1, 'f')];
    const m = manifest({ receipts: [failedRank(1, 0, {}, { stack: leaving })], exitCode: 1 });
    expect(annotations(m, WORKSPACE)[0]?.place.file).toBeUndefined();
  });

  it("point at the main thread's line when the failing thread has none of the user's", () => {
    const main = [frame(`${WORKSPACE}/train.py`, 31, 'train_step')];
    const m = manifest({
      receipts: [failedRank(1, 0, {}, { thread: 'backward', stack: [], main_stack: main })],
      exitCode: 1,
    });
    expect(annotations(m, WORKSPACE)[0]?.place).toMatchObject({ file: 'train.py', startLine: 31 });
  });

  it('are none on a green run', () => {
    expect(annotations(manifest({ receipts: [quietRank(1, 0)] }), WORKSPACE)).toEqual([]);
  });

  it('are one for all gates: red when one fails a green step, else a warning', () => {
    const gates = [
      { gate: 'cycles', level: 'warn', message: '1 kind of reference cycle kept GPU tensors alive' },
      { gate: 'parity', level: 'fail', message: 'Parity with the frozen fixture drifted' },
    ] as const;
    const failing = annotations(manifest({ receipts: [quietRank(1, 0)], gates }), WORKSPACE);
    expect(failing).toHaveLength(1);
    expect(failing[0]).toMatchObject({ level: 'error', place: { title: 'oom-autopsy: cycles, parity' } });
    const red = annotations(manifest({ receipts: [failedRank()], exitCode: 1, gates }), WORKSPACE);
    expect(red.map((a) => a.level)).toEqual(['error', 'warning']);
    expect(annotations(manifest({ gates: gates.slice(0, 1) }), WORKSPACE)[0]?.level).toBe('warning');
  });

  it('stay in one line each, without control characters, however long the text', () => {
    const stack = [frame(`${WORKSPACE}/${HOSTILE}.py`, 1, 'f'.repeat(1_000_000))];
    const m = manifest({
      receipts: [failedRank(1, 0, {}, { stack })],
      exitCode: 1,
      gates: [{ gate: 'cycles', level: 'warn', message: `\u0007${'x\n'.repeat(600_000)}` }],
    });
    const all = annotations(m, WORKSPACE);
    expect(all).toHaveLength(2);
    for (const { message } of all) {
      expect(message.length).toBeLessThan(4000);
      expect(message).not.toMatch(/[\n\p{Cc}\p{Cf}]/u);
    }
  });
});

describe('a step that failed by something else', () => {
  const at = frame(`${WORKSPACE}/train.py`, 12, 'main');
  const end = { kind: 'exception', exception: 'builtins.KeyError', oom: false, time: 9, at };
  const failed = (exitCode: number, changes: Record<string, unknown> = {}) =>
    annotations(manifest({ receipts: [quietRank(7, null, changes)], exitCode }), WORKSPACE);

  it('is told at the line where its program ended, with its error', () => {
    expect(failed(1, { end })).toEqual([
      {
        level: 'error',
        message: 'train.py ended with KeyError (exit code 1)',
        place: { file: 'train.py', startLine: 12 },
      },
    ]);
    expect(failed(1, { end: { ...end, at: null } })[0]?.place).toEqual({});
    expect(failed(1, { end: { ...end, at: frame('/elsewhere/x.py', 3, 'f') } })[0]?.place).toEqual({});
  });

  it.each([
    [127, 'A command was not found (exit code 127)'],
    [126, 'A command could not be run: it is not executable (exit code 126)'],
    [3, 'The step failed (exit code 3)'],
  ])('has an annotation for exit code %d without advice', (code, message) => {
    expect(failed(code)).toEqual([{ level: 'error', message, place: {} }]);
  });
});
