/**
 * What the report says of the whole: the paragraphs below the headline, and the one line of a green run.
 * Every number is one of the manifest's. Pure.
 */

import type { Manifest, ManifestProcess } from '../../evidence/manifest.js';
import type { OutsideOom } from '../../evidence/receipt.js';
import { isBlind } from '../../judge/blind.js';
import { testName } from '../../judge/outcomes.js';
import { OUTSIDE_NAMES } from '../../judge/outside.js';
import { allCaught } from '../../judge/verdict.js';
import type { VerdictName } from '../../judge/verdicts.js';
import { formatBytes } from '../../lib/bytes.js';
import { count } from '../../lib/text.js';
import { placeOf } from '../frames.js';
import { code, joinRich, type Rich, say, shorten, strong } from '../rich.js';
import {
  type Account,
  accountOf,
  deviceOf,
  disarmOf,
  mainStory,
  type OomStory,
  type OtherProcess,
  openOoms,
  peakOf,
  raisedFirst,
  tellingStack,
  unseenOoms,
} from '../story.js';
import { capital, lastName, name, processName } from './words.js';

/** Processes that are each told in a paragraph. */
const MOST_EACH = 3;

/** Processes that could have been recorded and were not. */
export const notArmed = (manifest: Manifest): readonly ManifestProcess[] =>
  manifest.processes.filter((p) => disarmOf(p) === 'not-armed');

/** Processes in which recording was on at some time, by us. */
const recordedIn = (manifest: Manifest): readonly ManifestProcess[] =>
  manifest.processes.filter((p) => ['disarmed', 'unproven', 'armed-still'].includes(disarmOf(p)));

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
  return joinRich([own, fraction, rest, seenRich(account)]);
}

/** Who handled it, as far as a fact says so. */
function handledRich({ oom }: OomStory, workspace: string | null): Rich | null {
  const { test, outcome } = oom;
  if (outcome === null || outcome.kind === 'test-failed' || outcome.kind === 'raised') return null;
  const { kind, at, tool, later } = outcome;
  const where = at === null ? null : say` at ${name(placeOf(at, workspace))} in ${name(at.function)}`;
  if (test !== null && kind === 'handled') {
    const marked = tool === null ? null : say` (${name(tool)})`;
    const failed = later === null ? null : say` and failed later by ${name(lastName(later))}`;
    return say`The test ${name(testName(oom) ?? test.id)} handled it${where}${marked}${failed}.`;
  }
  const who = tool === null ? null : name(tool);
  if (kind === 'exit')
    return who === null
      ? say`The program handled it${where} and ended itself because of it.`
      : say`${who} caught it and ended the program.`;
  if (kind === 'left') return say`${who ?? 'A tool'} caught it after it had left the program's own frames.`;
  return who === null
    ? say`The program handled it${where}.`
    : say`${who} caught it, called${where ?? ' by the program'}.`;
}

/**
 * Who was seen on the device at other moments than that of the failure; null where nothing was held outside
 * then.
 */
function seenRich({ unsure, outside }: Account): Rich | null {
  if (outside === 0) return null;
  const sentence = (when: string, all: readonly OtherProcess[]): Rich | null => {
    const named = all.slice(0, 3).map(({ pid, name: program, used, gone }) => {
      const who = say`pid ${pid}${program === null ? null : say` ${name(program, 40)}`}`;
      return say`${who} held ${formatBytes(used ?? 0)}${gone ? ' (gone after it)' : null}`;
    });
    const more = all.length > 3 ? ` and ${all.length - 3} more` : null;
    return named.length === 0 ? null : say`${when} this step, ${joinRich(named, ', ')}${more}.`;
  };
  const holders = unsure.filter((o) => (o.used ?? 0) > 0);
  return joinRich([
    sentence(
      'Before',
      holders.filter((o) => o.before),
    ),
    sentence(
      'After',
      holders.filter((o) => !o.before),
    ),
  ]);
}

/** What the kernel did, with its numbers. */
function hostOomRich(manifest: Manifest): Rich {
  const { host } = manifest;
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
    because(manifest),
    numbers,
    ['No GPU snapshot can be taken of a process that the kernel kills.'],
  ]);
}

function cancelledRich(manifest: Manifest): Rich {
  const all = recordedIn(manifest);
  const off = all.length > 0 && all.every((p) => disarmOf(p) === 'disarmed');
  return joinRich([because(manifest), off ? ['Recording was disarmed in every process that had it.'] : null]);
}

const because = ({ verdict }: Manifest): Rich => [`${capital(verdict.because)}.`];

const BECAUSE: Readonly<Record<VerdictName, (manifest: Manifest) => Rich | null>> = {
  ok: () => null,
  'oom-recovered': (manifest) => (allCaught(openOoms(manifest)) ? null : because(manifest)),
  oom: (manifest) => (manifest.step.exit_code === 0 ? because(manifest) : null),
  'host-oom': hostOomRich,
  killed: because,
  cancelled: cancelledRich,
  failed: because,
  unknown: because,
  'not-run': because,
};

/** What is worth saying of the verdict itself, besides the headline. */
export const becauseRich = (manifest: Manifest): Rich | null => BECAUSE[manifest.verdict.name](manifest);

/**
 * The kernel's OOM killer was at work in the step's cgroup, and the verdict is another: `|| true` hides such
 * a kill.
 */
export function hostKillsRich({ verdict, host }: Manifest): Rich | null {
  const oom = host?.oom;
  if (verdict.name === 'host-oom' || oom?.state !== 'read' || oom.scope !== 'cgroup' || oom.kills === 0)
    return null;
  const whom = oom.kills === 1 ? 'a process' : 'processes';
  return say`${strong(`The kernel's OOM killer ended ${whom} of this cgroup`)} during the step: the host's memory ran out there, not the GPU's.`;
}

/** The one line of a green run. */
export function greenLine(manifest: Manifest): Rich {
  const recorded = recordedIn(manifest);
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
  const { state, result } = manifest.parity;
  const earlier = result?.earlier ? ', checked earlier in this job' : '';
  const parity = state === 'off' ? null : say`Parity: ${state}${earlier}.`;
  const part = manifest.unarmed.length > 0 ? ' in what was recorded' : '';
  const seen = manifest.processes.length === 0 ? 'Nothing was recorded' : `No out-of-memory${part}`;
  return joinRich([
    say`${strong(`${seen}.`)}`,
    what.length === 0 ? null : say`${joinRich(what, '; ')}.`,
    ...maybeRich(manifest),
    parity,
    hostKillsRich(manifest),
  ]);
}

/** A paragraph for each of the first few, and how many more there are. */
function each(all: readonly ManifestProcess[], words: (process: ManifestProcess) => Rich): readonly Rich[] {
  const shown = all.slice(0, MOST_EACH).map(words);
  const more = all.length - shown.length;
  return more > 0 ? [...shown, [`So did ${count(more, 'other process', 'other processes')}.`]] : shown;
}

/** Errors of libraries that come with a lack of memory, and with other troubles too. */
const maybeRich = (manifest: Manifest): readonly Rich[] =>
  each(
    manifest.processes.filter(({ end }) => end?.outside_oom?.certain === false),
    (process) =>
      say`${processName(process)} ended by ${name(process.end?.exception ?? 'an error')}, which may be memory that ran out, or another trouble${process.end?.outside_oom ? ` of ${OUTSIDE_NAMES[process.end.outside_oom.kind]}` : null}; its traceback in the log tells more.`,
  );

/** An out-of-memory beside torch's allocator, of which there is no snapshot. */
function outsideRich(process: ManifestProcess, { kind, device_free: free }: OutsideOom): Rich {
  const { end } = process;
  const how = end?.kind === 'exception' ? 'ended by' : 'exited after';
  const again = end?.reraised_from ? ', raised first in a worker of it' : null;
  const what = say`${processName(process)} ${how} ${name(end?.exception ?? 'an out-of-memory')}${again}`;
  if (kind === 'pinned-host') {
    const room =
      free === null ? '; the device had room' : say`; the device had ${strong(formatBytes(free))} free`;
    return say`${what}: ${strong('pinned host memory')} (page-locked, as of a DataLoader with ${code('pin_memory')}) ran out, not the device's${room}. There is no snapshot of it.`;
  }
  const room = free === null ? null : say`, with ${formatBytes(free)} of the device free`;
  return say`${what}: the request came from ${strong(OUTSIDE_NAMES[kind])}, outside of torch's caching allocator${room}. There is no snapshot of it.`;
}

/** An out-of-memory that ended a process and is none of those that torch's allocator reported there. */
function unseenOf(manifest: Manifest, process: ManifestProcess): Rich {
  const { end, devices, recorder, faults } = process;
  if (end?.outside_oom?.certain) return outsideRich(process, end.outside_oom);
  const ended = say`${processName(process)} ended by ${name(end?.exception ?? 'an out-of-memory')}`;
  const whence = raisedFirst(manifest, process);
  if (whence.from !== null) {
    const where = whence.from === 'ray' ? 'a worker of Ray' : 'a worker process';
    const worker = whence.story?.process ?? null;
    return worker === null
      ? say`${ended}, which was raised first in ${where} and again here; which one is not known.`
      : say`${ended}, the error of its worker ${processName(worker)}, which was raised again here.`;
  }
  if (isBlind({ recorder, torch: process.build }))
    return say`${ended}; torch reports none of this allocator, so its numbers are not known.`;
  // A reason of the recorder stands under "Not seen", with its remedy.
  const why = faults[0] === undefined ? null : say` (${shorten(faults[0], 300)})`;
  const counted = devices.reduce((sum, d) => sum + (d.ooms ?? 0), 0);
  if (counted > 0)
    return say`${ended}; torch's allocator counted ${counted === 1 ? 'it' : String(counted)}, but it was not recorded here${why}.`;
  if (recorder.state === 'idle')
    return say`${ended}, and never used CUDA itself: the error came to it from elsewhere. From where is not known; its traceback in the log tells.`;
  return say`${ended}, and torch's caching allocator counted none${why}: where it came from is not known; its traceback in the log tells.`;
}

/** Everything the top of the report says, as paragraphs. */
export function verdictParagraphs(manifest: Manifest): readonly Rich[] {
  const story = mainStory(manifest);
  const unseen = each(unseenOoms(manifest), (process) => unseenOf(manifest, process));
  const paragraphs: Rich[] = [...unseen, ...maybeRich(manifest)];
  if (story) {
    const account = accountOf(manifest, story);
    const asked = askedFor(manifest, story, account);
    const intro = story.fatal ? null : say`The newest, on ${processName(story.process)}:`;
    const told = joinRich([intro, asked, whoHeld(account), handledRich(story, manifest.step.workspace)]);
    // One that ended no process comes after those that did.
    if (story.fatal) paragraphs.unshift(told);
    else paragraphs.push(told);
  }
  const why = becauseRich(manifest);
  if (why) {
    if (manifest.verdict.name === 'oom') paragraphs.push(why);
    else paragraphs.unshift(why);
  }
  const hostKills = hostKillsRich(manifest);
  if (hostKills) paragraphs.push(hostKills);
  return paragraphs;
}
