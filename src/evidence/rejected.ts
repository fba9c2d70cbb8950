/**
 * Names that were not accepted as evidence. A step can create a hundred thousand of them, so only a sample is
 * kept: some of each kind of reason, the rarest kind first. So a flood of one kind never hides a single file
 * of another. Counts stay exact.
 */

export interface Rejected {
  /** Safe to show; not usable as a path. */
  readonly name: string;
  readonly reason: string;
  readonly bytes: number | null;
}

/** How many names one kind of reason has. */
export interface RejectedReason {
  readonly reason: string;
  readonly count: number;
}

/** There are about 30 kinds, and one for each error code of the system. */
const MOST_KINDS = 60;
const OTHER = 'other reasons';

/** The reason without numbers and names, which differ from file to file and may be chosen by an attacker. */
export const kindOf = (reason: string): string =>
  reason
    .replace(/ \((pid [0-9]+|[0-9]+ names share this file)\)$/, '')
    .replace(/^[0-9]+ bytes, more than the [0-9]+ that are read$/, 'more bytes than are read')
    .replace(/^schema .*, not /s, 'a schema that is not ')
    .replace(/^((?:names|claims) a [^:]*): .*$/s, '$1');

interface Kind {
  count: number;
  readonly kept: Rejected[];
}

export class Rejections {
  count = 0;
  private readonly kinds = new Map<string, Kind>();

  /** @param limit names that are kept in all */
  constructor(private readonly limit: number) {}

  add(rejected: Rejected): void {
    const { kept } = this.counted(rejected.reason, 1);
    if (kept.length < this.limit) kept.push(rejected);
  }

  /** Counts names that were not examined. */
  skip(reason: string, count: number): void {
    this.counted(reason, count);
  }

  private counted(reason: string, count: number): Kind {
    this.count += count;
    const name = kindOf(reason);
    const known = this.kinds.has(name) || this.kinds.size < MOST_KINDS - 1 ? name : OTHER;
    const kind = this.kinds.get(known) ?? { count: 0, kept: [] };
    kind.count += count;
    this.kinds.set(known, kind);
    return kind;
  }

  /** The first name of every kind, then the second, and so on. */
  list(): readonly Rejected[] {
    const kinds = [...this.kinds.values()].sort((a, b) => a.count - b.count);
    const rounds = Math.max(0, ...kinds.map(({ kept }) => kept.length));
    return Array.from({ length: rounds }, (_, round) => kinds.flatMap(({ kept }) => kept[round] ?? []))
      .flat()
      .slice(0, this.limit);
  }

  /** All kinds, the most frequent first. The counts add up to `count`. */
  reasons(): readonly RejectedReason[] {
    return [...this.kinds]
      .map(([reason, { count }]) => ({ reason, count }))
      .sort((a, b) => b.count - a.count);
  }
}
