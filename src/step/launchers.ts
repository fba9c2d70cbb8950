/**
 * Ways to start a program that lose our entry on PYTHONPATH. One table for the hints from the step's text
 * (script-hints.ts), the reasons why a process was not reached (unarmed.ts), and the table in docs/reach.md,
 * which lab/scripts/tables.mjs generates. Pure.
 */

/** One way. Texts are Markdown with code in backticks; `plain` takes those out. */
export interface Launcher {
  /** As hints and docs name it. */
  readonly what: string;
  /** A command that `pattern` matches holds one of these: to look for them is quicker than to compile all patterns (1.2 ms of a green step). */
  readonly words?: readonly string[];
  /** Found in a command of the step's text; null where only a process shows it. */
  readonly pattern: RegExp | null;
  /** What it does to PYTHONPATH. */
  readonly why: string;
  /** The same for a process that was started this way, when the wording differs. */
  readonly past?: string;
  readonly remedy: string;
  /** For the docs alone. */
  readonly more?: string;
  /** Programs that hand work to processes outside the step's process tree. */
  readonly carriers?: readonly string[];
  /** The work runs in a cgroup of its own, whose out-of-memory kills we do not see. */
  readonly ownCgroup?: true;
}

/** Matches at the start of a word, so that `--sudo` and `echo toxic` do not match. */
const at = (words: string): RegExp => new RegExp(String.raw`(?:^|[\s;&|(])${words}`);

/** Commands after sudo that start no Python: setting up a machine is not the cause. */
const SUDO_CHORES =
  'apt|apt-get|dpkg|dnf|yum|apk|snap|systemctl|service|nvidia-smi|nvidia-persistenced|chown|chmod|chgrp|rm|mkdir|cp|mv|ln|tee|ldconfig|sysctl|mount|umount|kill|pkill|killall|fuser|modprobe|rmmod|usermod|install|sync|dmesg|update-alternatives';

/** The order is that of the hints and of the docs. */
export const LAUNCHERS = {
  docker: {
    what: 'docker',
    words: ['docker', 'podman', 'nerdctl'],
    pattern:
      /\b(?:docker|podman|nerdctl)\s+(?:container\s+|compose\s+(?:[^\s;&|]+\s+)*?)?(?:run|exec|up)\b|\bdocker-compose\s/,
    why: "a container does not get the step's environment",
    remedy: 'run the whole job in `container:`, or see docs/reach.md for the arguments to add',
    more: 'They stand below',
    carriers: ['docker', 'podman', 'nerdctl'],
    ownCgroup: true,
  },
  apptainer: {
    what: 'apptainer',
    words: ['apptainer', 'singularity'],
    pattern: at(String.raw`(?:apptainer|singularity)\s+(?:-\S+\s+)*(?:run|exec|shell)\b`),
    why: 'the folder of the step must be visible in the container',
    remedy: 'add `--bind "$RUNNER_TEMP"`, and no `--cleanenv` or `--containall`',
    carriers: ['apptainer', 'singularity'],
  },
  kubectl: {
    what: 'kubectl',
    words: ['kubectl'],
    pattern: at(String.raw`kubectl\s+(?:\S+\s+)*?(?:run|exec|apply|create)\b`),
    why: 'a pod runs outside of the step and does not get its environment',
    remedy: 'see docs/reach.md',
    carriers: ['kubectl'],
    ownCgroup: true,
  },
  tox: {
    what: 'tox',
    words: ['tox'],
    pattern: at(String.raw`(?<!install\s+(?:[^\s;&|]+\s+)*)tox(?:\s|$)`),
    why: 'tox passes only the variables it is told to',
    remedy: 'set `TOX_OVERRIDE=testenv:NAME.pass_env+=PYTHONPATH` with the name of your environment',
    more: "In the step's `env:`; or `pass_env = PYTHONPATH` in its section. The base section has no effect where the environment has a `pass_env` of its own",
  },
  sudo: {
    what: 'sudo',
    words: ['sudo'],
    pattern: at(
      String.raw`sudo\s+(?!(?:(?:-\S+|\w+=\S*)\s+)*(?:\S*/)?(?:${SUDO_CHORES})\b)(?!\S*--preserve-env=\S*PYTHONPATH)`,
    ),
    why: 'sudo clears the environment',
    past: 'sudo cleared the environment',
    remedy: 'use `sudo --preserve-env=PYTHONPATH`',
    more: '`-E` alone does not pass it where the sudoers file says so',
    carriers: ['sudo'],
  },
  su: {
    what: 'su',
    words: ['su ', 'su\t', 'runuser'],
    pattern: at(String.raw`(?:su\s+(?:-\S*\s+|\w)|runuser\s)`),
    why: 'a login as another user clears the environment',
    remedy: 'use `su --whitelist-environment=PYTHONPATH`, to root',
    more: 'To another user who is not root it is not possible: the folder of the step is for the user of the runner (and root) alone',
    carriers: ['su'],
  },
  environment: {
    what: 'env -i',
    words: ['env'],
    pattern: at(String.raw`env\s+(?:-\S+\s+)*(?:-i|-|--ignore-environment)(?:\s|$)`),
    why: '`env -i` clears the environment',
    past: 'the environment of the step did not reach it (`env -i`, another user, a daemon)',
    remedy: 'hand PYTHONPATH on to it: `env -i PYTHONPATH="$PYTHONPATH" …`',
  },
  slurm: {
    what: 'srun',
    words: ['srun', 'sbatch'],
    pattern: at(String.raw`s(?:run|batch)\s`),
    why: 'Slurm has to export the environment (the default, `--export=ALL`)',
    remedy: 'keep that, and have RUNNER_TEMP on a shared file system',
    carriers: ['srun', 'sbatch'],
    ownCgroup: true,
  },
  ray: {
    what: 'ray',
    words: ['ray'],
    pattern: at(String.raw`(?:ray\s+(?:start|job\s+submit))\b`),
    why: 'workers of a Ray cluster that runs already have the environment of the day it started',
    remedy: 'start it in the wrapped step',
  },
  ssh: {
    what: 'ssh',
    words: ['ssh'],
    pattern: at(String.raw`ssh\s`),
    why: "another machine does not get the step's environment",
    remedy: 'see docs/reach.md',
    carriers: ['ssh'],
  },
  systemd: {
    what: 'systemd-run',
    words: ['systemd-run'],
    pattern: at(String.raw`systemd-run\s`),
    why: 'a unit does not get the environment',
    remedy: 'use `systemd-run --setenv=PYTHONPATH`',
    carriers: ['systemd-run'],
    ownCgroup: true,
  },
  bazel: {
    what: 'bazel',
    words: ['bazel'],
    pattern: at(String.raw`bazel(?:isk)?\s+(?:\S+\s+)*?test\b`),
    why: 'bazel clears the environment of its tests',
    remedy: 'use `--test_env=PYTHONPATH` and `--spawn_strategy=local`',
    carriers: ['bazel'],
  },
  replaced: {
    what: 'PYTHONPATH=',
    words: ['PYTHONPATH='],
    pattern: at(String.raw`(?:export\s+)?PYTHONPATH=(?!.*\$\{?PYTHONPATH)`),
    why: 'this replaces PYTHONPATH',
    past: 'PYTHONPATH was replaced on the way',
    remedy: 'write `PYTHONPATH="$PWD:$PYTHONPATH"`',
  },
  pex: {
    what: 'a PEX',
    words: ['.pex'],
    pattern: at(String.raw`(?<!-o\s+)(?:\S*/)?[\w.-]+\.pex(?:\s|$)`),
    why: 'a PEX hides PYTHONPATH from its program',
    remedy: 'build it with `--venv --non-hermetic-venv-scripts`',
    more: 'Else it starts its program with `-I`, or puts `PYTHONPATH` away',
  },
  cleared: {
    what: 'unset PYTHONPATH',
    words: ['PYTHONPATH'],
    pattern: at(
      String.raw`(?:unset\s+(?:\S+\s+)*PYTHONPATH\b|env\s+(?:\S+\s+)*?(?:-u\s*|--unset=)PYTHONPATH\b)`,
    ),
    why: 'this clears PYTHONPATH',
    past: 'PYTHONPATH was cleared on the way',
    remedy: 'leave it set in the wrapped step, or hand it on',
  },
  flags: {
    what: 'python -I, -E or -S',
    words: ['python'],
    pattern: /\bpython[\d.]*\s+(?:-[A-Za-z]+\s+)*-[A-Zabd-ln-z]*[IES]/,
    why: 'these flags make Python ignore PYTHONPATH or skip sitecustomize',
    remedy: 'drop them',
    more: '`-P` and `-s` do most of what `-I` is used for, and do not hide us',
  },
  shadowed: {
    what: 'a folder in front with a `sitecustomize` that runs no other',
    pattern: null,
    why: 'a folder before ours on PYTHONPATH holds a sitecustomize that runs no other',
    remedy: 'put that folder behind, as in `PYTHONPATH="$PYTHONPATH:FOLDER"`',
  },
} as const satisfies Readonly<Record<string, Launcher>>;
export type LauncherName = keyof typeof LAUNCHERS;

const carriersOf = (launchers: readonly Launcher[]): ReadonlySet<string> =>
  new Set(launchers.flatMap(({ carriers }) => carriers ?? []));
/** Programs that hand work to processes outside of the step, as `docker`. */
export const CARRIERS = carriersOf(Object.values(LAUNCHERS));
/** The carriers whose work runs in a cgroup of its own. */
export const OWN_CGROUP = carriersOf(Object.values<Launcher>(LAUNCHERS).filter(({ ownCgroup }) => ownCgroup));

const plain = (text: string): string => text.replaceAll('`', '');

/** What to do about it, for the step's text. */
export const hintOf = ({ why, remedy }: Launcher): string => plain(`${why}; ${remedy}`);

/** Why a process that was started so was not reached, and what to do about it. */
export const reasonOf = (launcher: Launcher): string =>
  plain(`${launcher.past ?? launcher.why}; ${launcher.remedy}`);

/** The table of docs/reach.md. Markdown. */
export function launcherTable(): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|');
  const rows = Object.values<Launcher>(LAUNCHERS).map(({ what, why, remedy, more }) => {
    const named = what.includes('`') || what.startsWith('a ') ? what : `\`${what}\``;
    return `| ${named} | ${cell(why)} | ${cell(remedy)}${more === undefined ? '' : `. ${cell(more)}`} |`;
  });
  return ['| way | what it does | remedy |', '| --- | --- | --- |', ...rows].join('\n');
}
