/** Constants and bounds of receipts that other modules need as well. */
export const RECEIPT_SCHEMA = 'oom-autopsy.receipt.v1';
/** Bytes of the largest receipt that is read. The shim keeps its own below this. */
export const MAX_RECEIPT_BYTES = 4 * 2 ** 20;

/** Variables of launchers that a receipt may hold. What they mean is for the shim to say (`identity`). */
export const RANK_VARIABLES = [
  'RANK',
  'WORLD_SIZE',
  'GROUP_RANK',
  'GROUP_WORLD_SIZE',
  'OMPI_COMM_WORLD_RANK',
  'OMPI_COMM_WORLD_SIZE',
  'PMI_RANK',
  'PMI_SIZE',
  'SLURM_PROCID',
  'SLURM_STEP_NUM_TASKS',
  'SLURM_NODEID',
  'SLURM_STEP_NUM_NODES',
  'LOCAL_RANK',
  'LOCAL_WORLD_SIZE',
  'NODE_RANK',
  'SLURM_LOCALID',
  'OMPI_COMM_WORLD_LOCAL_RANK',
] as const;

/** Who gave a process its rank or its name. */
export const IDENTITY_LAUNCHERS = ['torch', 'openmpi', 'pmi', 'slurm', 'xdist', 'ray'] as const;

export const CATEGORY_NAMES = [
  'parameter',
  'gradient',
  'optimizer_state',
  'activation',
  'input',
  'unknown',
] as const;
export type CategoryName = (typeof CATEGORY_NAMES)[number];
/**
 * A pool of a captured CUDA graph, of a `MemPool` or `graph_pool_handle`, or those without a row of their
 * own.
 */
export const POOL_KINDS = ['graph', 'handle', 'rest'] as const;

/**
 * Which library's request failed, a closed list. The shim decides by the exception's type and markers, and
 * passes on no message.
 */
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

/** Where the error that ended a process was first raised: in a worker of a process pool, or of Ray. */
export const RERAISED_FROM = ['process', 'ray'] as const;

/** Whether torch calls our observer at an out-of-memory. `none`: it was never attached. */
export const OBSERVER_STATES = ['attached', 'refused', 'none'] as const;

/**
 * What the name of an owner is. `tensor`: a parameter or buffer by its module's path. `layer`: the module that saved an activation.
 * `position`: an operation by the module before it. `compiled`: a compiled graph, by its model. `holder`: a variable, attribute or
 * container of the program's. `optimizer`: its class. `node`: an autograd node's type, no name of the program's. `library`: a
 * workspace that no tensor shows. `other`: none of these.
 */
export const OWNER_KINDS = [
  'tensor',
  'layer',
  'position',
  'compiled',
  'holder',
  'optimizer',
  'node',
  'library',
  'other',
] as const;
/** How a name keeps bytes alive. */
export const KEPT_BY = ['graph', 'holder', 'traceback'] as const;

export const TEST_RUNNERS = ['pytest', 'unittest'] as const;
/** What is known to have become of an out-of-memory error. */
export const OOM_OUTCOMES = ['test-failed', 'handled', 'exit', 'left', 'raised'] as const;
