/**
 * Memory that was held on the GPUs before the step started: a warning with its numbers, before anything runs.
 * Pure.
 */

import { heldBy, holdersOf } from '../../gpu/holders.js';
import type { GpuObservation } from '../../gpu/observe.js';
import type { GpuDevice } from '../../gpu/parse.js';
import { type Amount, bytesOfAmount, formatAmount } from '../../lib/amount.js';
import { formatBytes } from '../../lib/bytes.js';
import { printable } from '../../lib/text.js';

/** Below this a driver's own context or a display explains the memory (bytes). */
const WORTH_TELLING = 512 * 2 ** 20;

/** One line that names who holds memory already, or null when nobody holds enough to matter. */
export function leftoverWarning(before: GpuObservation): string | null {
  if (before.state !== 'seen') return null;
  const full = before.devices.filter((device) => (device.used ?? 0) >= WORTH_TELLING);
  if (full.length === 0) return null;
  return `Before this step started, GPU memory was in use. ${full.map((device) => heldOn(before, device)).join('; ')}`;
}

/** "GPU 0: 9.00 GiB of 80.00 GiB held by pid 4121 python3 with 9.00 GiB". */
function heldOn(before: GpuObservation, { index, total, used }: GpuDevice): string {
  const named = holdersOf(before, null)
    .filter((holder) => holder.device === index || holder.device === null)
    .slice(0, 5)
    .map((holder) => {
      const [name, held] = [holder.name, heldBy(holder)];
      return `pid ${holder.pid}${name === null ? '' : ` ${printable(name, 60)}`}${held === null ? '' : ` with ${formatBytes(held)}`}`;
    });
  const who = named.length > 0 ? named.join(', ') : 'no process that can be seen from here';
  return `GPU ${index}: ${formatBytes(used ?? 0)}${total === null ? '' : ` of ${formatBytes(total)}`} held by ${who}`;
}

/** The devices that the step may use: those of CUDA_VISIBLE_DEVICES, by index or start of a UUID; all where it is not set. */
function visible(devices: readonly GpuDevice[], setting: string | undefined): readonly GpuDevice[] {
  if (setting === undefined) return devices;
  const named = setting.split(',').map((one) => one.trim());
  // CUDA stops at the first that it does not know, and so do we: an empty setting hides all.
  const found: GpuDevice[] = [];
  for (const name of named) {
    const device = devices.find(
      ({ index, uuid }) => String(index) === name || (name.length > 4 && uuid?.startsWith(name)),
    );
    if (!device) break;
    found.push(device);
  }
  return found;
}

/** What `min-free` says before the step: null when there is room; `full` where there is not; `unknown` where nobody can tell. */
export type Room = null | { readonly state: 'full' | 'unknown'; readonly message: string };

/** @param setting CUDA_VISIBLE_DEVICES of the job */
export function roomFor(before: GpuObservation, minFree: Amount, setting?: string): Room {
  const wanted = formatAmount(minFree);
  const unknown = (reason: string): Room => ({
    state: 'unknown',
    message: `Whether ${wanted} are free on the GPUs is not known: ${reason}`,
  });
  if (before.state === 'absent') return unknown('there is no nvidia-smi, amd-smi or rocm-smi on PATH');
  if (before.state === 'failed') return unknown(`${before.tool} failed (${printable(before.reason, 200)})`);
  const devices = visible(before.devices, setting);
  if (devices.length === 0) return unknown('no GPU is visible to the step');
  const short = devices.filter(({ free, total, used }) => {
    const room = free ?? (total === null || used === null ? null : total - used);
    const needed = bytesOfAmount(minFree, total);
    return room !== null && needed !== null && room < needed;
  });
  if (short.length === 0) return null;
  const lines = short.map(
    (device) =>
      `${formatBytes(device.free ?? (device.total ?? 0) - (device.used ?? 0))} free; ${heldOn(before, device)}`,
  );
  return {
    state: 'full',
    message: `\`min-free\` asks for ${wanted} free on each GPU of the step. ${lines.join('; ')}`,
  };
}
