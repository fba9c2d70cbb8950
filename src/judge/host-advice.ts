/** What to do first where the host's memory ran out: by who of the step held it. Pure. */
import type { Manifest } from '../evidence/manifest.js';
import { formatBytes } from '../lib/bytes.js';
import { code, type Rich, say, strong } from '../report/rich.js';
import { hostOwnerRich, share } from '../report/words/memory.js';

/** Below this share of what there was nothing is worth a word. */
const WORTH = 0.3;

export function hostAdvice({ verdict, host }: Manifest): Rich | null {
  const use = host?.use;
  const most = host?.memory?.limit ?? host?.memory?.total ?? null;
  if (verdict.name !== 'host-oom' || !use || most === null) return null;
  const of = (bytes: number): Rich =>
    say`${strong(formatBytes(bytes))}, ${share(bytes, most)} of the ${formatBytes(most)}`;
  const shm = use.shm;
  const workers = use.owners.find((owner) => owner.workers > 0);
  const [first] = use.owners.filter((owner) => owner.workers === 0);
  const held = workers === undefined ? 0 : workers.own + workers.shared;
  // Files in /dev/shm count against the limit of who wrote them.
  if (shm !== null && shm.used >= WORTH * most && shm.used >= held)
    return say`Shared memory (${code('/dev/shm')}) held ${of(shm.used)}: batches on their way from DataLoader workers. A smaller ${code('prefetch_factor')}, fewer ${code('num_workers')} or smaller batches take less.`;
  if (workers !== undefined && held >= WORTH * most && held >= (first?.own ?? 0))
    return say`${hostOwnerRich(workers)} held ${of(held)}, ${formatBytes(workers.own / workers.workers)} each of their own: fewer ${code('num_workers')}, a smaller ${code('prefetch_factor')}, or a dataset that they need not copy (arrays instead of Python objects, memory maps).`;
  if (first !== undefined && first.own >= WORTH * most)
    return say`${hostOwnerRich(first)} itself held ${of(first.own)}: load less at once (memory maps, streaming, ${code('map_location')}), pin less memory, or give the job more.`;
  return null;
}
