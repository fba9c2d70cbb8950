/** A whole job in words: which step it was in, and sentences about a step said of a job. Pure. */
import { sep } from 'node:path';
import type { Manifest, ManifestProcess } from '../evidence/manifest.js';
import { endedByOom } from '../judge/outside.js';
import { printable } from '../lib/text.js';

/** A sentence of ours about the wrapped step, said of the job. A job has a status and no exit code. */
export const ofJob = (sentence: string): string =>
  sentence
    .replace(/\bthe step( itself)? exited with 0\b/g, 'the job$1 is green')
    .replace(/\bthe step exited with \d+\b/g, 'the job failed')
    .replace(/\bThe step failed with exit code \d+/g, 'The job failed')
    .replace(/\b(the|The|this|This) step\b/g, '$1 job');

/** The account with its own sentences said of the job. */
export const jobAccount = (account: Manifest): Manifest => ({
  ...account,
  verdict: { ...account.verdict, because: ofJob(account.verdict.because) },
  gates: account.gates.map((gate) => ({ ...gate, message: ofJob(gate.message) })),
});

/** A composite action by its folder: as `uses:` names it. */
function actionName(path: string, workspace: string | null): string {
  const fetched = /[/\\]_actions[/\\]([^/\\]+)[/\\]([^/\\]+)[/\\]([^/\\]+)(?:[/\\](.*))?$/.exec(path);
  if (fetched) {
    const [, owner, name, ref, folder] = fetched;
    return `${owner}/${name}${folder ? `/${folder}` : ''}@${ref}`;
  }
  const within = workspace !== null && path.startsWith(workspace + sep);
  const short = within ? path.slice(workspace.length + 1) : path;
  return short.replace(/^(\.\/)+/, '').replace(/[/\\]+$/, '') || '.';
}

type Where = Pick<ManifestProcess, 'github_action' | 'github_action_path'>;

/** `train`, or `__run of ./actions/train`; null where the receipt does not say. */
export function stepName(process: Where, workspace: string | null): string | null {
  const { github_action: step, github_action_path: path } = process;
  if (!step) return null;
  return printable(path ? `${step} of ${actionName(path, workspace)}` : step, 120);
}

/** ` in step train`, of the processes that an out-of-memory ended, else of those that had one; else nothing. */
export function inStep({ step, processes }: Manifest): string {
  if (step.scope !== 'job') return '';
  const ended = processes.filter(endedByOom);
  const those = ended.length > 0 ? ended : processes.filter((process) => process.oom_count > 0);
  const names = [...new Set(those.map((process) => stepName(process, step.workspace)))].filter(
    (name) => name !== null,
  );
  if (names.length === 0) return '';
  const shown = names.slice(0, 3);
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
  return ` in ${names.length === 1 ? 'step' : 'steps'} ${shown.join(', ')}${more}`;
}
