/** The parts of a device's memory in words: their names, their owners, their shares. Pure. */
import { formatBytes } from '../../lib/bytes.js';
import { joinRich, type Rich, say, shorten, strong } from '../rich.js';
import type { Part } from '../story.js';
import { MAX_NAME, name } from './words.js';

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

/** The bytes of a part. */
export function amount(part: Part): string {
  if (part.whole) return formatBytes(part.bytes);
  return part.bytes === 0 ? 'not reached' : `${formatBytes(part.bytes)}, not all reached`;
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
