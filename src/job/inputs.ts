/** The inputs of job/action.yml: those of the wrapping action, without what a job has no use for. Pure. */
import { INPUT_DEFAULTS, INPUT_NAMES, type ParsedInputs, parseInputs } from '../inputs.js';

/** Evaluated again in post, where it is the job's status by then (actions/runner loads inputs at each stage). */
export const STATUS_INPUT = 'job-status';

/** Mean nothing here: there are no commands, and nothing of ours to hold back or to end. */
const NOT_HERE = ['run', 'shell', 'working-directory', 'min-free', 'grace-period'];
export const JOB_INPUT_NAMES: readonly string[] = INPUT_NAMES.filter((name) => !NOT_HERE.includes(name));

/** Gates are off unless named, and cycles are looked for only then: a job runs more Python than its training. */
export const JOB_DEFAULTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(JOB_INPUT_NAMES.map((name) => [name, INPUT_DEFAULTS[name] ?? ''])),
  parity: 'off',
  cycles: 'off',
};

/** @param read gives an input's text, or '' when it was not given */
export function parseJobInputs(read: (name: string) => string): ParsedInputs {
  return parseInputs((name) => {
    if (name === 'run') return 'true';
    if (NOT_HERE.includes(name)) return '';
    return read(name).trim() === '' ? (JOB_DEFAULTS[name] ?? '') : read(name);
  });
}
