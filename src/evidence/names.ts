/**
 * Names of evidence files: one place that says what they look like, who owns them, and how any other name is
 * shown.
 *
 * The folder is flat. A name never holds anything but `[A-Za-z0-9._-]`, so it is safe in a path, in Markdown,
 * in a log line and in `SHA256SUMS` as it stands; every other name is rejected and only ever shown through
 * `displayName`.
 */
import { hostname } from 'node:os';

export type SnapshotReason = 'oom' | 'exception' | 'sigterm' | 'exit' | 'budget';
export const SNAPSHOT_REASONS: readonly SnapshotReason[] = ['oom', 'exception', 'sigterm', 'exit', 'budget'];

/** Who wrote a file: a host, a pid and the token of that incarnation of the process. */
export interface Owner {
  readonly host: string;
  readonly pid: number;
  /** 8 hexadecimal digits, new for every process incarnation, so that a reused pid is another owner. */
  readonly token: string;
}

export interface SnapshotName extends Owner {
  /** The process's rank; null when it had none. */
  readonly rank: number | null;
  /** What it is called instead, as `gw3` or `actor_Trainer`; null when it has no name. */
  readonly label: string | null;
  readonly seq: number;
  readonly reason: SnapshotReason;
}

const SAFE = /^[A-Za-z0-9._-]{1,200}$/;
const OWNER = '([A-Za-z0-9-]{1,40})';
const TAIL = '([0-9]{1,10})-([0-9a-f]{8})';
const RECEIPT = new RegExp(`^${OWNER}-${TAIL}\\.receipt\\.json$`);
const SNAPSHOT = new RegExp(
  `^${OWNER}-(rank(?:[0-9]{1,9}|none)|gw[0-9]{1,6}|(?:actor|task)_[A-Za-z0-9_]{1,40})-${TAIL}-([0-9]{1,9})-(oom|exception|sigterm|exit|budget)\\.pickle$`,
);
const UNFINISHED = /^\.[A-Za-z0-9._-]{1,200}\.tmp-([0-9]{1,10})$/;

const RESERVE = /^\.reserve-[0-9a-f]{12}$/;
/** The file that keeps room on the disk for the end of a step: no evidence, in the evidence folder or elsewhere. */
export const reserveName = (step: string): string => `.reserve-${step}`;
export const isReserve = (name: string): boolean => RESERVE.test(name);

/** True for a name that can be shown, joined to a folder and written to `SHA256SUMS` as it stands. */
export const isSafeName = (name: string): boolean => SAFE.test(name) && name !== '.' && name !== '..';

const owner = (match: RegExpExecArray | null): Owner | null =>
  match ? { host: match[1] ?? '', pid: Number(match[2]), token: match[3] ?? '' } : null;

/** Owner of `<host>-<pid>-<token>.receipt.json`. */
export const parseReceiptName = (name: string): Owner | null => owner(RECEIPT.exec(name));

/** The facts in `<host>-<rankN, a label or ranknone>-<pid>-<token>-<seq>-<reason>.pickle`. */
export function parseSnapshotName(name: string): SnapshotName | null {
  const match = isSafeName(name) ? SNAPSHOT.exec(name) : null;
  if (!match) return null;
  const [, host, who = '', pid, token, seq, reason] = match as unknown as [string, ...string[]];
  const [, rank] = /^rank([0-9]{1,9})$/.exec(who) ?? [];
  return {
    host: host ?? '',
    rank: rank === undefined ? null : Number(rank),
    label: rank === undefined && who !== 'ranknone' ? who : null,
    pid: Number(pid),
    token: token ?? '',
    seq: Number(seq),
    reason: reason as SnapshotReason,
  };
}

/** The pid in `.<name>.tmp-<pid>`: a file that its process did not live to finish. */
export function parseUnfinishedName(name: string): number | null {
  const match = UNFINISHED.exec(name);
  return match ? Number(match[1]) : null;
}

/**
 * A host's name as the shim writes it into the names of its files (`host_in_names` of
 * python/shim/_oom_autopsy/facts.py).
 */
export const hostInNames = (host: string): string =>
  host.replace(/[^A-Za-z0-9-]/gu, '-').slice(0, 40) || 'host';

/** This machine, as receipts and the names of files that it left begin with it. */
export const thisHost = (): string => hostInNames(hostname());

export const sameOwner = (a: Owner, b: Owner): boolean =>
  a.host === b.host && a.pid === b.pid && a.token === b.token;

export const ownerKey = (o: Owner): string => `${o.host}-${o.pid}-${o.token}`;

/**
 * A stranger's file name as it may be shown anywhere: letters, digits and a few marks stay, everything else
 * becomes `\x..` or `\u{..}`. Stricter than escaping control characters: a runner takes `##[command]` for a
 * command anywhere in a line, not only `::` at its start, and Markdown has its own ideas about backticks and
 * brackets.
 */
export function displayName(name: string, limit = 120): string {
  let shown = '';
  for (const char of name) {
    if (shown.length >= limit) return `${shown}...`;
    const code = char.codePointAt(0) ?? 0;
    if (/[A-Za-z0-9._ @+=,-]/.test(char)) shown += char;
    else shown += code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
  }
  return shown;
}
