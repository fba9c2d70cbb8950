/** Sections of the summary about the out-of-memory itself: verdict, stack, categories, hints. Pure. */

import type { Manifest } from '../../evidence/manifest.js';
import { adviceFor } from '../../judge/advice.js';
import { hintsFor } from '../../judge/hints.js';
import { hostAdvice } from '../../judge/host-advice.js';
import { testName } from '../../judge/outcomes.js';
import { formatBytes } from '../../lib/bytes.js';
import { count } from '../../lib/text.js';
import { type Block, plainBlock } from '../blocks.js';
import { foldStack, placeOf, userFrame } from '../frames.js';
import { escapeText, markdown, row, tableHead } from '../markdown.js';
import { code, joinRich, link, type Rich, say, shorten, strong } from '../rich.js';
import {
  accountOf,
  censusOf,
  fatalStories,
  type OomStory,
  type Part,
  partsOf,
  tellingStack,
} from '../story.js';
import { headline } from '../words/headline.js';
import { amount, ownersRich, PART_NAMES, partRich, share } from '../words/memory.js';
import { poolsRich } from '../words/pools.js';
import { verdictParagraphs } from '../words/verdict.js';
import { name, processName } from '../words/words.js';
import { fenced, folded, MOST, moreRows, paragraph } from './kit.js';

export function verdictBlock(manifest: Manifest): Block {
  const { icon, title } = headline(manifest);
  const advice = hostAdvice(manifest) ?? adviceFor(manifest)?.text ?? null;
  const [first, ...rest] = verdictParagraphs(manifest).map(paragraph);
  const told = advice === null ? '' : `> ${paragraph(say`${strong('Do this first')}: ${advice}`)}`;
  return plainBlock(100, `## ${icon} ${escapeText(title)}\n\n${first ?? ''}${told}${rest.join('')}`);
}

/** The line of the program where memory ran out, linked to the commit of the run. */
export function sourceBlock({ source }: Manifest): Block | null {
  if (source === null) return null;
  const place = `${source.file}:${source.line}`;
  return plainBlock(
    95,
    `${paragraph([link([code(place)], source.url)])}${fenced([source.text], 'python')}\n`,
  );
}

/** Other ranks that failed too, each in a line. */
export function otherFailures(manifest: Manifest): Block | null {
  const [, ...rest] = fatalStories(manifest);
  if (rest.length === 0) return null;
  const rows = rest.slice(0, MOST.lines).map((story) => {
    const { frame } = tellingStack(story.oom, manifest.step.workspace);
    const where = frame ? say` at ${name(placeOf(frame, manifest.step.workspace))}` : null;
    const wanted = story.oom.wanted === null ? null : say`, asked for ${formatBytes(story.oom.wanted)}`;
    const test = testName(story.oom);
    const who = test === null ? processName(story.process) : say`test ${name(test)}`;
    return `- ${markdown(say`${who} ran out too${where}${wanted}.`)}\n`;
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

export function stackBlock(manifest: Manifest, story: OomStory): Block | null {
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
  return folded(50, say`Where the program stood: ${own}, ${whose}`, {
    open: text,
    rows: [],
    close: () => '',
  });
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

/** A table longer than this is not read. */
const MOST_PARTS = 6;

/** The largest parts, in the order of all; those not seen to their end stay, as they may be large. */
function largest(parts: readonly Part[]): readonly Part[] {
  if (parts.length <= MOST_PARTS) return parts;
  const order = [...parts].sort((a, b) => Number(a.whole) - Number(b.whole) || b.bytes - a.bytes);
  const kept = new Set(order.slice(0, MOST_PARTS - 1));
  return parts.filter((part) => kept.has(part));
}

export function categoriesBlock(manifest: Manifest, story: OomStory): Block | null {
  const account = accountOf(manifest, story);
  const census = censusOf(story.oom.census, story.oom.device);
  const parts = partsOf(account, story.oom);
  const whole = parts.reduce((sum, part) => sum + part.bytes, 0);
  if (parts.length === 0 || whole === 0) return null;
  const title = census ? 'What was alive when it failed' : 'Who held the memory when it failed';
  const shown = largest(parts);
  const head = tableHead([title, 'bytes', 'share'], ['left', 'right', 'right']);
  const rows = shown.map((part) => {
    const label = say`${SQUARES[part.name]} ${part.name === 'free' ? ['free'] : partRich(part)}`;
    const owners = ownersRich(part);
    // Under the category: a column of its own is off the screen of a telephone.
    return row([
      { lines: owners.length === 0 ? [label] : [label, owners] },
      [amount(part)],
      [part.bytes === 0 ? '' : share(part.bytes, whole)],
    ]);
  });
  const rest = parts.filter((part) => !shown.includes(part));
  if (rest.length > 0) {
    const each = rest.map((part) => say`${PART_NAMES[part.name]} ${amount(part)}`);
    rows.push(row([say`the rest: ${joinRich(each, '; ')}`, [], []]));
  }
  const whose = processName(story.process);
  const of = account.total === null ? formatBytes(whole) : formatBytes(account.total);
  const notes: Rich[] = [];
  if (census && census.allocated > 0) {
    notes.push(
      say`${share(census.attributed, census.allocated)} of the ${formatBytes(census.allocated)} allocated is attributed to what it was observed to be; ${strong('unknown')} says why it is not.`,
    );
  }
  const pools = poolsRich(census);
  if (pools !== null) notes.push(pools);
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

export function hintsBlock(manifest: Manifest): Block | null {
  const hints = hintsFor(manifest);
  if (hints.length === 0) return null;
  const rows = hints.map((hint) => `- ${markdown(hint.text)}\n`);
  return folded(80, ['What else the numbers suggest'], { open: '', rows, close: () => '' });
}
