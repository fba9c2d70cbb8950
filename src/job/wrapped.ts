/** Wrapped steps of a watched job: each has reported for itself, and the job's report points to it. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '../evidence/manifest.js';
import { isVerdict } from '../judge/verdicts.js';
import { markdown } from '../report/markdown.js';
import { code, link, say } from '../report/rich.js';

/** What the account of a wrapped step says of itself. */
export interface Wrapped {
  readonly verdict: string;
  readonly artifact: { readonly name: string; readonly url: string | null } | null;
}

const MOST = 20;
const MOST_BYTES = 64 * 2 ** 20;

/** Accounts that wrapped steps left in RUNNER_TEMP since the job's main, in their order. */
export function wrappedSteps(temp: string, since: number): readonly Wrapped[] {
  const found: { at: number; wrapped: Wrapped }[] = [];
  try {
    for (const name of readdirSync(temp).filter((entry) => /^oom-autopsy-[0-9a-f]{12}$/.test(entry))) {
      try {
        const path = join(temp, name, 'out', 'manifest.json');
        const { size, mtimeMs } = statSync(path);
        if (size > MOST_BYTES) continue;
        const { step, verdict, published } = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
        if (step.started * 1000 < since || !isVerdict(verdict.name)) continue;
        const artifact = published.artifact && { name: published.artifact.name, url: published.artifact.url };
        found.push({ at: mtimeMs, wrapped: { verdict: verdict.name, artifact } });
      } catch {
        // a step that left no account, or one that cannot be read, says so itself
      }
    }
  } catch {
    // as said
  }
  return found
    .sort((a, b) => a.at - b.at)
    .slice(0, MOST)
    .map(({ wrapped }) => wrapped);
}

/** Markdown; empty where there was none. */
export function wrappedParagraph(steps: readonly Wrapped[]): string {
  if (steps.length === 0) return '';
  const rows = steps.map(({ verdict, artifact }) => {
    const where =
      artifact === null
        ? say`no artifact`
        : say`artifact ${artifact.url === null ? code(artifact.name) : link([artifact.name], artifact.url)}`;
    return `- ${markdown(say`verdict ${code(verdict)}, ${where}`)}\n`;
  });
  return `### Wrapped steps of this job\n\nEach has a report of its own, and what ran in it is not in this one.\n\n${rows.join('')}`;
}
