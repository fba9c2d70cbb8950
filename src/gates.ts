/**
 * Gates: what may turn a green step red, and only because the user asked for it. Pure. A gate that warns, fails or
 * has nothing to say never changes a red step's exit code.
 */
import type { PlanOptions } from './plan.js';

export type GateName = 'if-no-torch' | 'cycles' | 'parity';

/** A gate that has something to say. */
export interface GateFinding {
  readonly gate: GateName;
  readonly level: 'warn' | 'fail';
  readonly message: string;
}

/** What the gates look at. */
export interface GateFacts {
  /** Processes of the step that imported torch under the shim. */
  readonly torchProcesses: number;
  /** Why the shim was not laid at all, or null. */
  readonly shimFault: string | null;
  /** The most likely reason that nothing was reached, one line, or null. */
  readonly notReached: string | null;
  /** Kinds of reference cycles that held GPU tensors. */
  readonly cycleCount: number;
  /** What the largest of them is, one line, or null. */
  readonly topCycle: string | null;
  readonly parity: 'match' | 'drift' | 'unverifiable' | 'off';
  readonly parityReason: string | null;
}

/** Every gate that has something to say, in the order of the contract. */
export function judgeGates(
  facts: GateFacts,
  options: Pick<PlanOptions, 'ifNoTorch' | 'cycles' | 'parity'>,
): readonly GateFinding[] {
  const findings: GateFinding[] = [];
  if (facts.torchProcesses === 0 && options.ifNoTorch !== 'ignore') {
    const why =
      facts.shimFault ??
      facts.notReached ??
      'either the step runs no PyTorch, or its Python was started in a way that PYTHONPATH does not survive (docs/reach.md)';
    findings.push({
      gate: 'if-no-torch',
      level: options.ifNoTorch,
      message: `No process of this step imported torch under oom-autopsy, so nothing was recorded: ${why}`,
    });
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
  if (facts.parity === 'drift' && options.parity !== 'off') {
    findings.push({
      gate: 'parity',
      level: options.parity,
      message: `Parity with the frozen fixture drifted${facts.parityReason === null ? '' : `: ${facts.parityReason}`}`,
    });
  }
  return findings;
}

/** The step's own code; 1 when the step is green and a gate fails. */
export const finalExitCode = (stepCode: number, findings: readonly GateFinding[]): number =>
  stepCode === 0 && findings.some((finding) => finding.level === 'fail') ? 1 : stepCode;
