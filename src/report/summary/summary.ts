/**
 * The job summary: one string of GitHub-flavoured Markdown in a budget of bytes, from the manifest alone. The
 * first two lines can be pasted into a chat and understood; what is long folds away; a section with nothing
 * to say is not there. Pure.
 *
 * Only what GitHub keeps of HTML is used: details, summary, code, span. No image: nothing is fetched when
 * somebody reads it.
 */
import type { Manifest } from '../../evidence/manifest.js';
import { outsideOoms } from '../../judge/outside.js';
import { VERDICT_TRAITS } from '../../judge/verdicts.js';
import { type Block, bytesOf, plainBlock, withinBudget } from '../blocks.js';
import { markdown } from '../markdown.js';
import { disarmOf, mainStory } from '../story.js';
import { greenLine, hostKillsRich, notArmed } from '../words/verdict.js';
import { checkBlock, leftOutBlock, snapshotsBlock, whereBlock } from './evidence.js';
import type { SummaryLinks } from './kit.js';
import { baselineBlock, budgetBlock, budgetSentences } from './memory.js';
import {
  cyclesBlock,
  dumpTrouble,
  gpuBlock,
  hostBlock,
  notSeenBlock,
  parityBlock,
  processesBlock,
  survivorsBlock,
  triggerBlock,
  troublesBlock,
} from './rest.js';
import {
  categoriesBlock,
  hintsBlock,
  otherFailures,
  sourceBlock,
  stackBlock,
  verdictBlock,
} from './story.js';
import { timelineBlock } from './timeline.js';

export type { SummaryLinks } from './kit.js';
export { picture } from './story.js';

/**
 * GitHub's limit is 1 MiB; cutting to exactly that still failed for some (GH maester365/maester/issues/905).
 */
export const SUMMARY_BUDGET = 900 * 1024;

/** GitHub takes a comment of 65,536 characters; whoever posts it adds a heading or a mark of their own. */
export const COMMENT_BUDGET = 60_000;

/** The summary, at most `budgetBytes` of UTF-8, ending in a line break. */
export function renderSummary(
  manifest: Manifest,
  links: SummaryLinks,
  budgetBytes: number = SUMMARY_BUDGET,
): string {
  const { quiet } = VERDICT_TRAITS[manifest.verdict.name];
  const story = mainStory(manifest);
  const some = (...blocks: readonly (Block | null)[]): readonly Block[] => blocks.filter((b) => b !== null);
  if (quiet) {
    const rest = some(
      baselineBlock(manifest),
      timelineBlock(manifest),
      notSeenBlock(manifest),
      whereBlock(manifest, links),
      snapshotsBlock(manifest),
      checkBlock(manifest, links),
      leftOutBlock(manifest, links),
      cyclesBlock(manifest),
      manifest.parity.state === 'match' ? null : parityBlock(manifest),
      triggerBlock(manifest),
      survivorsBlock(manifest),
      manifest.processes.some((p) => ['armed-still', 'unproven'].includes(disarmOf(p)))
        ? processesBlock(manifest)
        : null,
      troublesBlock(manifest),
    );
    const icon = greenIcon(manifest);
    // A red mark is followed by what it stands for.
    const gates = budgetSentences(manifest);
    const lines = [...(icon === '🔴' ? gates : []), greenLine(manifest), ...(icon === '🔴' ? [] : gates)];
    const line = `${icon} ${lines.map(markdown).join('\n\n')}\n${rest.length === 0 ? '' : '\n'}`;
    return fitted([plainBlock(100, line), ...rest], budgetBytes);
  }
  return fitted(
    some(
      verdictBlock(manifest),
      sourceBlock(manifest),
      budgetBlock(manifest),
      hostBlock(manifest),
      story ? categoriesBlock(manifest, story) : null,
      otherFailures(manifest),
      whereBlock(manifest, links),
      dumpTrouble(manifest),
      notSeenBlock(manifest),
      story && story.oom.stack.length > 0 ? stackBlock(manifest, story) : null,
      hintsBlock(manifest),
      snapshotsBlock(manifest),
      checkBlock(manifest, links),
      leftOutBlock(manifest, links),
      gpuBlock(manifest),
      cyclesBlock(manifest),
      parityBlock(manifest),
      triggerBlock(manifest),
      baselineBlock(manifest),
      timelineBlock(manifest),
      processesBlock(manifest),
      survivorsBlock(manifest),
      troublesBlock(manifest),
    ),
    budgetBytes,
  );
}

/** A green run of which something was not seen, or on which a gate fails, gets no green mark. */
function greenIcon(manifest: Manifest): string {
  if (manifest.gates.some((gate) => gate.level === 'fail')) return '🔴';
  if (manifest.gates.length > 0 || notArmed(manifest).length > 0 || manifest.unarmed.length > 0) return '🟡';
  if (hostKillsRich(manifest) !== null || outsideOoms(manifest.processes).maybe.length > 0) return '🟡';
  return manifest.processes.length === 0 ? '⚪' : '✅';
}

const fitted = (blocks: readonly Block[], budget: number): string => {
  const text = withinBudget(blocks, budget - 1).trimEnd();
  return bytesOf(text) < budget ? `${text}\n` : '';
};
