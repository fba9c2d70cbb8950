/**
 * Memory that was held on the GPUs before the step started: a warning with its numbers, before anything runs.
 * Pure.
 */

import { heldBy, holdersOf } from '../../gpu/holders.js';
import type { GpuObservation } from '../../gpu/observe.js';
import { formatBytes } from '../../lib/bytes.js';
import { printable } from '../../lib/text.js';

/** Below this a driver's own context or a display explains the memory (bytes). */
const WORTH_TELLING = 512 * 2 ** 20;

/** One line that names who holds memory already, or null when nobody holds enough to matter. */
export function leftoverWarning(before: GpuObservation): string | null {
  if (before.state !== 'seen') return null;
  const full = before.devices.filter((device) => (device.used ?? 0) >= WORTH_TELLING);
  if (full.length === 0) return null;
  const holders = holdersOf(before, null);
  const lines = full.map((device) => {
    const named = holders
      .filter((holder) => holder.device === device.index || holder.device === null)
      .slice(0, 5)
      .map((holder) => {
        const [name, used] = [holder.name, heldBy(holder)];
        return `pid ${holder.pid}${name === null ? '' : ` ${printable(name, 60)}`}${used === null ? '' : ` with ${formatBytes(used)}`}`;
      });
    const who = named.length > 0 ? named.join(', ') : 'no process that can be seen from here';
    const total = device.total === null ? '' : ` of ${formatBytes(device.total)}`;
    return `GPU ${device.index}: ${formatBytes(device.used ?? 0)}${total} held by ${who}`;
  });
  return `Before this step started, GPU memory was in use. ${lines.join('; ')}`;
}
