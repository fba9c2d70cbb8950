/**
 * The job summary: one string of GitHub-flavoured Markdown in a budget of bytes, from the manifest alone. The first two lines can be pasted
 * into a chat and understood; what is long folds away; a section with nothing to say is not there. Pure.
 *
 * Only what GitHub keeps of HTML is used: details, summary, code, span. No image: nothing is fetched when somebody reads it.
 */
import { formatBytes } from '../bytes.js';
import type { LeftOut, Manifest, ManifestProcess, SnapshotReference } from '../evidence/manifest.js';
import { count } from '../text.js';
import { type Block, bytesOf, plainBlock, withinBudget } from './blocks.js';
import { mergedCycles } from './cycles.js';
import { foldStack, placeOf, userFrame } from './frames.js';
import { hintsFor } from './hints.js';
import { escapeText, inlineHtml, markdown, row, shellWord, tableHead } from './markdown.js';
import { joinRich, link, type Rich, say, shorten, strong } from './rich.js';
import {
  disarmWords,
  endingWords,
  greenLine,
  headline,
  historyWords,
  LARGE_SNAPSHOT,
  name,
  notArmed,
  notSeenSentences,
  ownersRich,
  partRich,
  processName,
  REASON_WORDS,
  rankWords,
  share,
  verdictParagraphs,
} from './sentences.js';
import {
  accountOf,
  censusOf,
  disarmOf,
  endingOf,
  fatalStories,
  mainStory,
  type OomStory,
  type Part,
  partsOf,
  peakOf,
  tellingStack,
} from './story.js';

/** Where the evidence went and what the summary can point to. */
export interface SummaryLinks {
  readonly artifactName: string | null;
  readonly artifactId: number | null;
  readonly artifactUrl: string | null;
  /** sha256 of the uploaded zip. */
  readonly artifactDigest: string | null;
  /** The page (report/page.ts), uploaded beside the evidence. */
  readonly reportUrl: string | null;
  /** Folder of the evidence on the runner; null when it was removed after a complete upload. */
  readonly evidenceDir: string | null;
  /** docs/reading-a-snapshot.md of this version of the action. */
  readonly guideUrl?: string | null;
}

/** GitHub's limit is 1 MiB; cutting to exactly that still failed for some (GH maester365/maester/issues/905). */
export const SUMMARY_BUDGET = 900 * 1024;

/** Rows that a summary shows before it points to the page; the byte budget comes on top. */
const MOST = {
  processes: 40,
  snapshots: 24,
  cycles: 8,
  migration: 24,
  rejected: 10,
  leftOut: 24,
  stack: 30,
  lines: 12,
} as const;

const paragraph = (rich: Rich): string => `${markdown(rich)}\n\n`;
const heading = (words: string): string => `**${escapeText(words)}**\n\n`;

/** A folded block. An empty line after `<summary>` makes GitHub read Markdown inside. */
function folded(weight: number, title: Rich, inside: Omit<Block, 'weight'>, open = false): Block {
  return {
    weight,
    open: `<details${open ? ' open' : ''}><summary>${inlineHtml(title)}</summary>\n\n${inside.open}`,
    rows: inside.rows,
    close: (dropped) => `${inside.close(dropped)}\n</details>\n\n`,
  };
}

const moreRows =
  (hidden: number) =>
  (dropped: number): string =>
    hidden + dropped === 0 ? '' : `\nand ${hidden + dropped} more, in the report and in manifest.json.\n`;

/** A fenced block whose fence is longer than any run of backticks in it. */
function fenced(lines: readonly string[], language = 'text'): string {
  const clean = lines.map((line) => line.toWellFormed().replace(/[\r\n]+/g, ' '));
  const longest = Math.max(2, ...clean.flatMap((line) => (line.match(/`+/g) ?? []).map((run) => run.length)));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${clean.join('\n')}\n${fence}\n`;
}

// --- the sections, in the order of the summary ------------------------------------------------------------------------

function verdictBlock(manifest: Manifest): Block {
  const { icon, title } = headline(manifest);
  return plainBlock(
    100,
    `## ${icon} ${escapeText(title)}\n\n${verdictParagraphs(manifest).map(paragraph).join('')}`,
  );
}

/** Other ranks that failed too, each in a line. */
function otherFailures(manifest: Manifest): Block | null {
  const [, ...rest] = fatalStories(manifest);
  if (rest.length === 0) return null;
  const rows = rest.slice(0, MOST.lines).map((story) => {
    const { frame } = tellingStack(story.oom, manifest.step.workspace);
    const where = frame ? say` at ${name(placeOf(frame, manifest.step.workspace))}` : null;
    const wanted = story.oom.wanted === null ? null : say`, asked for ${formatBytes(story.oom.wanted)}`;
    return `- ${markdown(say`${processName(story.process)} ran out too${where}${wanted}.`)}\n`;
  });
  return {
    weight: 60,
    open: '',
    rows,
    close: (dropped) => `${moreRows(rest.length - rows.length)(dropped)}\n`,
  };
}

/** The program's own frames, outermost first as Python prints them, libraries in one line each. */
export function stackLines(stack: OomStory['oom']['stack'], workspace: string | null): readonly string[] {
  const lines: string[] = [];
  for (const group of foldStack(stack)) {
    if (group.kind === 'library') {
      lines.push(`… ${count(group.frames.length, 'frame')} of ${group.packages.slice(0, 4).join(', ')}`);
      continue;
    }
    for (const frame of group.frames) lines.push(`${placeOf(frame, workspace)}  ${frame.function}`);
  }
  return lines.map((line) => shorten(line, 200));
}

function stackBlock(manifest: Manifest, story: OomStory): Block | null {
  const { workspace } = manifest.step;
  const { stack, main } = tellingStack(story.oom, workspace);
  const lines = stackLines(stack, workspace);
  if (lines.length === 0) return null;
  const shown = lines.slice(-MOST.stack);
  const own =
    userFrame(stack, workspace) === null
      ? 'no frame of your own code in it'
      : 'your own frames, libraries folded';
  const whose = main
    ? 'main thread while another one failed'
    : story.oom.thread === 'backward'
      ? 'autograd thread'
      : 'innermost last';
  const text = fenced(
    lines.length > shown.length ? [`… ${lines.length - shown.length} more above`, ...shown] : shown,
  );
  return folded(
    50,
    say`Where the program stood: ${own}, ${whose}`,
    { open: text, rows: [], close: () => '' },
    shown.length <= 10,
  );
}

/** Squares of the picture: different in lightness as well as in hue, in the order of the table below it. */
export const SQUARES: Readonly<Record<Part['name'], string>> = {
  parameter: '🟦',
  gradient: '🟩',
  optimizer_state: '🟪',
  activation: '🟧',
  input: '🟨',
  unknown: '🟫',
  allocated: '🟦',
  unused: '🔳',
  others: '🟥',
  outside: '⬛',
  free: '⬜',
};
/** As many as a phone shows in one line. */
const PICTURE = 16;

/** `parts` as a row of `PICTURE` squares; who has the largest remainder gets what rounding leaves over. */
export function picture(parts: readonly Part[]): string {
  const whole = parts.reduce((sum, part) => sum + part.bytes, 0);
  if (whole === 0) return '';
  const exact = parts.map((part) => (part.bytes / whole) * PICTURE);
  const squares = exact.map(Math.floor);
  const order = exact.map((x, i) => ({ i, left: x - Math.floor(x) })).sort((a, b) => b.left - a.left);
  let open = PICTURE - squares.reduce((sum, n) => sum + n, 0);
  for (const { i } of order) {
    if (open-- <= 0) break;
    squares[i] = (squares[i] as number) + 1;
  }
  return parts.map((part, i) => SQUARES[part.name].repeat(squares[i] as number)).join('');
}

function categoriesBlock(manifest: Manifest, story: OomStory): Block | null {
  const account = accountOf(manifest, story);
  const census = censusOf(story.oom.census, story.oom.device);
  const parts = partsOf(account, census);
  const whole = parts.reduce((sum, part) => sum + part.bytes, 0);
  if (parts.length === 0 || whole === 0) return null;
  const title = census ? 'What was alive when it failed' : 'Who held the memory when it failed';
  const owners = parts.some((part) => ownersRich(part).length > 0);
  const names = [title, 'bytes', 'share', ...(owners ? ['largest owners'] : [])];
  const head = tableHead(names, ['left', 'right', 'right', 'left']);
  const rows = parts.map((part) => {
    const cells = [
      say`${SQUARES[part.name]} ${part.name === 'free' ? ['free'] : partRich(part)}`,
      [formatBytes(part.bytes)],
      [share(part.bytes, whole)],
    ];
    return row(owners ? [...cells, ownersRich(part)] : cells);
  });
  const whose = processName(story.process);
  const of = account.total === null ? formatBytes(whole) : formatBytes(account.total);
  const notes: Rich[] = [];
  if (census && census.allocated > 0) {
    notes.push(
      say`${share(census.attributed, census.allocated)} of the ${formatBytes(census.allocated)} allocated is attributed to what it was observed to be; ${strong('unknown')} says why it is not.`,
    );
  }
  if (story.oom.census?.complete === false) {
    notes.push(say`The look was cut short: ${shorten(story.oom.census.cut ?? 'no reason given', 300)}.`);
  }
  return {
    weight: 90,
    open: `<p aria-hidden="true">${picture(parts)}<br><sub>GPU ${story.oom.device ?? 0} of ${entityFree(whose)}, ${of}</sub></p>\n\n${head}`,
    rows,
    close: () => `\n${notes.length === 0 ? '' : paragraph(joinRich(notes))}`,
  };
}

/** Our own words only (`rank 1`, `pid 7`): nothing to escape. */
const entityFree = (text: string): string => text.replace(/[^a-z0-9 ]/gi, '');

function hintsBlock(manifest: Manifest): Block | null {
  const hints = hintsFor(manifest);
  if (hints.length === 0) return null;
  const rows = hints.map((hint) => `- ${markdown(hint.text)}\n`);
  return { weight: 80, open: heading('What the numbers suggest'), rows, close: () => '\n' };
}

/** Snapshots of ranks that failed first, then the largest. */
function orderedSnapshots(manifest: Manifest): readonly SnapshotReference[] {
  const failed = new Map(
    fatalStories(manifest).map((story, index) => [`${story.process.host}.${story.process.pid}`, index]),
  );
  const order = (s: SnapshotReference): number => failed.get(`${s.host}.${s.pid}`) ?? failed.size;
  return [...manifest.snapshots].sort((a, b) => order(a) - order(b));
}

const leftOutFile = (manifest: Manifest, file: string): LeftOut | undefined =>
  manifest.published.left_out.find((left) => left.file === file);

function snapshotsBlock(manifest: Manifest, links: SummaryLinks): Block | null {
  const snapshots = orderedSnapshots(manifest);
  if (snapshots.length === 0) return null;
  const many = new Set(snapshots.map((s) => s.host)).size > 1;
  const shown = snapshots.slice(0, MOST.snapshots);
  const rows = shown.map((s) => {
    const left = leftOutFile(manifest, s.file);
    const size = say`${formatBytes(s.bytes)}${s.bytes > LARGE_SNAPSHOT ? ' ⚠' : null}${left ? say` · not in the artifact: ${shorten(left.reason, 80)}` : null}`;
    return row([
      [s.rank === null ? `pid ${s.pid}` : String(s.rank)],
      ...(many ? [[name(s.host, 40)]] : []),
      [REASON_WORDS[s.reason]],
      size,
      [historyWords(s)],
      [name(s.digest.replace(/^sha256:/, '').slice(0, 12))],
    ]);
  });
  const names = ['rank', ...(many ? ['host'] : []), 'taken', 'size', 'history', 'sha256 of the file'];
  const aligns = names.map((n) => (n === 'size' ? 'right' : 'left') as 'left' | 'right');
  return {
    weight: 85,
    open: `${where(manifest, links)}${tableHead(names, aligns)}`,
    rows,
    close: (dropped) => `${moreRows(snapshots.length - shown.length)(dropped)}\n${readingLines(manifest)}`,
  };
}

/** The line over the snapshots: where they are. */
function where(manifest: Manifest, links: SummaryLinks): string {
  const { published } = manifest;
  const report = links.reportUrl === null ? null : link(['open the report'], links.reportUrl);
  const parts: Rich[] = [[strong('Snapshots')]];
  if (links.artifactName !== null) {
    parts.push(
      say`artifact ${links.artifactUrl === null ? name(links.artifactName) : link([links.artifactName], links.artifactUrl)}`,
    );
  }
  if (report) parts.push([report]);
  const line = paragraph(joinRich(parts, ' · '));
  if (published.state !== 'failed' && published.state !== 'skipped') return line;
  const kept =
    links.evidenceDir === null ? null : say` The files are on the runner in ${name(links.evidenceDir, 200)}.`;
  return (
    line +
    paragraph(say`${strong('Not uploaded')}: ${shorten(published.reason ?? 'no reason given', 300)}.${kept}`)
  );
}

/** What to open for which question, and what the two views cannot say. */
function readingLines(manifest: Manifest): string {
  const backward = manifest.snapshots.some((s) => s.stacks === 'python');
  const large = manifest.snapshots.some((s) => s.bytes > LARGE_SNAPSHOT);
  const lines: Rich[] = [
    say`${strong('Flamegraph')}: what was alive at the peak. ${strong('Trace view')}: what was allocated right before the failure. A block's stack says where it was allocated, not which operation uses it now.${backward ? ' Blocks allocated in backward carry no Python frames.' : null}`,
  ];
  if (large) {
    lines.push(
      say`⚠ Over ${formatBytes(LARGE_SNAPSHOT)} the viewer in the browser may freeze or end its tab: SnapViewer and MemSnapDump slice such files; a smaller ${strong('max-entries')} makes the next one smaller.`,
    );
  }
  return lines.map(paragraph).join('');
}

function checkBlock(manifest: Manifest, links: SummaryLinks): Block | null {
  if (manifest.snapshots.length === 0) return null;
  const { run_id: run, repository } = manifest.runner;
  const commands: string[] = [];
  if (links.artifactName !== null && run !== null) {
    const repo = repository === null ? '' : ` -R ${shellWord(repository)}`;
    commands.push(`gh run download ${shellWord(run)}${repo} -n ${shellWord(links.artifactName)} -D autopsy`);
    commands.push('(cd autopsy && sha256sum -c SHA256SUMS)');
  }
  const zip =
    links.artifactDigest === null
      ? null
      : say`The artifact's own digest is of the zip: ${name(links.artifactDigest.replace(/^sha256:/, ''))}.`;
  const guide = links.guideUrl == null ? null : say`More in the ${link(['reading guide'], links.guideUrl)}.`;
  const text = joinRich([
    say`Then drop the file on ${name('pytorch.org/memory_viz')}: it stays on your machine. Never ${name('pickle.load')} a snapshot that you did not make.`,
    zip,
    guide,
  ]);
  const sums = orderedSnapshots(manifest).map((s) => `${s.digest.replace(/^sha256:/, '')}  ${s.file}`);
  const opening = commands.length === 0 ? '' : fenced(commands, 'sh');
  return folded(70, ['Download it, check its digest, open it'], {
    open: `${opening}\n${markdown(text)}\n\n\`\`\`text\n`,
    rows: sums.map((line) => `${line}\n`),
    close: (dropped) => `${dropped === 0 ? '' : `… ${dropped} more in SHA256SUMS\n`}\`\`\`\n`,
  });
}

function leftOutBlock(manifest: Manifest, links: SummaryLinks): Block | null {
  const left = manifest.published.left_out;
  if (left.length === 0) return null;
  const rows = left
    .slice(0, MOST.leftOut)
    .map((file) =>
      row([
        [name(file.file, 120)],
        [formatBytes(file.bytes)],
        [shorten(file.reason, 120)],
        [name(file.digest.replace(/^sha256:/, ''))],
      ]),
    );
  const at = links.evidenceDir === null ? null : say` in ${name(links.evidenceDir, 200)}`;
  return folded(40, say`${count(left.length, 'file')} not in the artifact, kept on the runner`, {
    open: `${at === null ? '' : paragraph(say`They are${at}.`)}${tableHead(['file', 'size', 'why', 'sha256'], ['left', 'right'])}`,
    rows,
    close: moreRows(left.length - rows.length),
  });
}

/** Who else held GPU memory, where it was not said at the top. */
function gpuBlock(manifest: Manifest): Block | null {
  const { before = null, after = null } = manifest.gpu ?? {};
  const own = new Set(manifest.processes.map((p) => p.pid));
  const strangers = (
    look: typeof before,
  ): readonly { pid: number; name: string | null; device: number | null; used: number | null }[] =>
    look?.state === 'seen' ? look.processes.filter((p) => !(look.pidsKnown && own.has(p.pid))) : [];
  const rowsOf = (look: typeof before, when: string): string[] =>
    strangers(look).map((p) =>
      row([
        [when],
        [p.device === null ? '' : `GPU ${p.device}`],
        [String(p.pid)],
        p.name === null ? [] : [name(p.name, 60)],
        [p.used === null ? '' : formatBytes(p.used)],
      ]),
    );
  const rows = [...rowsOf(before, 'before the step'), ...rowsOf(after, 'after it')];
  if (rows.length === 0) return null;
  const tool = before?.state === 'seen' ? before.tool : after?.state === 'seen' ? after.tool : '';
  return folded(35, say`Who else was on the GPUs, by ${tool}`, {
    open: tableHead(['when', 'device', 'pid', 'program', 'held'], ['left', 'left', 'right', 'left', 'right']),
    rows: rows.slice(0, MOST.processes),
    close: moreRows(Math.max(0, rows.length - MOST.processes)),
  });
}

function cyclesBlock(manifest: Manifest): Block | null {
  if (manifest.cycles.count === 0) return null;
  const held = Object.values(manifest.cycles.bytes).reduce((sum, n) => sum + n, 0);
  const all = mergedCycles(manifest);
  const rows = all.slice(0, MOST.cycles).map(({ cycle, seen, bytes }) => {
    const types = joinRich(
      cycle.types.slice(0, 4).map((t) => say`${name(t.name, 60)}${t.count > 1 ? ` ×${t.count}` : null}`),
      ' → ',
    );
    const frame = userFrame(cycle.frames, manifest.step.workspace) ?? cycle.frames[0];
    return row([
      types,
      [String(seen)],
      [String(cycle.tensors)],
      [formatBytes(bytes)],
      frame ? say`${name(placeOf(frame, manifest.step.workspace))} in ${name(frame.function, 60)}` : [],
    ]);
  });
  const kinds = manifest.cycles.count;
  return folded(
    45,
    say`Reference cycles: ${count(kinds, 'kind')} held ${count(manifest.cycles.tensors, 'GPU tensor')}, ${formatBytes(held)}`,
    {
      open: tableHead(
        ['types on the cycle', 'seen', 'tensors', 'held', 'its tensors were allocated at'],
        ['left', 'right', 'right', 'right', 'left'],
      ),
      rows,
      close: (dropped) => `${moreRows(Math.max(0, kinds - rows.length))(dropped)}`,
    },
  );
}

function parityBlock(manifest: Manifest): Block | null {
  const { state, reason, result } = manifest.parity;
  if (state === 'off') return null;
  const version = (value: unknown): string | null => (typeof value === 'string' ? shorten(value, 60) : null);
  const torch = version(result?.environment.torch);
  const facts = [
    torch === null ? null : `torch ${torch}`,
    result?.seconds == null ? null : `${result.seconds.toFixed(1)} s`,
  ].filter((f) => f !== null);
  const title = say`Parity with the frozen fixture: ${strong(state)}${facts.length === 0 ? null : ` (${facts.join(', ')})`}`;
  const why = reason === null ? null : say`${shorten(reason, 500)}`;
  if (!result)
    return state === 'match'
      ? null
      : folded(44, title, { open: why ? paragraph(why) : '', rows: [], close: () => '' });
  const lines: Rich[] = [
    say`Rebuilt view: ${result.view.status}. Torch's own categorizer: ${result.oracle.status}${result.oracle.reason ? say` (${result.oracle.reason})` : null}. Migration table: ${result.migration.status}.`,
  ];
  const differences = [
    ...result.view.differences,
    ...result.oracle.differences,
    ...result.migration.differences,
  ];
  const table = result.migration.rows;
  const rows = table
    .slice(0, MOST.migration)
    .map((r) =>
      row([[name(r.from, 40)], [name(r.to, 40)], [r.count.toLocaleString('en-US')], [formatBytes(r.bytes)]]),
    );
  const head =
    rows.length === 0
      ? ''
      : tableHead(["torch's category", 'here', 'tensors', 'bytes'], ['left', 'left', 'right', 'right']);
  const notes = result.migration.lines
    .slice(0, MOST.lines)
    .map((line) => `- ${escapeText(line)}\n`)
    .join('');
  const trigger = result.trigger?.new.length
    ? paragraph(say`${strong('Review trigger')}: ${result.trigger.new.slice(0, 5).join(', ')}.`)
    : '';
  return folded(state === 'drift' ? 75 : 44, title, {
    open: `${why ? paragraph(why) : ''}${differences
      .slice(0, MOST.lines)
      .map((line) => `- ${escapeText(line)}\n`)
      .join('')}\n${lines.map(paragraph).join('')}${head}`,
    rows,
    close: (dropped) => `${moreRows(table.length - rows.length)(dropped)}\n${notes}\n${trigger}`,
  });
}

interface ProcessGroup {
  readonly first: ManifestProcess;
  readonly members: readonly ManifestProcess[];
}

/** Processes that ended alike on one host, together: `0, 2 to 7`. Those that ran out of memory first, on their own. */
export function processGroups(manifest: Manifest): readonly ProcessGroup[] {
  const groups = new Map<string, ManifestProcess[]>();
  for (const process of manifest.processes) {
    const alone = process.oom_count > 0 || process.rank === null;
    const key = alone
      ? `${process.host}.${process.pid}.${process.token}`
      : [process.host, endingWords(manifest, process), disarmWords(manifest, process), process.program].join(
          '\n',
        );
    const group = groups.get(key);
    if (group) group.push(process);
    else groups.set(key, [process]);
  }
  const weight = (p: ManifestProcess): number =>
    (endingOf(manifest, p) === 'oom' ? 8 : 0) +
    (p.oom_count > 0 ? 4 : 0) +
    (['armed-still', 'unproven', 'not-armed'].includes(disarmOf(p)) ? 2 : 0) +
    (p.rank === null ? 0 : 1);
  return [...groups.values()]
    .map((members) => ({ first: members[0] as ManifestProcess, members }))
    .sort((a, b) => weight(b.first) - weight(a.first) || (a.first.rank ?? 0) - (b.first.rank ?? 0));
}

/** Lowest to highest of some amounts. */
function span(amounts: readonly number[]): string {
  if (amounts.length === 0) return '';
  let [low, high] = [amounts[0] as number, amounts[0] as number];
  for (const n of amounts) {
    if (n < low) low = n;
    if (n > high) high = n;
  }
  return low === high ? formatBytes(low) : `${formatBytes(low)} to ${formatBytes(high)}`;
}

function processesBlock(manifest: Manifest): Block | null {
  const { processes } = manifest;
  if (processes.length === 0) return null;
  const groups = processGroups(manifest);
  const hosts = new Set(processes.map((p) => p.host)).size > 1;
  const shown = groups.slice(0, MOST.processes);
  const rows = shown.map(({ first, members }) => {
    const ranks = members.flatMap((p) => (p.rank === null ? [] : [p.rank]));
    const peaks = members.map(peakOf).filter((d) => d !== null);
    return row([
      [ranks.length === 0 ? '' : rankWords(ranks)],
      ...(hosts ? [[name(first.host, 40)]] : []),
      [members.length === 1 ? String(first.pid) : `${members.length} processes`],
      first.program === null ? [] : [name(first.program, 40)],
      [endingWords(manifest, first)],
      [span(peaks.flatMap((d) => (d.peak_allocated === null ? [] : [d.peak_allocated])))],
      [span(peaks.flatMap((d) => (d.peak_reserved === null ? [] : [d.peak_reserved])))],
      [disarmWords(manifest, first)],
    ]);
  });
  const names = [
    'rank',
    ...(hosts ? ['host'] : []),
    'pid',
    'program',
    'ended',
    'peak allocated',
    'peak reserved',
    'disarmed',
  ];
  const rights = new Set(['peak allocated', 'peak reserved']);
  return folded(55, processesTitle(manifest), {
    open: tableHead(
      names,
      names.map((n) => (rights.has(n) ? 'right' : 'left')),
    ),
    rows,
    close: moreRows(groups.length - shown.length),
  });
}

function processesTitle(manifest: Manifest): Rich {
  const { processes } = manifest;
  const number = (test: (p: ManifestProcess) => boolean): number => processes.filter(test).length;
  const oom = number((p) => p.end?.oom === true);
  const sigterm = number((p) => endingOf(manifest, p) === 'sigterm');
  const disarmed = number((p) => disarmOf(p) === 'disarmed');
  const open = number((p) => disarmOf(p) === 'armed-still');
  const never = number((p) => disarmOf(p) === 'not-armed');
  const unproven = number((p) => disarmOf(p) === 'unproven');
  const how = [
    oom > 0 ? `${oom} out of memory` : null,
    sigterm > 0 ? `${sigterm} ended by SIGTERM` : null,
  ].filter((x) => x !== null);
  const proof = [
    `recording disarmed in ${disarmed}`,
    open > 0 ? `ended before disarming in ${open}` : null,
    unproven > 0 ? `not proven off in ${unproven}` : null,
    never > 0 ? `never armed in ${never}` : null,
  ].filter((x) => x !== null);
  return [
    `${count(processes.length, 'process', 'processes')}${how.length > 0 ? `: ${how.join(', ')}` : ''} · ${proof.join(', ')}`,
  ];
}

/** What was not seen, each with its remedy. Not folded: no evidence is not a pass. */
function notSeenBlock(manifest: Manifest): Block | null {
  const lines = notSeenSentences(manifest);
  if (lines.length === 0) return null;
  const shown = lines.slice(0, MOST.lines);
  return {
    weight: 82,
    open: heading('Not seen'),
    rows: shown.map((line) => `- ${markdown(line)}\n`),
    close: (dropped) => `${moreRows(lines.length - shown.length)(dropped)}\n`,
  };
}

function survivorsBlock(manifest: Manifest): Block | null {
  const list = (all: Manifest['killed']): Rich =>
    joinRich(
      all
        .slice(0, MOST.lines)
        .map((s) => say`pid ${s.pid}${s.program === null ? null : say` ${name(s.program, 40)}`}`),
      ', ',
    );
  const lines: Rich[] = [];
  const { still_running: running, killed } = manifest;
  if (running.length > 0) {
    lines.push(
      say`${strong('Still running')}: ${list(running)}. Evidence that ${running.length === 1 ? 'it writes' : 'they write'} later is collected at the end of the job.`,
    );
  }
  if (killed.length > 0)
    lines.push(say`${strong('Ended by SIGKILL')} after the grace period: ${list(killed)}.`);
  return lines.length === 0 ? null : plainBlock(48, lines.map(paragraph).join(''));
}

function troublesBlock(manifest: Manifest): Block | null {
  const lines: Rich[] = [];
  for (const fault of manifest.faults) lines.push([shorten(fault, 300)]);
  for (const process of manifest.processes) {
    for (const fault of process.faults) lines.push(say`${processName(process)}: ${shorten(fault, 300)}`);
    for (const note of process.notes)
      lines.push(say`receipt of ${processName(process)}: ${shorten(note, 200)}`);
  }
  for (const rejected of manifest.rejected)
    lines.push(say`not accepted as evidence: ${name(rejected.name)}, ${shorten(rejected.reason, 200)}`);
  if (lines.length === 0) return null;
  const total = lines.length + Math.max(0, manifest.rejected_count - manifest.rejected.length);
  const shown = lines.slice(0, MOST.rejected * 2);
  return folded(20, say`${count(total, 'remark')} on the recording itself`, {
    open: '',
    rows: shown.map((line) => `- ${markdown(line)}\n`),
    close: moreRows(total - shown.length),
  });
}

function dumpTrouble(manifest: Manifest): Block | null {
  const lines: Rich[] = [];
  for (const process of manifest.processes) {
    // One that was taken and gave way to a newer one is no failure.
    const failed = process.ooms.find((oom) => oom.snapshot_error !== null && !oom.snapshot_error.startsWith('removed'));
    if (failed)
      lines.push(
        say`No snapshot of an out-of-memory on ${processName(process)}: ${shorten(failed.snapshot_error ?? '', 300)}`,
      );
  }
  if (lines.length === 0) return null;
  const shown = lines.slice(0, MOST.lines);
  return {
    weight: 84,
    open: '',
    rows: shown.map((line) => `- ${markdown(line)}\n`),
    close: (dropped) => `${moreRows(lines.length - shown.length)(dropped)}\n`,
  };
}

/** The summary, at most `budgetBytes` of UTF-8, ending in a line break. */
export function renderSummary(
  manifest: Manifest,
  links: SummaryLinks,
  budgetBytes: number = SUMMARY_BUDGET,
): string {
  const green = manifest.verdict.name === 'ok';
  const story = mainStory(manifest);
  const some = (...blocks: readonly (Block | null)[]): readonly Block[] => blocks.filter((b) => b !== null);
  if (green) {
    const rest = some(
      notSeenBlock(manifest),
      snapshotsBlock(manifest, links),
      checkBlock(manifest, links),
      leftOutBlock(manifest, links),
      cyclesBlock(manifest),
      manifest.parity.state === 'match' ? null : parityBlock(manifest),
      survivorsBlock(manifest),
      manifest.processes.some((p) => ['armed-still', 'unproven'].includes(disarmOf(p)))
        ? processesBlock(manifest)
        : null,
      troublesBlock(manifest),
    );
    const icon = greenIcon(manifest);
    const line = `${icon} ${markdown(greenLine(manifest))}\n${rest.length === 0 ? '' : '\n'}`;
    return fitted([plainBlock(100, line), ...rest], budgetBytes);
  }
  return fitted(
    some(
      verdictBlock(manifest),
      otherFailures(manifest),
      story && story.oom.stack.length > 0 ? stackBlock(manifest, story) : null,
      story ? categoriesBlock(manifest, story) : null,
      hintsBlock(manifest),
      dumpTrouble(manifest),
      snapshotsBlock(manifest, links),
      checkBlock(manifest, links),
      leftOutBlock(manifest, links),
      notSeenBlock(manifest),
      gpuBlock(manifest),
      cyclesBlock(manifest),
      parityBlock(manifest),
      processesBlock(manifest),
      survivorsBlock(manifest),
      troublesBlock(manifest),
    ),
    budgetBytes,
  );
}

/** A green run of which something was not seen, or on which a gate fails, gets no green mark. */
function greenIcon(manifest: Manifest): string {
  if (manifest.gates.some((gate) => gate.level === 'fail')) return '🔴';
  if (manifest.gates.length > 0 || notArmed(manifest).length > 0 || manifest.unarmed.length > 0) return '🟡';
  return manifest.processes.length === 0 ? '⚪' : '✅';
}

const fitted = (blocks: readonly Block[], budget: number): string => {
  const text = withinBudget(blocks, budget - 1).trimEnd();
  return bytesOf(text) < budget ? `${text}\n` : '';
};
