/** Hints in the text of the step. */
import { expect, it } from '@jest/globals';
import { scriptHints } from '../../src/step/script-hints.js';

it.each([
  ['docker run --gpus all -t img python x.py', ['docker']],
  ['docker exec -t c bash', ['docker']],
  ['docker compose -f a.yml up', ['docker']],
  ['docker build .', []],
  ['singularity --quiet exec --nv img.sif python x.py', ['apptainer']],
  ['kubectl -n ml exec pod -- python x.py', ['kubectl']],
  ['tox -e gpu', ['tox']],
  ['python -m tox', ['tox']],
  ['pip install -q tox', []],
  ['pip install -q x && tox', ['tox']],
  ['sudo -E python x.py', ['sudo']],
  ['sudo make gpu', ['sudo']],
  ['sudo --preserve-env=A,PYTHONPATH python x.py', []],
  ['sudo apt-get update && sudo -n DEBIAN_FRONTEND=x /usr/bin/apt install y', []],
  ['su - runner -c "python x.py"', ['su']],
  ['env -i PATH=$PATH python x.py', ['env -i']],
  ['srun -N2 python x.py', ['srun']],
  ['sbatch job.sh', ['srun']],
  ['ray start --head', ['ray']],
  ['ssh gpu-07 python x.py', ['ssh']],
  ['ssh-keygen -t ed25519', []],
  ['bazel test //gpu/...', ['bazel']],
  ['export PYTHONPATH=$(pwd)', ['PYTHONPATH=']],
  ['PYTHONPATH=$PWD python x.py', ['PYTHONPATH=']],
  ['PYTHONPATH="$PWD:$PYTHONPATH" python x.py', []],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: shell text
  ['PYTHONPATH=src:${PYTHONPATH:-} python x.py', []],
  ['unset PYTHONPATH', ['unset PYTHONPATH']],
  ['env -u PYTHONPATH python x.py', ['unset PYTHONPATH']],
  ['python dist/train.pex --steps 3', ['a PEX']],
  ['./train.pex', ['a PEX']],
  ['pex -D src -m m -o b.pex', []],
  ['cat notes.pexx', []],
  ['python -I x.py', ['python -I, -E or -S']],
  ['python3.11 -u -E x.py', ['python -I, -E or -S']],
  ['python -m pytest -S', []],
  ['python -c "print(1)" -I', []],
  ['# docker run nothing', []],
  ['echo toxic; pip install x', []],
  ['python train.py --sudo', []],
])('%s', (line, whats) => {
  const hints = scriptHints(`cd x\n${line}\n`);
  expect(hints.map((hint) => hint.what)).toEqual(whats);
  for (const hint of hints) expect(hint.line).toBe(2);
});

it('reads a continued command as one, and gives the line it begins on', () => {
  const hints = scriptHints('true\ndocker \\\n  run img\r\nsudo \\\n  python x.py\ntox \\');
  expect(hints.map(({ line, what }) => [line, what])).toEqual([
    [2, 'docker'],
    [4, 'sudo'],
    [6, 'tox'],
  ]);
});

it('takes no time for a long line', () => {
  expect(scriptHints(`kubectl ${'-x y '.repeat(50_000)}\nenv ${'-u x '.repeat(50_000)}`)).toEqual([]);
  const since = Date.now();
  scriptHints(' tox1'.repeat(26_000));
  expect(Date.now() - since).toBeLessThan(5000); // by the square of the length it took 20 s
});
