/**
 * A short name of an out-of-memory that stays the same from run to run: its kind, the user's file and function (no line, that moves with
 * every edit), and who held most. No amount goes in. Pure.
 */
import type { Manifest } from '../evidence/manifest.js';
import { lazyCrypto } from '../lib/random.js';
import { placeOf } from '../report/frames.js';
import { censusOf, mainStory, type OomStory, tellingStack } from '../report/story.js';

/** The owner with the most bytes on the device that ran out; empty where none has a name. */
function largestOwner({ oom }: OomStory): string {
  const categories = Object.values(censusOf(oom.census, oom.device)?.categories ?? {});
  const owners = categories.flatMap((category) => category?.owners ?? []);
  return owners.sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1))[0]?.name ?? '';
}

/** Twelve hexadecimal digits for the out-of-memory that the report is about; empty where there was none. */
export function fingerprintOf(manifest: Manifest): string {
  const { workspace } = manifest.step;
  const story = mainStory(manifest);
  const outside = manifest.processes.find(({ end }) => end?.outside_oom?.certain)?.end;
  // What a program survived is not what ended it.
  const beside = outside?.outside_oom && !story?.fatal ? outside : null;
  if (story === null && beside === null) return '';
  const frame = beside ? beside.at : story && tellingStack(story.oom, workspace).frame;
  const facts = [
    beside?.outside_oom?.kind ?? 'allocator',
    frame ? placeOf({ ...frame, line: 0 }, workspace) : '',
    frame?.function ?? '',
    beside || story === null ? '' : largestOwner(story),
  ];
  return lazyCrypto().createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 12);
}
