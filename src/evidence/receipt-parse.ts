/**
 * Reads a receipt, as untrusted input: it comes from the wrapped step, which may have run code from a fork,
 * and from a shim that may be older or newer than this file. So reading is strict on what everything else
 * hangs on (schema, step, host, pid, token and the file's name agree; no file is claimed that another process
 * would have written) and lenient elsewhere: unknown fields are left out, a part of the wrong type is left
 * out with a note, lists and texts are cut to a bound with a note.
 */
import {
  displayName,
  isSafeName,
  type Owner,
  parseReceiptName,
  parseSnapshotName,
  sameOwner,
} from './names.js';
import { MAX_RECEIPT_BYTES, RECEIPT_SCHEMA, type Receipt } from './receipt.js';
import { isFields, readLeniently } from './receipt-reader.js';
import { ReceiptSchema } from './receipt-schema.js';

type Fields = Readonly<Record<string, unknown>>;

export type ParsedReceipt =
  | { readonly ok: true; readonly receipt: Receipt }
  | { readonly ok: false; readonly reason: string };

/** Why a file that the receipt names cannot be its own, or null. */
function foreignClaim(name: string, own: Owner): string | null {
  if (!isSafeName(name)) return `names a file outside of the evidence folder's rules: ${displayName(name)}`;
  const of = parseSnapshotName(name);
  if (!of) return `names a snapshot that no process writes: ${displayName(name)}`;
  return sameOwner(of, own) ? null : `claims a snapshot of another process: ${displayName(name)}`;
}

/** Every snapshot that a receipt claims, before any cleaning could make a bad name look good. */
function* claims(root: Fields): Generator<string> {
  const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
  for (const item of list(root.snapshots)) {
    if (isFields(item) && typeof item.file === 'string') yield item.file;
  }
  for (const item of list(root.ooms)) {
    if (isFields(item) && typeof item.snapshot === 'string') yield item.snapshot;
  }
}

/** Reads the text of the receipt in `fileName`. Pure; never throws. */
export function parseReceipt(text: string, fileName: string): ParsedReceipt {
  const no = (reason: string): ParsedReceipt => ({ ok: false, reason });
  const named = parseReceiptName(fileName);
  if (!named) return no('its name is not one of a receipt');
  if (text.length > MAX_RECEIPT_BYTES) return no(`longer than ${MAX_RECEIPT_BYTES} bytes`);
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    // A deeply nested text ends in a RangeError here; the parser's own message would quote the text.
    return no(text.trim() === '' ? 'empty' : 'not JSON');
  }
  if (!isFields(root)) return no('not a JSON object');
  if (root.schema !== RECEIPT_SCHEMA) {
    return no(
      typeof root.schema === 'string'
        ? `schema ${displayName(root.schema, 60)}, not ${RECEIPT_SCHEMA}`
        : `no schema ${RECEIPT_SCHEMA}`,
    );
  }
  const step = root.step;
  if (typeof step !== 'string' || !/^[0-9a-f]{12}$/.test(step))
    return no('step is not 12 hexadecimal digits');
  const pid = root.pid;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 1) return no('pid is not a process id');
  if (root.host !== named.host || pid !== named.pid || root.token !== named.token) {
    return no("host, pid or token differ from the file's name");
  }
  for (const name of claims(root)) {
    const problem = foreignClaim(name, named);
    if (problem) return no(problem);
  }
  return readReceipt(root, fileName);
}

/** Ensures that the count is not below the number of listed out-of-memory errors. */
function readReceipt(root: Fields, file: string): ParsedReceipt {
  const { value, notes } = readLeniently(ReceiptSchema, root);
  if (value === null) return { ok: false, reason: 'it is not a receipt' };
  const listed = value.ooms.length;
  const said = value.oom_count < listed ? [`oom_count is ${value.oom_count}, but ${listed} are listed`] : [];
  return {
    ok: true,
    receipt: { ...value, oom_count: Math.max(value.oom_count, listed), file, notes: [...notes, ...said] },
  };
}
