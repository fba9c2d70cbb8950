/** The peaks of a step and what they are beside a baseline, in sentences. Pure. */
import type { Manifest } from '../../evidence/manifest.js';
import { changeWords, grewWords } from '../../judge/budget.js';
import { formatBytes } from '../../lib/bytes.js';
import { grown } from '../../memory/compare.js';
import { code, type Rich, say, strong } from '../rich.js';

/** Below this a difference is the allocator's rounding (bytes). */
const WORTH_NAMING = 2 ** 20;

/** "1.20 GiB (24 %) more than the baseline (3f2c1d0): activation of `encoder.0` grew by 1.10 GiB." Null without a comparison. */
export function baselineRich({ memory }: Manifest): Rich | null {
  const { baseline } = memory;
  if (baseline === null) return null;
  if ('reason' in baseline) return say`The baseline could not be used: ${baseline.reason}.`;
  const of = baseline.sha === null ? null : say` (${code(baseline.sha.slice(0, 7))})`;
  if (baseline.state === 'not-comparable')
    return say`Not comparable with the baseline${of}: ${baseline.differences.join('; ')}.`;
  const { before, after } = baseline.peak;
  if (grown(baseline.peak) === 0) return say`The peak is that of the baseline${of}, ${formatBytes(after)}.`;
  const grew = Math.abs(grown(baseline.peak)) < WORTH_NAMING ? null : grewWords(baseline);
  const who = grew === null ? null : say`: ${grew}`;
  return say`The peak is ${strong(changeWords(baseline.peak))} than that of the baseline${of}, ${formatBytes(after)} after ${formatBytes(before)}${who}.`;
}
