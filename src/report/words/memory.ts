/** The parts of a device's memory in words: their names, their owners, their shares. Pure. */
import { formatBytes } from '../../lib/bytes.js';
import { count } from '../../lib/text.js';
import type { HostOwner } from '../../step/host-use.js';
import { joinRich, type Rich, say, shorten, strong } from '../rich.js';
import type { Part } from '../story.js';
import { MAX_NAME, name } from './words.js';

/** Of what is unknown for these reasons, as the shim says them, owners may be known. */
const OWNED: readonly string[] = ['module buffer', 'visible tensor'];

export const PART_NAMES: Readonly<Record<Part['name'], string>> = {
  parameter: 'parameter',
  gradient: 'gradient',
  optimizer_state: 'optimizer state',
  activation: 'activation',
  input: 'input',
  unknown: 'unknown',
  allocated: 'in use by this process',
  unused: 'reserved, unused',
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

/** What holds bytes, as a reader sees it. */
const ownerRich = ({ name: of, kind }: Part['owners'][number]): Rich =>
  kind === 'compiled' ? say`compiled graph of ${name(of, 60)}` : kind === 'library' ? [of] : [name(of, 60)];

/** Why bytes are unknown, less what its owners tell. A library's owner is a reason of the same name. */
function untold({ owners, reasons }: Part): readonly { what: Rich; bytes: number }[] {
  let told = owners.filter(({ kind }) => kind !== 'library').reduce((sum, owner) => sum + owner.bytes, 0);
  const libraries = new Set(owners.filter(({ kind }) => kind === 'library').map(({ name: of }) => of));
  return reasons
    .filter(({ reason }) => !libraries.has(reason))
    .flatMap(({ reason, bytes }) => {
      const less = OWNED.includes(reason) ? Math.min(told, bytes) : 0;
      told -= less;
      return bytes === less ? [] : [{ what: [shorten(reason, MAX_NAME)], bytes: bytes - less }];
    });
}

/** The largest owners of a part, and for what has none why it is unknown: `most` of them after the first `from`. */
export function ownersRich(part: Part, most = 2, from = 0): Rich {
  const owners = part.owners.map((owner) => ({ what: ownerRich(owner), bytes: owner.bytes }));
  const all = part.name === 'unknown' ? [...owners, ...untold(part)] : owners;
  const shown = [...all].sort((a, b) => b.bytes - a.bytes).slice(from, from + most);
  return joinRich(
    shown.map(({ what, bytes }) => say`${what} ${formatBytes(bytes)}`),
    ', ',
  );
}

/** `python3 (pid 12)`, `4 workers of python3 (pid 12)`: a program of the step, or those that it has forked. */
export const hostOwnerRich = ({ program, pid, workers }: HostOwner): Rich =>
  say`${workers === 0 ? null : `${count(workers, 'worker')} of `}${name(program, 40)} (pid ${pid})`;

/** Share in percent; `< 1 %` for what is not nothing. */
export function share(part: number, whole: number): string {
  if (whole <= 0) return '';
  const percent = (100 * part) / whole;
  return percent > 0 && percent < 1 ? '< 1 %' : `${Math.round(percent)} %`;
}
