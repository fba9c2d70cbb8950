/** Whose frame it is, and what of a stack is shown. */
import { describe, expect, it } from '@jest/globals';
import { foldStack, frameKind, liesIn, packageOf, placeOf, userFrame } from '../../src/report/frames.js';
import { frame, STACK, WORKSPACE } from './report-kit.js';

describe('frameKind', () => {
  it.each([
    [`${WORKSPACE}/train.py`, 'user'],
    ['train.py', 'user'],
    ['<string>', 'user'],
    ['/srv/shared/trainer/loop.py', 'user'],
    [`${WORKSPACE}/.venv/lib/python3.11/site-packages/transformers/trainer.py`, 'library'],
    ['/usr/lib/python3/dist-packages/numpy/core.py', 'library'],
    ['/usr/lib/python3.12/runpy.py', 'library'],
    ['<frozen runpy>', 'library'],
    ['/opt/venv/lib/python3.11/site-packages/torch/nn/functional.py', 'torch'],
    ['<eval_with_key>.3', 'torch'],
    ['/w/inductor-cache/ab/cabxq3m2vq5yw6o4u7d4l2k3j5h6g7f8d9s0a1p2o3i4u5y6t7r8.py', 'torch'],
    ['/w/inductor-cache/xy/cabxq3m2vq5yw6o4u7d4l2k3j5h6g7f8d9s0a1p2o3i4u5y6t7r8.py', 'user'],
    ['/w/ab/cab.py', 'user'],
    ['/tmp/oom-autopsy-0123456789ab/path/sitecustomize.py', 'shim'],
    ['/tmp/oom-autopsy-0123456789ab/path/_oom_autopsy/recording/observer.py', 'shim'],
    ['C:\\work\\train.py', 'user'],
    ['C:\\venv\\Lib\\site-packages\\torch\\nn\\functional.py', 'torch'],
  ])('%s is %s', (file, kind) => {
    expect(frameKind(frame(file, 1, 'f'))).toBe(kind);
  });
});

describe('userFrame', () => {
  it('is the innermost frame of the user, not of torch or ours', () => {
    expect(userFrame(STACK, WORKSPACE)).toMatchObject({ line: 22, function: 'Block.forward' });
  });

  it('takes the workspace before other code that is not in site-packages', () => {
    const stack = [frame(`${WORKSPACE}/train.py`, 3, 'main'), frame('/srv/shared/loop.py', 9, 'run')];
    expect(userFrame(stack, WORKSPACE)).toMatchObject({ line: 3 });
    expect(userFrame(stack, null)).toMatchObject({ line: 9 });
  });

  it('is null where only libraries stand', () => {
    expect(userFrame([frame('/v/lib/python3.11/site-packages/torch/a.py', 1, 'f')], WORKSPACE)).toBeNull();
  });
});

describe('foldStack', () => {
  it('folds libraries, keeps the order and never shows the shim', () => {
    const groups = foldStack(STACK);
    expect(groups.map((g) => [g.kind, g.frames.length, g.packages.join()])).toEqual([
      ['user', 2, ''],
      ['library', 2, 'torch'],
      ['user', 1, ''],
      ['library', 1, 'torch'],
    ]);
    expect(JSON.stringify(groups)).not.toContain('_oom_autopsy');
  });
});

it('names places as short as they stay telling', () => {
  expect(placeOf(frame(`${WORKSPACE}/model/block.py`, 22, 'f'), WORKSPACE)).toBe('model/block.py:22');
  expect(placeOf(frame('/srv/shared/trainer/loop.py', 9, 'f'), WORKSPACE)).toBe('trainer/loop.py:9');
  expect(placeOf(frame('/v/lib/python3.11/site-packages/torch/nn/a.py', 9, 'f'), WORKSPACE)).toBe(
    'torch/nn/a.py:9',
  );
  expect(placeOf(frame('<string>', 0, 'f'), WORKSPACE)).toBe('<string>');
  expect(packageOf(frame('/usr/lib/python3.12/runpy.py', 1, 'f'))).toBe('python');
});

it('does not take a path that leaves the workspace for one in it', () => {
  expect(liesIn(`${WORKSPACE}/../../../etc/passwd`, WORKSPACE)).toBe(false);
  expect(liesIn(`${WORKSPACE}-other/a.py`, WORKSPACE)).toBe(false);
  expect(liesIn(`${WORKSPACE}/a.py`, `${WORKSPACE}/`)).toBe(true);
});
