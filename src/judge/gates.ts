/**
 * Gates: what may turn a green step red, and only because the user asked for it. Pure. A gate that warns,
 * fails or has nothing to say never changes a red step's exit code.
 */
import type { PlanOptions } from '../plan.js';

export type GateName =
  | 'if-no-torch'
  | 'cycles'
  | 'parity'
  | 'memory-budget'
  | 'max-growth'
  | 'if-no-baseline';

/** A gate that has something to say. */
export interface GateFinding {
  readonly gate: GateName;
  readonly level: 'warn' | 'fail';
  readonly message: string;
}

/** The facts that the gates decide on. */
export interface GateFacts {
  /** Processes of the step that imported torch under the shim. */
  readonly torchProcesses: number;
  /** Why the shim was not laid at all, or null. */
  readonly shimFault: string | null;
  /** Processes that were seen with torch loaded and were not reached, one line, or null. */
  readonly unreached: string | null;
  /** What else may have kept PyTorch out of reach, one line, or null. */
  readonly likely: string | null;
  /** Kinds of reference cycles that held GPU tensors. */
  readonly cycleCount: number;
  /** What the largest of them is, one line, or null. */
  readonly topCycle: string | null;
  /** Why some process was not fully looked at for cycles, one line, or null. */
  readonly cyclesUnseen: string | null;
  readonly parity: 'match' | 'drift' | 'unverifiable' | 'off';
  readonly parityReason: string | null;
  /** The check was asked for, and nothing could be measured. */
  readonly parityNotRun: boolean;
}

/** Every gate that has something to say, in the order of the contract. */
export function judgeGates(
  facts: GateFacts,
  options: Pick<PlanOptions, 'ifNoTorch' | 'cycles' | 'parity'>,
): readonly GateFinding[] {
  const findings: GateFinding[] = [];
  const message = torchMessage(facts);
  if (message !== null && options.ifNoTorch !== 'ignore') {
    // Where some of the step was recorded, what was not is worth a warning; the policy is about none at all.
    const level = facts.torchProcesses === 0 ? options.ifNoTorch : 'warn';
    findings.push({ gate: 'if-no-torch', level, message });
  }
  if (facts.cycleCount > 0 && options.cycles !== 'off') {
    const kinds =
      facts.cycleCount === 1 ? '1 kind of reference cycle' : `${facts.cycleCount} kinds of reference cycles`;
    findings.push({
      gate: 'cycles',
      level: options.cycles,
      message: `${kinds} kept GPU tensors alive${facts.topCycle === null ? '' : `; the largest: ${facts.topCycle}`}`,
    });
  }
  if (facts.cycleCount === 0 && facts.cyclesUnseen !== null && options.cycles === 'fail') {
    // A search that was cut short and found nothing proves neither that there were cycles nor that there were
    // none.
    findings.push({
      gate: 'cycles',
      level: 'warn',
      message: `Reference cycles were not fully looked for: ${facts.cyclesUnseen}`,
    });
  }
  if (facts.parity === 'drift' && options.parity !== 'off') {
    findings.push({
      gate: 'parity',
      level: options.parity,
      message: `Parity with the frozen fixture drifted${facts.parityReason === null ? '' : `. ${facts.parityReason}`}`,
    });
  }
  if (facts.parity === 'unverifiable' && facts.parityNotRun && options.parity !== 'off') {
    // Not called drift, so it fails nothing; but a check that could not be made is no pass either.
    findings.push({
      gate: 'parity',
      level: 'warn',
      message: `Parity could not be checked: ${facts.parityReason ?? 'the check gave no reason'}`,
    });
  }
  return findings;
}

const NOTHING =
  'set `if-no-torch: ignore` if it runs no PyTorch; if it does, its Python was started in a way that PYTHONPATH does not survive (docs/reach.md)';

/**
 * What of the step's PyTorch was not recorded: all of it, some of it, or there was none; null when all is
 * well.
 */
function torchMessage({ torchProcesses, shimFault, unreached, likely }: GateFacts): string | null {
  if (torchProcesses > 0)
    return unreached === null ? null : `Not all of this step was recorded: ${unreached}`;
  if (shimFault !== null)
    return `No process of this step imported torch under oom-autopsy, so nothing was recorded: ${shimFault}`;
  if (unreached !== null)
    return `PyTorch ran in this step out of reach of oom-autopsy, so nothing was recorded: ${unreached}`;
  return `No process of this step imported torch under oom-autopsy, and none was seen with torch loaded, so nothing was recorded: ${likely ?? NOTHING}`;
}

/** The step's own code; 1 when the step is green and a gate fails. */
export const finalExitCode = (stepCode: number, findings: readonly GateFinding[]): number =>
  stepCode === 0 && findings.some((finding) => finding.level === 'fail') ? 1 : stepCode;
