/**
 * Annotations: one for the verdict of each red step, as a plain `run:` has, on the user's own file and line where it lies in the workspace,
 * and one warning for all gates. GitHub shows ten of each a step and fifty a job, so more would hide other
 * people's. Pure.
 */
import { isAbsolute, join, normalize } from 'node:path';
import type { Manifest } from '../evidence/manifest.js';
import type { Frame } from '../evidence/receipt.js';
import { stepName } from '../job/words.js';
import { unexplained } from '../judge/outcomes.js';
import { VERDICT_TRAITS } from '../judge/verdicts.js';
import { printable } from '../lib/text.js';
import type { AnnotationPlace } from '../runner/runner.js';
import { frameKind, liesIn } from './frames.js';
import { joinRich, plainText } from './rich.js';
import { mainStory, unseenOoms } from './story.js';
import { headline } from './words/headline.js';
import { verdictParagraphs } from './words/verdict.js';

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
  const level = VERDICT_TRAITS[manifest.verdict.name].annotation;
  const gates = manifest.gates.map((gate) => printable(gate.message, MAX_MESSAGE / 3));
  const failing = manifest.gates.some((gate) => gate.level === 'fail');
  const gateTitle = `oom-autopsy: ${manifest.gates.map((gate) => gate.gate).join(', ')}`;
  const result: Annotation[] = [];
  if (manifest.verdict.name === 'failed') {
    result.push(failedAnnotation(manifest, workspace));
  } else if (level !== null) {
    const place = storyPlace(manifest, workspace);
    const text = plainText(joinRich(verdictParagraphs(manifest)));
    const message = printable(text === '' ? manifest.verdict.because : text, MAX_MESSAGE);
    const { title } = headline(manifest);
    result.push({ level, message, place: { title, ...place } });
  }
  const [first] = result;
  // Two warnings of one step would say half each.
  if (first?.level === 'warning' && gates.length > 0) {
    const message = [first.message, ...gates].join('\n');
    return [{ level: failing ? 'error' : 'warning', message, place: first.place }];
  }
  if (gates.length > 0) {
    result.push({
      level: failing && result.length === 0 ? 'error' : 'warning',
      message: gates.join('\n'),
      place: { title: gateTitle },
    });
  }
  return result;
}

/** Why a shell ended by this code, where that is a convention of all shells. */
const SHELL_WORDS: Readonly<Record<number, string>> = {
  126: 'A command could not be run: it is not executable',
  127: 'A command was not found',
};

/** A red step that no lack of memory explains: at the line where its first program ended by an exception, as far as one is known. */
function failedAnnotation(manifest: Manifest, workspace: string | null): Annotation {
  const { step, processes } = manifest;
  const job = step.scope === 'job';
  const code = job || step.exit_code === null ? '' : ` (exit code ${step.exit_code})`;
  const [first] = processes
    .filter(({ end }) => end?.kind === 'exception' && end.exception !== null)
    .sort((a, b) => (a.end?.time ?? 0) - (b.end?.time ?? 0));
  const end = first?.end;
  const name = job && first ? stepName(first, workspace) : null;
  const where = name === null ? '' : ` in step ${name}`;
  const words = end
    ? `${first?.program ?? 'A program'} ended with ${end.exception?.split('.').at(-1)}${where}`
    : job
      ? 'The job failed'
      : (SHELL_WORDS[step.exit_code ?? 0] ?? 'The step failed');
  const open = unexplained(manifest.processes) > 0;
  const place = end?.at ? annotationPlace([end.at], workspace) : open ? storyPlace(manifest, workspace) : {};
  const seen = open && !end ? '; an out-of-memory was seen here' : '';
  return { level: 'error', message: printable(`${words}${code}${seen}`, MAX_MESSAGE), place };
}

/** Where the out-of-memory that the report is about was: in the workspace, as far as it was there. */
export function storyPlace(manifest: Manifest, workspace: string | null): AnnotationPlace {
  const story = mainStory(manifest);
  const telling = story && (story.fatal || unseenOoms(manifest).length === 0);
  return telling ? placeOf(story.oom.stack, story.oom.main_stack, workspace) : {};
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
