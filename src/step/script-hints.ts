/** Ways to start programs that PYTHONPATH does not survive, found in the text of the step. Pure. */

/** One of them. */
export interface ScriptHint {
  /** From 1. */
  readonly line: number;
  readonly what: string;
  readonly advice: string;
}

interface Rule {
  readonly pattern: RegExp;
  readonly what: string;
  readonly advice: string;
}

/** Start of a command's word, so that `--sudo` and `echo toxic` are none. */
const at = (words: string): RegExp => new RegExp(String.raw`(?:^|[\s;&|(])${words}`);

/** Commands after sudo that start no Python, so that setting up a machine is not taken for the cause. */
const SUDO_CHORES =
  'apt|apt-get|dpkg|dnf|yum|apk|snap|systemctl|service|nvidia-smi|nvidia-persistenced|chown|chmod|chgrp|rm|mkdir|cp|mv|ln|tee|ldconfig|sysctl|mount|umount|kill|pkill|killall|fuser|modprobe|rmmod|usermod|install|sync|dmesg|update-alternatives';

const RULES: readonly Rule[] = [
  {
    pattern:
      /\b(?:docker|podman|nerdctl)\s+(?:container\s+|compose\s+(?:[^\s;&|]+\s+)*?)?(?:run|exec|up)\b|\bdocker-compose\s/,
    what: 'docker',
    advice:
      "a container does not get the step's environment: run the whole job in `container:`, or see docs/reach.md for the arguments to add",
  },
  {
    pattern: at(String.raw`(?:apptainer|singularity)\s+(?:-\S+\s+)*(?:run|exec|shell)\b`),
    what: 'apptainer',
    advice:
      'the folder of the step must be visible in the container: --bind "$RUNNER_TEMP", and no --cleanenv or --containall',
  },
  {
    pattern: at(String.raw`kubectl\s+(?:\S+\s+)*?(?:run|exec|apply|create)\b`),
    what: 'kubectl',
    advice: 'a pod runs outside of the step and does not get its environment: see docs/reach.md',
  },
  {
    pattern: at(String.raw`(?<!install\s+(?:[^\s;&|]+\s+)*)tox(?:\s|$)`),
    what: 'tox',
    advice:
      'tox passes only the variables it is told to: TOX_OVERRIDE=testenv:NAME.pass_env+=PYTHONPATH with the name of your environment',
  },
  {
    pattern: at(
      String.raw`sudo\s+(?!(?:(?:-\S+|\w+=\S*)\s+)*(?:\S*/)?(?:${SUDO_CHORES})\b)(?!\S*--preserve-env=\S*PYTHONPATH)`,
    ),
    what: 'sudo',
    advice: 'sudo clears the environment: sudo --preserve-env=PYTHONPATH',
  },
  {
    pattern: at(String.raw`(?:su\s+(?:-\S*\s+|\w)|runuser\s)`),
    what: 'su',
    advice:
      'a login as another user clears the environment: su --whitelist-environment=PYTHONPATH, and let that user write to the evidence folder',
  },
  {
    pattern: at(String.raw`env\s+(?:-\S+\s+)*(?:-i|-|--ignore-environment)(?:\s|$)`),
    what: 'env -i',
    advice: 'env -i clears the environment: add PYTHONPATH="$PYTHONPATH" after it',
  },
  {
    pattern: at(String.raw`s(?:run|batch)\s`),
    what: 'srun',
    advice:
      'Slurm has to export the environment (the default, --export=ALL) and RUNNER_TEMP must lie on a shared file system',
  },
  {
    pattern: at(String.raw`(?:ray\s+(?:start|job\s+submit))\b`),
    what: 'ray',
    advice:
      'workers of a Ray cluster that runs already have the environment of the day it started: start it in the wrapped step',
  },
  {
    pattern: at(String.raw`ssh\s`),
    what: 'ssh',
    advice: "another machine does not get the step's environment: see docs/reach.md",
  },
  {
    pattern: at(String.raw`systemd-run\s`),
    what: 'systemd-run',
    advice: 'a unit does not get the environment: systemd-run --setenv=PYTHONPATH',
  },
  {
    pattern: at(String.raw`bazel(?:isk)?\s+(?:\S+\s+)*?test\b`),
    what: 'bazel',
    advice: 'bazel clears the environment of its tests: --test_env=PYTHONPATH, and --spawn_strategy=local',
  },
  {
    pattern: at(String.raw`(?:export\s+)?PYTHONPATH=(?!.*\$\{?PYTHONPATH)`),
    what: 'PYTHONPATH=',
    advice: 'this replaces PYTHONPATH; write PYTHONPATH="$PWD:$PYTHONPATH"',
  },
  {
    pattern: at(String.raw`(?<!-o\s+)(?:\S*/)?[\w.-]+\.pex(?:\s|$)`),
    what: 'a PEX',
    advice: 'a PEX hides PYTHONPATH from its program: build it with --venv --non-hermetic-venv-scripts',
  },
  {
    pattern: at(
      String.raw`(?:unset\s+(?:\S+\s+)*PYTHONPATH\b|env\s+(?:\S+\s+)*?(?:-u\s*|--unset=)PYTHONPATH\b)`,
    ),
    what: 'unset PYTHONPATH',
    advice: 'this clears PYTHONPATH; leave it set in the wrapped step',
  },
  {
    pattern: /\bpython[\d.]*\s+(?:-[A-Za-z]+\s+)*-[A-Zabd-ln-z]*[IES]/,
    what: 'python -I, -E or -S',
    advice: 'these flags make Python ignore PYTHONPATH or skip sitecustomize; drop them',
  },
];

/** Some of the patterns take time by the square of the length: 0.5 s for a line of 20 KB. */
const MAX_COMMAND = 4096;

/** Hints in the text of the step, the first of each kind. Comments are left out; continued lines count as one. */
export function scriptHints(script: string): ScriptHint[] {
  const found = new Map<string, ScriptHint>();
  let first = 0;
  let command = '';
  const lines = script.split(/\r?\n/);
  for (const [index, line] of lines.entries()) {
    if (command === '') first = index + 1;
    command += line.replace(/(^|\s)#.*$/, '');
    if (command.endsWith('\\') && index < lines.length - 1) {
      command = `${command.slice(0, -1)} `;
      continue;
    }
    const start = command.slice(0, MAX_COMMAND);
    for (const { pattern, what, advice } of RULES) {
      if (!found.has(what) && pattern.test(start)) found.set(what, { line: first, what, advice });
    }
    command = '';
  }
  return [...found.values()];
}
