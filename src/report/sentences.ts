/**
 * The sentences of the report, said once for the summary, the page and the annotations. Every number in them comes from the
 * manifest. Pure.
 */
import { formatBytes } from '../bytes.js';
import type { Manifest, ManifestProcess, SnapshotReference } from '../evidence/manifest.js';
import { count } from '../text.js';
import { placeOf } from './frames.js';
import { code, joinRich, type Rich, say, shorten, strong } from './rich.js';
import {
  type Account,
  accountOf,
  deviceOf,
  disarmOf,
  type Ending,
  endingOf,
  fatalStories,
  mainStory,
  type OomStory,
  type Part,
  peakOf,
  ranges,
  tellingStack,
  unseenOoms,
} from './story.js';

const MAX_NAME = 80;

/** A foreign name, short enough for a sentence. */
export const name = (text: string, limit = MAX_NAME) => code(shorten(text, limit));

/** `rank 1`, `pid 4121`: how a process is called. */
export const processName = (process: Pick<ManifestProcess, 'rank' | 'pid'>): string =>
  process.rank === null ? `pid ${process.pid}` : `rank ${process.rank}`;

/** `1` for one rank, `1 and 3`, `0, 2 to 7`. */
export const rankWords = (ranks: readonly number[]): string =>
  ranks.length === 2 ? [...ranks].sort((a, b) => a - b).join(' and ') : ranges(ranks);

/** Icon and headline. */
export interface Headline {
  readonly icon: string;
  readonly tone: 'bad' | 'warn' | 'good' | 'neutral';
  readonly title: string;
}

function oomTitle(manifest: Manifest): string {
  const ended = manifest.processes.filter((p) => p.end?.oom);
  const ranks = [...new Set(ended.flatMap((p) => (p.rank === null ? [] : [p.rank])))];
  const first = fatalStories(manifest)[0]?.process.rank;
  if (ranks.length === 1) return `Out of GPU memory on rank ${ranks[0]}`;
  if (ranks.length > 1) {
    return `Out of GPU memory on ranks ${rankWords(ranks)}${first == null ? '' : `, first on rank ${first}`}`;
  }
  if (ended.length > 1) return `Out of GPU memory in ${ended.length} processes`;
  const program = ended[0]?.program;
  return program ? `Out of GPU memory in ${shorten(program, 60)}` : 'Out of GPU memory';
}

/** Processes that could have been recorded and were not. */
export const notArmed = (manifest: Manifest): readonly ManifestProcess[] =>
  manifest.processes.filter((p) => disarmOf(p) === 'not-armed');

export function headline(manifest: Manifest): Headline {
  const exit = manifest.step.exit_code;
  switch (manifest.verdict.name) {
    case 'oom':
      return { icon: '🔴', tone: 'bad', title: oomTitle(manifest) };
    case 'oom-recovered':
      return {
        icon: '🟡',
        tone: 'warn',
        title: `${count(manifest.oom_count, 'out-of-memory error')}, ${manifest.oom_count === 1 ? 'caught' : 'all caught'}: the program went on`,
      };
    case 'host-oom':
      return { icon: '🔴', tone: 'bad', title: 'The host ran out of memory, not the GPU' };
    case 'killed':
      return { icon: '🔴', tone: 'bad', title: 'Killed by SIGKILL' };
    case 'cancelled':
      return { icon: '⚪', tone: 'neutral', title: 'Cancelled or out of time' };
    case 'ok':
      return { icon: '✅', tone: 'good', title: 'No out-of-memory' };
    default:
      return {
        icon: '🔴',
        tone: 'bad',
        title: `The step failed${exit === null ? '' : ` with exit code ${exit}`}${manifest.oom_count === 0 ? '; no out-of-memory was seen' : ''}`,
      };
  }
}

/** `GPU 1 (NVIDIA A100-SXM4-40GB)`. */
export function deviceName(story: OomStory): Rich {
  const device = deviceOf(story);
  const index = story.oom.device ?? device?.index;
  const gpu = index == null ? 'the GPU' : `GPU ${index}`;
  return device?.name ? say`${gpu} (${shorten(device.name, 60)})` : [gpu];
}

/** Where the program stood: `` `train.py:48` in `train_step` ``, or what is known instead. */
export function whereRich(story: OomStory, workspace: string | null): Rich {
  const { frame, main } = tellingStack(story.oom, workspace);
  if (!frame) return story.process.program === null ? ['The program'] : say`${name(story.process.program)}`;
  const place = say`${name(placeOf(frame, workspace))} in ${name(frame.function)}`;
  if (story.oom.thread === 'backward')
    return main
      ? say`The backward pass, while the main thread stood at ${place},`
      : say`The backward pass at ${place}`;
  return main ? say`A thread, while the main thread stood at ${place},` : place;
}

/** The first sentence: what was asked for and what was free. */
export function askedFor(manifest: Manifest, story: OomStory, account: Account): Rich {
  const { oom } = story;
  const where = whereRich(story, manifest.step.workspace);
  if (oom.wanted === null) return say`${where} ran out of memory on ${deviceName(story)}.`;
  const asked = say`${where} asked for ${strong(formatBytes(oom.wanted))} on ${deviceName(story)}`;
  if (account.free === null) return say`${asked}.`;
  const of = account.total === null ? null : say` of ${formatBytes(account.total)}`;
  return say`${asked}, and ${strong(formatBytes(account.free))} were free${of}.`;
}

/** The second: who held the rest. */
export function whoHeld(account: Account): Rich | null {
  const { reserved, allocated, outside, others, othersHeld, limit } = account;
  const own =
    reserved === null
      ? null
      : reserved === 0
        ? ['This process held none of it.']
        : say`This process had reserved ${formatBytes(reserved)}${allocated === null ? null : ` (${formatBytes(allocated)} of it in use)`}.`;
  const fraction = limit === null ? null : say`Its limit is ${formatBytes(limit)} (a memory fraction).`;
  let rest: Rich | null = null;
  if (othersHeld > 0) {
    const top = others.slice(0, 3).map((o) => {
      const held = others.length > 1 && o.used !== null ? ` ${formatBytes(o.used)}` : '';
      return say`pid ${o.pid}${o.name === null ? null : say` ${name(o.name, 40)}`}${held}${o.before ? ', there before this step started' : null}`;
    });
    const more = others.length > 3 ? [` and ${others.length - 3} more`] : [];
    rest = say`${strong(`Other processes held ${formatBytes(othersHeld)}`)}: ${joinRich(top, '; ')}${more}.`;
  } else if (outside !== null && outside > 0) {
    rest = say`${strong(`${formatBytes(outside)} were held outside of its allocator`)}: by other processes, or by the driver and libraries.`;
  }
  return joinRich([own, fraction, rest]);
}

/** What is worth saying of the verdict itself, besides the headline. */
export function becauseRich(manifest: Manifest): Rich | null {
  const { verdict, step, host } = manifest;
  const because = `${verdict.because.charAt(0).toUpperCase()}${verdict.because.slice(1)}.`;
  switch (verdict.name) {
    case 'oom':
      return step.exit_code === 0 ? [because] : null;
    case 'host-oom': {
      const memory = host?.memory;
      const limit = memory?.limit ?? memory?.total ?? null;
      const used = memory?.peak ?? null;
      const elsewhere = host?.oom?.state === 'read' && host.oom.ooms === 0;
      const what =
        memory?.limit !== null
          ? 'The limit is'
          : elsewhere
            ? "The limit that was hit is not of this cgroup: it is one above that cannot be read here, or the whole machine's"
            : 'The whole machine has';
      const numbers =
        limit === null
          ? null
          : say`${what} ${strong(formatBytes(limit))}${used === null ? null : `; the highest use was ${formatBytes(used)}`}.`;
      return joinRich([
        [because],
        numbers,
        ['No GPU snapshot can be taken of a process that the kernel kills.'],
      ]);
    }
    case 'oom-recovered':
      return null;
    case 'ok':
      return null;
    case 'cancelled': {
      const armed = manifest.processes.filter((p) => disarmOf(p) === 'armed-still').length;
      const said =
        manifest.processes.length === 0
          ? null
          : armed === 0
            ? ['Recording was disarmed in every process that had it.']
            : null;
      return joinRich([[because], said]);
    }
    default:
      return [because];
  }
}

/** The kernel's OOM killer was at work in the step's cgroup, and the verdict is another: `|| true` hides such a kill. */
export function hostKillsRich({ verdict, host }: Manifest): Rich | null {
  const oom = host?.oom;
  if (verdict.name === 'host-oom' || oom?.state !== 'read' || oom.scope !== 'cgroup' || oom.kills === 0)
    return null;
  const whom = oom.kills === 1 ? 'a process' : 'processes';
  return say`${strong(`The kernel's OOM killer ended ${whom} of this cgroup`)} during the step: the host's memory ran out there, not the GPU's.`;
}

/** The one line of a green run. */
export function greenLine(manifest: Manifest): Rich {
  const recorded = manifest.processes.filter((p) =>
    ['disarmed', 'unproven', 'armed-still'].includes(disarmOf(p)),
  );
  const disarmed = recorded.filter((p) => disarmOf(p) === 'disarmed').length;
  const idle = manifest.processes.filter((p) => disarmOf(p) === 'idle').length;
  const foreign = manifest.processes.filter((p) => disarmOf(p) === 'foreign').length;
  const what: Rich[] = [];
  if (recorded.length > 0) {
    what.push([
      disarmed === recorded.length
        ? `${count(recorded.length, 'process', 'processes')} recorded and disarmed`
        : `${count(recorded.length, 'process', 'processes')} recorded, ${disarmed} seen disarmed`,
    ]);
  }
  if (foreign > 0)
    what.push([
      `${count(foreign, 'process', 'processes')} with a recording of ${foreign === 1 ? 'its' : 'their'} own, left alone`,
    ]);
  if (idle > 0) what.push([`${count(idle, 'process', 'processes')} imported torch and used no GPU`]);
  let best: { process: ManifestProcess; peak: number } | null = null;
  for (const process of manifest.processes) {
    const peak = peakOf(process)?.peak_allocated ?? null;
    if (peak !== null && peak > (best?.peak ?? 0)) best = { process, peak };
  }
  if (best)
    what.push([
      `peak ${formatBytes(best.peak)} allocated${best.process.rank === null ? '' : ` on rank ${best.process.rank}`}`,
    ]);
  const parity = manifest.parity.state === 'off' ? null : say`Parity: ${manifest.parity.state}.`;
  const seen = manifest.processes.length === 0 ? 'Nothing was recorded' : 'No out-of-memory';
  return joinRich([
    say`${strong(`${seen}.`)}`,
    what.length === 0 ? null : say`${joinRich(what, '; ')}.`,
    parity,
    hostKillsRich(manifest),
  ]);
}

export const PART_NAMES: Readonly<Record<Part['name'], string>> = {
  parameter: 'parameter',
  gradient: 'gradient',
  optimizer_state: 'optimizer_state',
  activation: 'activation',
  input: 'input',
  unknown: 'unknown',
  allocated: 'in use by this process',
  unused: 'reserved, in no block',
  others: 'other processes',
  outside: "outside of torch's allocator",
  free: 'free',
};

/** A category's name with what it means where the word alone does not say. */
export function partRich(part: Part): Rich {
  const label = strong(PART_NAMES[part.name]);
  if (part.name === 'activation') return say`${label} (saved for backward)`;
  if (part.name === 'outside') return say`${label} (driver, libraries, processes not listed)`;
  return [label];
}

/** The largest owners of a part, or why it is unknown: `most` of them after the first `from`. */
export function ownersRich(part: Part, most = 2, from = 0): Rich {
  if (part.name === 'unknown' && part.reasons.length > 0) {
    const reasons = [...part.reasons].sort((a, b) => b.bytes - a.bytes).slice(from, from + most);
    return joinRich(
      reasons.map((r) => say`${shorten(r.reason, MAX_NAME)} ${formatBytes(r.bytes)}`),
      ', ',
    );
  }
  return joinRich(
    part.owners.slice(from, from + most).map((o) => say`${name(o.name, 60)} ${formatBytes(o.bytes)}`),
    ', ',
  );
}

/** Share in percent; `< 1 %` for what is not nothing. */
export function share(part: number, whole: number): string {
  if (whole <= 0) return '';
  const percent = (100 * part) / whole;
  return percent > 0 && percent < 1 ? '< 1 %' : `${Math.round(percent)} %`;
}

export const REASON_WORDS: Readonly<Record<SnapshotReference['reason'], string>> = {
  oom: 'at an out-of-memory',
  exception: 'at an uncaught exception',
  sigterm: 'at SIGTERM',
  exit: 'at exit',
};

/** Why and when a snapshot was taken: `at an out-of-memory, 412.0 s in`. */
export function takenWords(manifest: Manifest, snapshot: SnapshotReference): string {
  const process = manifest.processes.find((p) => p.host === snapshot.host && p.pid === snapshot.pid);
  const time = process?.ooms.find((oom) => oom.snapshot === snapshot.file)?.time ?? null;
  const words = REASON_WORDS[snapshot.reason];
  return time === null ? words : `${words}, ${Math.max(0, time - manifest.step.started).toFixed(1)} s in`;
}

/** What a snapshot holds, as far as the receipts say. */
export function historyWords(snapshot: SnapshotReference): string {
  switch (snapshot.history) {
    case 'armed':
      return snapshot.max_entries === null
        ? 'armed'
        : `armed, newest ${snapshot.max_entries.toLocaleString('en-US')} events`;
    case 'interrupted':
      return 'interrupted by the program: live blocks, no trace of what came before';
    case 'foreign':
      return "the program's own recording";
    case 'none':
      return 'none: live blocks without stacks, not a full snapshot';
    default:
      return 'unknown: its process left no receipt of it';
  }
}

/** Over this size the viewer in the browser freezes or kills its tab (pytorch/pytorch#158364). */
export const LARGE_SNAPSHOT = 300 * 2 ** 20;

/** `OutOfMemoryError` of `torch.OutOfMemoryError`. */
const lastName = (exception: string): string => shorten(exception.split('.').at(-1) ?? exception, 60);

export function endingWords(manifest: Manifest, process: ManifestProcess): string {
  const ending: Ending = endingOf(manifest, process);
  const exception = process.end?.exception;
  switch (ending) {
    case 'oom':
      return `${lastName(exception ?? 'OutOfMemoryError')}, not caught`;
    case 'exception':
      return exception == null ? 'exception' : lastName(exception);
    case 'sigterm':
      return 'SIGTERM';
    case 'exit':
      return 'exit';
    case 'running':
      return 'still running';
    default:
      return 'without exit handlers (killed, or os._exit)';
  }
}

export function disarmWords(manifest: Manifest, process: ManifestProcess): string {
  switch (disarmOf(process)) {
    case 'disarmed':
      return process.recorder.interrupted ? 'yes (the program had switched it off)' : 'yes';
    case 'unproven':
      return 'not proven: still on after it';
    case 'idle':
      return 'never armed: no GPU used';
    case 'foreign':
      return "the program's own recording, left alone";
    case 'not-armed':
      return 'never armed';
    default:
      return endingOf(manifest, process) === 'running' ? 'still armed' : 'ended before disarming';
  }
}

/** Processes that ended by an out-of-memory which the allocator's observer did not see. */
export function unseenRich(manifest: Manifest): Rich | null {
  const unseen = unseenOoms(manifest);
  const first = unseen[0];
  if (!first) return null;
  // A reason of the recorder stands under "Not seen", with its remedy.
  const why = first.faults[0] ?? null;
  const counted = first.devices.reduce((sum, d) => sum + (d.ooms ?? 0), 0);
  const ended = say`${processName(first)} ended by ${name(first.end?.exception ?? 'an out-of-memory')}`;
  const reason = why === null ? null : say` (${shorten(why, 300)})`;
  return counted > 0
    ? say`${ended}; torch's allocator counted ${counted === 1 ? 'it' : String(counted)}, but it was not recorded here${reason}.`
    : say`${ended}, and torch's caching allocator counted none: the request came from outside of it (cuBLAS, NCCL, the driver), or it cannot be observed there${reason}.`;
}

/** Everything the top of the report says, as paragraphs. */
export function verdictParagraphs(manifest: Manifest): readonly Rich[] {
  const story = mainStory(manifest);
  const paragraphs: Rich[] = [];
  if (story) {
    const account = accountOf(manifest, story);
    const asked = askedFor(manifest, story, account);
    const intro = story.fatal ? null : say`The newest, on ${processName(story.process)}:`;
    paragraphs.push(joinRich([intro, asked, whoHeld(account)]));
  }
  const unseen = unseenRich(manifest);
  if (unseen) paragraphs.push(unseen);
  const because = becauseRich(manifest);
  if (because) {
    if (manifest.verdict.name === 'oom') paragraphs.push(because);
    else paragraphs.unshift(because);
  }
  const hostKills = hostKillsRich(manifest);
  if (hostKills) paragraphs.push(hostKills);
  return paragraphs;
}

/** What was not seen, each with its remedy. */
export function notSeenSentences(manifest: Manifest): readonly Rich[] {
  const lines: Rich[] = [];
  const said = manifest.gates.find((gate) => gate.gate === 'if-no-torch')?.message ?? '';
  // Where processes were seen out of reach, its message is the first of what follows here.
  if (said !== '' && manifest.unarmed.length === 0) lines.push([shorten(said, 600)]);
  const alike = new Map<string, number[]>();
  for (const { program, advice, pid } of manifest.unarmed) {
    const key = JSON.stringify([program, advice]);
    alike.set(key, [...(alike.get(key) ?? []), pid]);
  }
  for (const [key, pids] of alike) {
    const [program, advice] = JSON.parse(key) as [string, string];
    const more = pids.length > 4 ? ` and ${pids.length - 4} more` : '';
    lines.push(
      say`${name(program, 40)} (pid ${pids.slice(0, 4).join(', ')}${more}) had torch loaded and was not recorded: ${shorten(advice, 300)}`,
    );
  }
  for (const line of manifest.not_seen) lines.push([shorten(line, 500)]);
  if (manifest.not_seen.length === 0) {
    for (const process of notArmed(manifest)) {
      lines.push(
        say`${processName(process)} was not recorded: ${shorten(process.recorder.reason ?? 'its receipt gives no reason', 400)}`,
      );
    }
  }
  // A hint about the text of the step is worth a line only where something is missing.
  if (lines.length > 0 || manifest.processes.length === 0) {
    for (const hint of manifest.script_hints.filter(({ advice }) => !said.includes(advice))) {
      lines.push(say`Line ${hint.line} of the step uses ${name(hint.what)}: ${shorten(hint.advice, 300)}`);
    }
  }
  return lines;
}

/** From here on it is a flood: names alone would hide what kinds there are. */
const FLOOD = 10;
const MOST_REASONS = 12;

/** How many names were not accepted, by kind of reason, in one line; null where the names themselves say it in a few lines. */
export function rejectedLine({ rejected_count, rejected_reasons }: Manifest): string | null {
  if (rejected_count <= FLOOD) return null;
  const kinds = rejected_reasons.slice(0, MOST_REASONS).map(({ reason, count: n }) => `${n} × ${reason}`);
  const more = rejected_reasons.length - kinds.length;
  const rest = more > 0 ? [`${count(more, 'other reason')}`] : [];
  return `${count(rejected_count, 'name')} not accepted as evidence: ${[...kinds, ...rest].join('; ')}`;
}
