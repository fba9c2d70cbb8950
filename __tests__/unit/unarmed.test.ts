/** Why a Python process was not reached, from its start alone; and hints in the text of the step. */
import { describe, expect, it } from '@jest/globals';
import { interpreterFlags, scriptHints, whyUnarmed } from '../../src/step/unarmed.js';

describe('interpreterFlags', () => {
  it.each([
    [['python', 'train.py', '-I'], ''],
    [['python', '-I', 'train.py'], 'I'],
    [['python', '-uIS', '-c', 'x'], 'uIS'],
    [['python', '-X', 'dev', '-E', 't.py'], 'E'],
    [['python', '-Xdev', '-W', 'ignore', '-S', 't.py'], 'S'],
    [['python', '-m', 'pytest', '-I'], ''],
    [['python', '-Em', 'pytest'], 'E'],
    [['python'], ''],
  ])('%j', (args, flags) => {
    expect(interpreterFlags(args)).toBe(flags);
  });
});

describe('whyUnarmed', () => {
  const ours = ['A=1', 'PYTHONPATH=/shim:/mine'];
  it.each([
    [['python', '-I', 'x'], ours, 'isolated'],
    [['python', '-E', 'x'], ours, 'ignore-environment'],
    [['python', '-S', 'x'], ours, 'no-site'],
    [['python', 'x'], ['PYTHONPATH=/mine'], 'pythonpath-replaced'],
    [['python', 'x'], [], 'pythonpath-replaced'],
    [['python', 'x'], ours, 'unknown'],
    [['python', 'x'], null, 'unknown'],
  ])('%j %j', (args, env, reason) => {
    expect(whyUnarmed(args, env, '/shim')).toBe(reason);
  });
});

describe('scriptHints', () => {
  it.each([
    ['docker run --gpus all -t img python x.py', ['docker']],
    ['docker exec -t c bash', ['docker']],
    ['tox -e gpu', ['tox']],
    ['sudo -E python x.py', ['sudo']],
    ['env -i PATH=$PATH python x.py', ['env -i']],
    ['srun -N2 python x.py', ['srun']],
    ['export PYTHONPATH=$(pwd)', ['PYTHONPATH=']],
    ['PYTHONPATH=$PWD python x.py', ['PYTHONPATH=']],
    ['PYTHONPATH="$PWD:$PYTHONPATH" python x.py', []],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: shell text
    ['PYTHONPATH=src:${PYTHONPATH:-} python x.py', []],
    ['unset PYTHONPATH', ['unset PYTHONPATH']],
    ['python -I x.py', ['python -I, -E or -S']],
    ['python3.11 -u -E x.py', ['python -I, -E or -S']],
    ['python -m pytest -S', []],
    ['python -c "print(1)" -I', []],
    ['# docker run nothing', []],
    ['echo toxic; pip install x', []],
    ['python train.py --sudo', []],
  ])('%s', (line, whats) => {
    expect(scriptHints(`cd x\n${line}\n`).map((hint) => hint.what)).toEqual(whats);
    for (const hint of scriptHints(`cd x\n${line}\n`)) expect(hint.line).toBe(2);
  });
});
