/** What the report could not see or did not accept, in words. Pure. */
import type { Manifest } from '../../evidence/manifest.js';
import { blindRemedy, blindWords, isBlind } from '../../judge/blind.js';
import { count } from '../../lib/text.js';
import { wasReached } from '../../step/unarmed.js';
import { type Rich, say, shorten } from '../rich.js';
import { notArmed } from './verdict.js';
import { capital, name, processName } from './words.js';

/** What was not seen, each with its remedy. */
export function notSeenSentences(manifest: Manifest): readonly Rich[] {
  const lines: Rich[] = [];
  const said = manifest.gates.find((gate) => gate.gate === 'if-no-torch')?.message ?? '';
  // Where processes were seen out of reach, its message is the first of what follows here.
  if (said !== '' && manifest.unarmed.length === 0) lines.push([shorten(said, 600)]);
  for (const spot of manifest.blind_spots) {
    // The verdict's sentence has the reason, where it is about them.
    const told = manifest.verdict.because.includes(blindWords(spot));
    lines.push(say`${shorten(capital(blindWords(spot, !told)), 500)}: ${blindRemedy(spot)}`);
  }
  const alike = new Map<string, number[]>();
  for (const { program, advice, pid, reason } of manifest.unarmed) {
    // Of those that were reached the blind spots tell.
    if (wasReached(reason)) continue;
    const key = JSON.stringify([program, advice]);
    alike.set(key, [...(alike.get(key) ?? []), pid]);
  }
  for (const [key, pids] of alike) {
    const [program, advice] = JSON.parse(key) as [string, string];
    const more = pids.length > 4 ? ` and ${pids.length - 4} more` : '';
    lines.push(
      say`${name(program, 40)} (pid ${pids.slice(0, 4).join(', ')}${more}) had torch loaded and was not recorded: ${shorten(advice, 300)}`,
    );
  }
  for (const line of manifest.not_seen) lines.push([shorten(line, 500)]);
  if (manifest.not_seen.length === 0) {
    for (const process of notArmed(manifest)) {
      if (isBlind({ ...process, torch: process.build })) continue;
      lines.push(
        say`${processName(process)} was not recorded: ${shorten(process.recorder.reason ?? 'its receipt gives no reason', 400)}`,
      );
    }
  }
  // A hint about the text of the step is worth a line only where something is missing.
  if (lines.length > 0 || manifest.processes.length === 0) {
    for (const hint of manifest.script_hints.filter(({ advice }) => !said.includes(advice))) {
      lines.push(say`Line ${hint.line} of the step uses ${name(hint.what)}: ${shorten(hint.advice, 300)}`);
    }
  }
  return lines;
}

/** From here on it is a flood: names alone would hide what kinds there are. */
const FLOOD = 10;

const MOST_REASONS = 12;

/**
 * How many names were not accepted, by kind of reason, in one line; null where the names themselves say it in
 * a few lines.
 */
export function rejectedLine({ rejected_count, rejected_reasons }: Manifest): string | null {
  if (rejected_count <= FLOOD) return null;
  const kinds = rejected_reasons.slice(0, MOST_REASONS).map(({ reason, count: n }) => `${n} × ${reason}`);
  const more = rejected_reasons.length - kinds.length;
  const rest = more > 0 ? [`${count(more, 'other reason')}`] : [];
  return `${count(rejected_count, 'name')} not accepted as evidence: ${[...kinds, ...rest].join('; ')}`;
}
