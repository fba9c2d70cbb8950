/** What the summary says of the memory budget, and the peaks beside those of a baseline. Pure. */
import type { Manifest } from '../../evidence/manifest.js';
import { CATEGORY_NAMES } from '../../evidence/vocabulary.js';
import { changeWords } from '../../judge/budget.js';
import { formatBytes } from '../../lib/bytes.js';
import type { Change } from '../../memory/compare.js';
import { type Block, plainBlock } from '../blocks.js';
import { row, tableHead } from '../markdown.js';
import { type Rich, say, strong } from '../rich.js';
import { baselineRich } from '../words/memory-change.js';
import { name } from '../words/words.js';
import { folded, moreRows, paragraph } from './kit.js';

const MOST_ROWS = 40;
const BUDGET_GATES: ReadonlySet<string> = new Set(['memory-budget', 'max-growth', 'if-no-baseline']);

/** What the budget's gates say, and one sentence beside the baseline. */
export function budgetSentences(manifest: Manifest): readonly Rich[] {
  const gates = manifest.gates.filter(({ gate }) => BUDGET_GATES.has(gate));
  const said = gates.map(({ message }) => say`${strong(`${message}.`)}`);
  const beside = baselineRich(manifest);
  // The gate has said it.
  return beside === null || gates.some(({ gate }) => gate !== 'memory-budget') ? said : [...said, beside];
}

/** The same under the headline of a red step. */
export function budgetBlock(manifest: Manifest): Block | null {
  const sentences = budgetSentences(manifest);
  return sentences.length === 0 ? null : plainBlock(99, sentences.map(paragraph).join(''));
}

export function baselineBlock({ memory }: Manifest): Block | null {
  const { baseline } = memory;
  if (baseline?.state !== 'compared') return null;
  const line = (who: string, what: string, change: Change): string =>
    row([
      [name(who, 60)],
      [what],
      [formatBytes(change.before)],
      [formatBytes(change.after)],
      [changeWords(change)],
    ]);
  const rows = baseline.rows.flatMap(({ who, device, peak, categories }) => {
    const where = `${who}, cuda:${device}`;
    const held = CATEGORY_NAMES.flatMap((category) => {
      const change = categories[category];
      return change && change.before + change.after > 0 ? [line(where, category, change)] : [];
    });
    return [line(where, 'peak allocated', peak), ...held];
  });
  const only = [
    ...baseline.added.map((who) => `- ${who} is new here\n`),
    ...baseline.gone.map((who) => `- ${who} is in the baseline only\n`),
  ];
  return folded(60, say`Memory beside the baseline: ${changeWords(baseline.peak)}`, {
    open: tableHead(['who', 'what', 'baseline', 'now', 'change'], ['left', 'left', 'right', 'right', 'left']),
    rows: rows.slice(0, MOST_ROWS),
    close: (dropped) =>
      `${moreRows(Math.max(0, rows.length - MOST_ROWS))(dropped)}${only.length > 0 ? `\n${only.slice(0, 10).join('')}` : ''}`,
  });
}
