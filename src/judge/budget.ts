/**
 * The memory budget: what turns a green step red because its peak is too high or has grown too much, and what a step's account says of
 * a baseline. Pure. A red step stays as it is: there the comparison explains, and no gate speaks.
 */
import { type Amount, formatAmount } from '../lib/amount.js';
import { formatBytes } from '../lib/bytes.js';
import type { Baseline } from '../memory/baseline.js';
import { type Change, type Comparison, compare, grewTooMuch, grown, overBudget } from '../memory/compare.js';
import type { Memory, MemoryRow } from '../memory/schema.js';
import type { GateFinding } from './gates.js';

/** What became of the baseline. `sha`: the commit that it is of, where it says so. */
export type BaselineAccount =
  | { readonly state: 'missing' | 'unreadable'; readonly reason: string }
  | (Comparison & { readonly sha: string | null });

export interface BudgetOptions {
  readonly memoryBudget: Amount | null;
  readonly maxGrowth: Amount | null;
  readonly ifNoBaseline: 'ignore' | 'warn' | 'fail';
}

export const baselineAccount = (baseline: Baseline, now: Memory): BaselineAccount =>
  baseline.state === 'read' ? { ...compare(baseline.memory, now), sha: baseline.memory.sha } : baseline;

/** "rank 3 on cuda:0", or the device alone where there is one program. */
const where = ({ who, device }: { readonly who: string; readonly device: number }): string =>
  `${who} on cuda:${device}`;

/** `1.20 GiB (24 %) more`, `0.50 GiB (3 %) less`, `as much`. */
export function changeWords(change: Change): string {
  const more = grown(change);
  if (more === 0) return 'as much';
  const percent = change.before > 0 ? (100 * Math.abs(more)) / change.before : null;
  const share =
    percent === null
      ? ''
      : ` (${percent < 0.1 ? 'below 0.1' : percent < 10 ? percent.toFixed(1) : Math.round(percent)} %)`;
  return `${formatBytes(Math.abs(more))}${share} ${more > 0 ? 'more' : 'less'}`;
}

/** Who held most when the row was last looked at: "activation held most of it at exit: 10.00 GiB, `blocks.*.attn` 6.00 GiB of that". */
function holderWords({ categories, seen }: MemoryRow): string {
  const [top] = Object.entries(categories ?? {})
    .flatMap(([name, category]) =>
      category && category.bytes > 0 && name !== 'unknown' ? [{ name, ...category }] : [],
    )
    .sort((a, b) => b.bytes - a.bytes);
  if (!top) return '';
  const [owner] = top.owners;
  const most = owner ? `, ${owner.name} ${formatBytes(owner.bytes)} of that` : '';
  return `. Most ${seen}: ${top.name} ${formatBytes(top.bytes)}${most}`;
}

function budgetFinding(rows: readonly MemoryRow[], budget: Amount): GateFinding | null {
  const over = [...overBudget(rows, budget)].sort((a, b) => b.peak_allocated - a.peak_allocated);
  const [top] = over;
  if (!top) return null;
  const others = over.length > 1 ? ` (and ${over.length - 1} more above it)` : '';
  const total = 'share' in budget && top.device_total !== null ? ` of ${formatBytes(top.device_total)}` : '';
  return {
    gate: 'memory-budget',
    level: 'fail',
    message: `The peak of ${where(top)} was ${formatBytes(top.peak_allocated)}, above the memory budget of ${formatAmount(budget)}${total}${others}${holderWords(top)}`,
  };
}

/** What grew most, where one category or owner says more than the sum: "activation of encoder.0 grew by 6.10 GiB". */
export function grewWords(account: BaselineAccount): string | null {
  if (account.state !== 'compared') return null;
  const [row] = account.rows;
  if (!row?.grew || grown(row.peak) <= 0) return null;
  const { category, owner, bytes } = row.grew;
  return `${category}${owner === null ? '' : ` of ${owner}`} grew by ${formatBytes(bytes)}`;
}

function growthFinding(account: BaselineAccount, most: Amount): GateFinding | null {
  if (account.state !== 'compared' || !grewTooMuch(account, most)) return null;
  const { before, after } = account.peak;
  const grew = grewWords(account);
  return {
    gate: 'max-growth',
    level: 'fail',
    message: `The peak is ${formatBytes(after)}, ${changeWords(account.peak)} than the baseline's ${formatBytes(before)}; at most ${formatAmount(most)} more is allowed${grew === null ? '' : `. ${grew}`}`,
  };
}

function baselineFinding(account: BaselineAccount, options: BudgetOptions): GateFinding | null {
  if (account.state === 'compared' || options.ifNoBaseline === 'ignore') return null;
  const reason =
    account.state === 'not-comparable'
      ? `The baseline is not comparable: ${account.differences.join('; ')}`
      : `The baseline could not be used: ${account.reason}`;
  return {
    gate: 'if-no-baseline',
    level: options.ifNoBaseline,
    message: `${reason}. Nothing was compared; \`if-no-baseline\` says what that means`,
  };
}

/** Every gate of the budget that has something to say about a green step. */
export function judgeBudget(
  memory: Memory,
  account: BaselineAccount | null,
  options: BudgetOptions,
): readonly GateFinding[] {
  return [
    options.memoryBudget === null ? null : budgetFinding(memory.rows, options.memoryBudget),
    account === null || options.maxGrowth === null ? null : growthFinding(account, options.maxGrowth),
    account === null ? null : baselineFinding(account, options),
  ].filter((finding) => finding !== null);
}
