/**
 * What a receipt says of memory that ran out outside of torch's caching allocator, and of whether an out-of-memory could be
 * observed at all. All of it may be absent: an older shim, or nothing to say.
 */

/** Whose request it was, as a closed list: the shim tells by the exception's type and its marks, and hands on no message. */
export const OUTSIDE_KINDS = [
  'cublas',
  'cudnn',
  'cusolver',
  'driver',
  'nccl',
  'rmm',
  'cupy',
  'jax',
  'onnxruntime',
  'tensorrt',
  'nvml-assert',
  'pinned-host',
] as const;
export type OutsideKind = (typeof OUTSIDE_KINDS)[number];

/** Where an error was raised first that ended a process: in a worker of a process pool, or of Ray. */
export const RERAISED_FROM = ['process', 'ray'] as const;
export type ReraisedFrom = (typeof RERAISED_FROM)[number];

/** Whether torch calls us at an out-of-memory of its allocator. `none`: it was never asked to. */
export const OBSERVER_STATES = ['attached', 'refused', 'none'] as const;
export type ObserverState = (typeof OBSERVER_STATES)[number];

/** The part of a receipt that tells it. */
interface Counting {
  readonly recorder: { readonly observer: ObserverState | null };
  readonly torch: { readonly backend: string | null } | null;
}

/**
 * Could no out-of-memory of torch's allocator be observed in this process? So it is where torch refused the observer (a pluggable
 * allocator), and under `backend:cudaMallocAsync`, which reports none.
 */
export const isBlind = ({ recorder, torch }: Counting): boolean =>
  recorder.observer === 'refused' || torch?.backend === 'cudaMallocAsync';
