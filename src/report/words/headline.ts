/** The headline of the report: one line that can stand alone. Pure. */
import type { Manifest } from '../../evidence/manifest.js';
import { inStep, ofJob } from '../../job/words.js';
import { doubtOf } from '../../judge/blind.js';
import { fatalOoms, isFatal, testName, unexplained } from '../../judge/outcomes.js';
import { endedByOom, type OutsideKind, outsideOoms } from '../../judge/outside.js';
import { allCaught } from '../../judge/verdict.js';
import { VERDICT_TRAITS, type VerdictName, type VerdictTraits } from '../../judge/verdicts.js';
import { count } from '../../lib/text.js';
import { shorten } from '../rich.js';
import { fatalStories, openOoms } from '../story.js';
import { capital, rankWords } from './words.js';

/** Icon and headline. */
export interface Headline {
  readonly icon: string;
  readonly tone: VerdictTraits['tone'];
  readonly title: string;
}

/** What ran out: of pinned host memory the words of the error are those of the device. */
const ranOut = (kinds: readonly OutsideKind[]): string =>
  kinds.length > 0 && kinds.every((kind) => kind === 'pinned-host')
    ? 'Out of pinned host memory'
    : 'Out of GPU memory';

/** Where memory ran out, where that is more telling than the program's name: tests, or a notebook's cell. */
function inside(manifest: Manifest): string | null {
  const { tests } = fatalOoms(manifest.processes);
  const [first] = tests;
  if (first !== undefined) {
    return `in test ${shorten(first, 120)}${tests.length > 1 ? ` and ${tests.length - 1} more` : ''}`;
  }
  const oom = fatalStories(manifest)[0]?.oom;
  if (oom?.cell != null) return `in cell ${oom.cell} of a notebook`;
  const test = oom?.test?.child ? testName(oom) : null;
  return test === null ? null : `in a process of test ${shorten(test, 120)}`;
}

function oomTitle(manifest: Manifest): string {
  const ended = manifest.processes.filter((p) => endedByOom(p) || p.ooms.some(isFatal));
  const where = inside(manifest);
  const outside = ended.flatMap(({ end }) => (end?.outside_oom ? [end.outside_oom.kind] : []));
  const what = outside.length === ended.length ? ranOut(outside) : ranOut([]);
  const ranks = [...new Set(ended.flatMap((p) => (p.rank === null ? [] : [p.rank])))];
  const process = fatalStories(manifest)[0]?.process;
  const first = process?.rank;
  const hosts = new Set(manifest.processes.map(({ host }) => host));
  const of = process !== undefined && hosts.size > 1 ? ` of ${shorten(process.host, 40)}` : '';
  if (where !== null) return `${what} ${where}`;
  if (ranks.length === 1) return `${what} on rank ${ranks[0]}${of}`;
  if (ranks.length > 1) {
    return `${what} on ranks ${rankWords(ranks)}${first == null ? '' : `, first on rank ${first}${of}`}`;
  }
  if (ended.length > 1) return `${what} in ${ended.length} processes`;
  const called = ended[0]?.identity?.name;
  if (called) return `${what} in ${shorten(called, 60)}`;
  const program = ended[0]?.program;
  return program ? `${what} in ${shorten(program, 60)}` : what;
}

function recoveredTitle(manifest: Manifest): string {
  const open = openOoms(manifest);
  const one = manifest.oom_count === 1;
  const errors = count(manifest.oom_count, 'out-of-memory error');
  if (allCaught(open)) return `${errors}, ${one ? 'caught' : 'all caught'}: the program went on`;
  if (one && open.running > 0) return `${errors}, and its process still runs`;
  return `${errors}; whether ${one ? 'it was' : 'all were'} caught is not known`;
}

/** What the headline of a failed step says of out-of-memory errors: of those that were caught, nothing. */
function seenTitle(manifest: Manifest): string {
  const { oom_count: n, processes, unarmed, blind_spots } = manifest;
  if (n > 0) {
    if (allCaught(openOoms(manifest)) && unexplained(processes) === 0) return '';
    return n === 1 ? '; an out-of-memory was seen' : `; ${n} out-of-memory errors were seen`;
  }
  if (outsideOoms(processes).maybe.length > 0) return '; it may be out of memory';
  if (blind_spots.length > 0) return `; ${doubtOf(blind_spots)}`;
  if (processes.length === 0) return '; nothing was recorded';
  return unarmed.length > 0 ? '; not all of it was recorded' : '; no out-of-memory was seen';
}

const TITLES: Readonly<Record<VerdictName, (manifest: Manifest) => string>> = {
  ok: () => 'No out-of-memory',
  'oom-recovered': recoveredTitle,
  oom: oomTitle,
  'host-oom': () => 'The host ran out of memory, not the GPU',
  killed: () => 'Killed by SIGKILL',
  cancelled: () => 'Cancelled or out of time',
  failed: (manifest) => {
    const exit = manifest.step.exit_code;
    return `The step failed${exit === null ? '' : ` with exit code ${exit}`}${seenTitle(manifest)}`;
  },
  unknown: ({ blind_spots }) => capital(doubtOf(blind_spots)),
  'not-run': () => 'Nothing was run',
};

/** What happened, in one line. */
export function headline(manifest: Manifest): Headline {
  const { name } = manifest.verdict;
  const { icon, tone } = VERDICT_TRAITS[name];
  const title = TITLES[name](manifest);
  return { icon, tone, title: manifest.step.scope === 'job' ? ofJob(title) + inStep(manifest) : title };
}
