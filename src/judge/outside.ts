/** Processes that ended by an out-of-memory, in torch's caching allocator or in a library beside it. Pure. */
import type { End, OutsideOom } from '../evidence/receipt.js';

export type OutsideKind = OutsideOom['kind'];

type Ended = { readonly end: Pick<End, 'kind' | 'oom' | 'outside_oom'> | null };

export const OUTSIDE_NAMES: Readonly<Record<OutsideKind, string>> = {
  cublas: 'cuBLAS',
  cudnn: 'cuDNN',
  cusolver: 'cuSOLVER',
  driver: 'the CUDA driver',
  nccl: 'NCCL',
  rmm: 'RMM',
  cupy: 'CuPy',
  jax: 'JAX',
  onnxruntime: 'ONNX Runtime',
  tensorrt: 'TensorRT',
  'nvml-assert': "torch's allocator, in an internal check of NVML",
  'pinned-host': 'pinned host memory',
};

/** Did it end by an out-of-memory that nothing caught? */
export const endedByOom = ({ end }: Ended): boolean =>
  end !== null && (end.oom || (end.kind === 'exception' && end.outside_oom?.certain === true));

/** Memory that ran out beside torch's allocator, by what became of the process. */
export interface OutsideOoms {
  /** It ended the process. */
  readonly ended: readonly OutsideKind[];
  /**
   * The process exited after it, while it handled the error or had reported it (as pytest does of a test).
   */
  readonly handled: readonly OutsideKind[];
  /** The error comes with a lack of memory, and with other troubles too. */
  readonly maybe: readonly OutsideKind[];
}

export function outsideOoms(processes: readonly Ended[]): OutsideOoms {
  const kinds = (test: (end: Pick<End, 'kind'>, certain: boolean) => boolean): OutsideKind[] =>
    processes.flatMap(({ end }) =>
      end?.outside_oom && test(end, end.outside_oom.certain) ? [end.outside_oom.kind] : [],
    );
  return {
    ended: kinds(({ kind }, certain) => certain && kind === 'exception'),
    handled: kinds(({ kind }, certain) => certain && kind !== 'exception'),
    maybe: kinds((_, certain) => !certain),
  };
}

/** `cuBLAS`, `cuBLAS and NCCL`, each once. */
export const outsideNames = (kinds: readonly OutsideKind[]): string =>
  [...new Set(kinds)].map((kind) => OUTSIDE_NAMES[kind]).join(' and ');

/** All out-of-memory errors of the step that are known for sure. */
export function countOoms(processes: readonly (Ended & { readonly oom_count: number })[]): number {
  const { ended, handled } = outsideOoms(processes);
  return processes.reduce((sum, p) => sum + p.oom_count, 0) + ended.length + handled.length;
}
