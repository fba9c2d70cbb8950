/**
 * The evidence of a step that left none, which is most of them: told without loading what collects (3 ms of a green step).
 */
import { closeSync, constants, openSync, readdirSync } from 'node:fs';
import type { Evidence } from './collect.js';
import { reserveName } from './names.js';

/** Whether a folder, and no link to one, holds nothing but our own reserve. */
export function holdsNothing(dir: string, step: string): boolean {
  let handle: number | null = null;
  try {
    handle = openSync(dir, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    return readdirSync(`/proc/self/fd/${handle}`).every((name) => name === reserveName(step));
  } catch {
    return false; // whoever collects says why
  } finally {
    if (handle !== null) closeSync(handle);
  }
}

/** What collecting such a folder gives. */
export const nothing = (dir: string, step: string): Evidence => ({
  dir,
  step,
  receipts: [],
  snapshots: [],
  unread: [],
  folderFault: null,
  rejected: [],
  rejectedCount: 0,
  rejectedReasons: [],
  faults: [],
});
