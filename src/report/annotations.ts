/**
 * Annotations: at most one error for the verdict, on the user's own file and line where it lies in the workspace, and one warning for all
 * gates. GitHub shows ten of each a step and fifty a job, so more would hide other people's. Pure.
 */
import { isAbsolute, join, normalize } from 'node:path';
import type { AnnotationPlace } from '../actions.js';
import type { Manifest } from '../evidence/manifest.js';
import type { Frame } from '../evidence/receipt.js';
import { printable } from '../text.js';
import { frameKind, liesIn } from './frames.js';
import { joinRich, plainText } from './rich.js';
import { mainStory } from './story.js';
import { headline } from './words-headline.js';
import { verdictParagraphs } from './words-verdict.js';

export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly message: string;
  readonly place: AnnotationPlace;
}

const MAX_MESSAGE = 3000;

/** The innermost frame of the user's in the workspace, as GitHub wants it: the path from the workspace. */
export function annotationPlace(stack: readonly Frame[], workspace: string | null): AnnotationPlace {
  if (workspace === null) return {};
  for (const frame of [...stack].reverse()) {
    if (frameKind(frame) !== 'user' || frame.file.startsWith('<')) continue;
    const file = normalize(isAbsolute(frame.file) ? frame.file : join(workspace, frame.file));
    if (!liesIn(file, workspace)) continue;
    const path = file.slice(normalize(workspace).replace(/\/+$/, '').length + 1);
    return frame.line > 0 ? { file: path, startLine: frame.line } : { file: path };
  }
  return {};
}

/** Annotations of a step, the verdict's first. None on a green one whose gates have nothing to say. */
export function annotations(manifest: Manifest, workspace: string | null): readonly Annotation[] {
  const result: Annotation[] = [];
  const name = manifest.verdict.name;
  // A step that failed by itself says so already; an annotation of ours would only repeat its exit code.
  if (name === 'oom' || name === 'host-oom' || name === 'killed') {
    const story = mainStory(manifest);
    const place = story ? placeOf(story.oom.stack, story.oom.main_stack, workspace) : {};
    const text = plainText(joinRich(verdictParagraphs(manifest)));
    result.push({
      level: 'error',
      message: printable(text === '' ? manifest.verdict.because : text, MAX_MESSAGE),
      place: { title: headline(manifest).title, ...place },
    });
  }
  if (manifest.gates.length > 0) {
    const failing = manifest.gates.some((gate) => gate.level === 'fail');
    const lines = manifest.gates.map((gate) => printable(gate.message, MAX_MESSAGE / 3));
    result.push({
      level: failing && result.length === 0 ? 'error' : 'warning',
      message: lines.join('\n'),
      place: { title: `oom-autopsy: ${manifest.gates.map((gate) => gate.gate).join(', ')}` },
    });
  }
  return result;
}

/** The failing thread's place in the workspace, or the main thread's. */
function placeOf(
  stack: readonly Frame[],
  main: readonly Frame[] | null,
  workspace: string | null,
): AnnotationPlace {
  const place = annotationPlace(stack, workspace);
  return place.file === undefined && main ? annotationPlace(main, workspace) : place;
}
