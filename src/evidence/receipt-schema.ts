/**
 * What a receipt holds: the one place that knows its fields. The types (receipt.ts), the reader
 * (receipt-reader.ts) and schemas/receipt.schema.json are made from it.
 *
 * What the reader does with a missing or wrong field: `nullable` becomes null, a list becomes empty,
 * `fallback` gives its value; any other makes the object around it unusable. A text is cut to its
 * `maxLength`, a list to its own.
 */
import * as v from 'valibot';
import { parseSnapshotName, SNAPSHOT_REASONS } from './names.js';
import {
  CATEGORY_NAMES,
  IDENTITY_LAUNCHERS,
  KEPT_BY,
  OBSERVER_STATES,
  OOM_OUTCOMES,
  OUTSIDE_KINDS,
  OWNER_KINDS,
  POOL_KINDS,
  RANK_VARIABLES,
  RECEIPT_SCHEMA,
  RERAISED_FROM,
  TEST_RUNNERS,
} from './vocabulary.js';

/** Characters of a name, of a sentence, of a path. */
const [NAME, LINE, PATH] = [200, 500, 1000];

const amount = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** Seconds, or a time in seconds since the epoch. */
const seconds = v.pipe(v.number(), v.minValue(0), v.maxValue(1e12));
const text = (limit: number) => v.pipe(v.string(), v.maxLength(limit));
const maybe = <T extends v.GenericSchema>(schema: T) => v.nullable(schema);
const flag = v.fallback(v.boolean(), false);
const atLeast = (value: number) => v.fallback(amount, value);

/** A list of at most `most` items. Of a longer one the first are kept, or with `last` the last. */
const list = <T extends v.GenericSchema>(item: T, most: number, keep: 'first' | 'last' = 'first') =>
  v.pipe(v.array(item), v.maxLength(most), v.metadata({ keep }));

const history = maybe(v.picklist(['armed', 'interrupted', 'foreign', 'none']));
const fileName = v.pipe(text(NAME), v.regex(/^[A-Za-z0-9._-]{1,200}$/));
const deviceBytes = v.fallback(
  v.record(v.pipe(v.string(), v.regex(/^[a-z]{1,10}(:[0-9]{1,4})?$/)), amount),
  {},
);

const frameFields = {
  file: v.fallback(text(PATH), '?'),
  line: atLeast(0),
  function: v.fallback(text(NAME), '?'),
};
const frame = v.pipe(
  v.object(frameFields),
  v.check(({ file, function: name }) => file !== '?' || name !== '?'),
);
const countedFrame = v.object({ ...frameFields, count: atLeast(1) });
/** Innermost frame last: those are kept when a stack is too long. */
const stack = list(frame, 100, 'last');

/** What the caching allocator counted on a device. Bytes and counts. */
const counts = {
  allocated: maybe(amount),
  reserved: maybe(amount),
  peak_allocated: maybe(amount),
  peak_reserved: maybe(amount),
  retries: maybe(amount),
  ooms: maybe(amount),
};

/** Who holds bytes of a category, by a name of the program's own where there is one. */
const owner = v.object({
  name: text(NAME),
  bytes: amount,
  count: atLeast(0),
  /** What `name` is; null in receipts that do not say. */
  kind: maybe(v.picklist(OWNER_KINDS)),
  /** The largest tensor of this owner, as `bf16[8, 4096, 4096]`. */
  largest: maybe(text(100)),
});
const category = v.object({
  bytes: amount,
  count: atLeast(0),
  owners: list(owner, 10),
  reasons: list(v.object({ reason: text(NAME), bytes: amount, count: maybe(amount) }), 20),
});
const categoryName = v.picklist(CATEGORY_NAMES);
const sum = (values: readonly number[]): number => values.reduce((all, bytes) => all + bytes, 0);

/**
 * A private pool of the allocator, or the pools beyond those that have a row of their own (`rest`). Part of
 * its device's sum.
 */
const pool = v.pipe(
  v.object({
    id: maybe(text(NAME)),
    kind: v.picklist(POOL_KINDS),
    count: atLeast(1),
    reserved: amount,
    allocated: amount,
    categories: v.record(categoryName, amount),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { allocated, reserved, categories } = dataset.value;
    const all = sum(Object.values(categories));
    if (all !== allocated || allocated > reserved)
      addIssue({
        message: `categories add up to ${all} bytes, of ${allocated} allocated and ${reserved} reserved`,
      });
  }),
  v.description('A part of its device: the bytes of the categories add up to `allocated`'),
);

/**
 * Bytes that one name of the program keeps alive, over all categories: counted in these already, never added to them. `graph`:
 * through the autograd graph of what it holds; `traceback`: an exception keeps the frame, `name` says of whom.
 */
const keeper = v.object({
  name: text(NAME),
  by: v.picklist(KEPT_BY),
  bytes: amount,
  count: atLeast(0),
});

/** Facts that point to what to do first, each null where it is not known. */
const signs = v.object({
  /** Bytes that the graph saved below root modules that are all in eval mode. */
  eval_activations: maybe(amount),
  /** The out-of-memory was inside an optimizer's step: its first, or a later one. */
  optimizer_step: maybe(v.picklist(['first', 'later'])),
  /** How often one parameter is used along one path of the graph: more than one pass means that iterations hang together. */
  graph_passes: maybe(amount),
  /** How often, at least, each parameter is used in all graphs that are alive: passes whose activations are there. */
  live_passes: maybe(amount),
  /** Root modules of one class and the same parameters' sizes that are alive at once: names, and bytes of one. */
  twins: maybe(v.object({ names: list(text(NAME), 8), bytes: amount })),
});

const censusDevice = v.pipe(
  v.object({
    index: amount,
    allocated: amount,
    reserved: maybe(amount),
    reserved_unused: maybe(amount),
    attributed: maybe(amount),
    categories: v.record(categoryName, category),
    /** The largest first; null when pools could not be distinguished. */
    pools: maybe(list(pool, 17)),
    /** The largest first. */
    kept: list(keeper, 10),
  }),
  // Sums that do not add up are worse than none.
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { allocated, categories } = dataset.value;
    const all = sum(Object.values(categories).map(({ bytes }) => bytes));
    if (all !== allocated)
      addIssue({ message: `categories add up to ${all} bytes, not to the ${allocated} allocated` });
  }),
  v.transform((device) => {
    const { allocated, categories } = device;
    const reserved = device.reserved ?? allocated;
    return {
      ...device,
      reserved,
      reserved_unused: device.reserved_unused ?? Math.max(0, reserved - allocated),
      attributed: allocated - (categories.unknown?.bytes ?? 0),
    };
  }),
  v.description('The bytes of the categories add up to `allocated`'),
);

const census = v.object({
  seconds: maybe(seconds),
  complete: flag,
  cut: maybe(text(LINE)),
  /** Categories that were not seen whole: their bytes are the least that they may be. */
  not_reached: list(categoryName, 5),
  signs: maybe(signs),
  devices: list(censusDevice, 128),
});

const step = v.object({ name: text(NAME), label: v.fallback(text(NAME), '') });
const steps = v.pipe(v.array(step), v.minLength(1), v.maxLength(32));
/** A closed path through a cycle and the tensors that it holds, in names of types and attributes. */
const cycleGraph = v.pipe(
  v.object({
    /** Each refers to the next by `label`, the last to the first; "" where the reference has no name. */
    ring: steps,
    ring_cut: atLeast(0),
    /**
     * `at`: index in `ring`. `path`: from there down to the tensor; `label` is the reference by which each is
     * held.
     */
    held: list(v.object({ at: amount, path: steps, bytes: amount, device: text(NAME) }), 8),
    held_cut: atLeast(0),
  }),
  v.transform((graph) => ({ ...graph, held: graph.held.filter(({ at }) => at < graph.ring.length) })),
  v.description('A closed path through a cycle, and what hangs on it; `at` is an index in `ring`'),
);
const cycle = v.object({
  id: v.pipe(text(64), v.regex(/^[0-9a-f]{4,64}$/)),
  seen: atLeast(1),
  size: atLeast(0),
  types: list(v.object({ name: text(NAME), count: atLeast(1) }), 50),
  tensors: atLeast(0),
  bytes: deviceBytes,
  frames: list(countedFrame, 100),
  /** null beyond the kinds that held most. */
  graph: maybe(cycleGraph),
});
const cycles = v.pipe(
  v.object({
    mode: v.fallback(v.picklist(['sampled', 'continuous', 'off']), 'off'),
    state: v.fallback(v.picklist(['watching', 'nothing-to-watch', 'failed']), 'failed'),
    reason: maybe(text(LINE)),
    looks: atLeast(0),
    seconds: maybe(seconds),
    count: maybe(amount),
    tensors: atLeast(0),
    bytes: deviceBytes,
    cycles: list(cycle, 50),
    cycles_dropped: atLeast(0),
  }),
  v.transform((look) => ({ ...look, count: look.count ?? look.cycles.length })),
);

/** The test in which memory ran out, by its runner's own name for it. `child`: in a process that a test started. */
const test = v.object({
  runner: v.picklist(TEST_RUNNERS),
  id: text(NAME),
  phase: maybe(v.picklist(['collect', 'setup', 'call', 'teardown'])),
  child: flag,
});

/** What became of the error, where a fact says so; null where none does. */
const outcome = v.object({
  /**
   * `test-failed`: the last word on the test is that it failed by this. `handled`: a frame of the program's let it go. `exit`: handled
   * by ending the program because of it. `left`: it left the program's frames, and `tool` went on. `raised`: it ended the process.
   */
  kind: v.picklist(OOM_OUTCOMES),
  /** The frame that handled it. */
  at: maybe(frame),
  /** What caught it outside of the program: a module's name. */
  tool: maybe(text(NAME)),
  /** Type of the error by which the test failed later, where it failed by another. */
  later: maybe(text(NAME)),
});

const oom = v.object({
  seq: amount,
  time: maybe(seconds),
  device: maybe(amount),
  wanted: maybe(amount),
  limit: maybe(amount),
  free: maybe(amount),
  thread: maybe(v.picklist(['main', 'backward', 'other'])),
  stack,
  main_stack: maybe(stack),
  ...counts,
  device_free: maybe(amount),
  device_total: maybe(amount),
  snapshot: maybe(fileName),
  snapshot_error: maybe(text(LINE)),
  dump_seconds: maybe(seconds),
  history,
  census: maybe(census),
  cycles: maybe(cycles),
  test: maybe(test),
  outcome: maybe(outcome),
  /** Number of the notebook's cell that ran. */
  cell: maybe(amount),
});

const snapshot = v.pipe(
  v.object({
    file: v.pipe(
      fileName,
      v.check((name) => parseSnapshotName(name) !== null),
    ),
    bytes: maybe(amount),
    reason: maybe(v.picklist(SNAPSHOT_REASONS)),
    device: maybe(amount),
    seq: maybe(amount),
    time: maybe(seconds),
    history,
  }),
  v.transform((row) => ({ ...row, reason: row.reason ?? parseSnapshotName(row.file)?.reason ?? 'oom' })),
);

const recorder = v.pipe(
  v.object({
    state: v.pipe(
      v.fallback(v.picklist(['idle', 'armed', 'disarmed', 'foreign', 'unsupported', 'failed']), 'failed'),
      v.description(
        "idle: torch was imported, CUDA never initialised. foreign: the user's own recording, left alone.",
      ),
    ),
    reason: maybe(text(LINE)),
    armed_at: maybe(seconds),
    disarmed_at: maybe(seconds),
    /** True when the recorder was seen to be off after disarming; null when unknown. */
    disarm_proven: maybe(v.boolean()),
    interrupted: flag,
    /** `refused`: torch's allocator reports no out-of-memory here. Null when the receipt does not say. */
    observer: maybe(v.picklist(OBSERVER_STATES)),
    max_entries: maybe(amount),
    stacks: maybe(text(20)),
  }),
  v.transform((said) =>
    said.state === 'failed' && said.reason === null
      ? { ...said, reason: 'the receipt gives no state that is known here' }
      : said,
  ),
);
const NO_RECORDER = {
  state: 'failed',
  reason: 'the receipt says nothing about the recorder',
  armed_at: null,
  disarmed_at: null,
  disarm_proven: null,
  interrupted: false,
  observer: null,
  max_entries: null,
  stacks: null,
} as const;

const torch = v.object({
  version: v.fallback(text(100), 'unknown'),
  cuda: maybe(text(100)),
  hip: maybe(text(100)),
  backend: maybe(text(100)),
  alloc_conf: maybe(text(LINE)),
  /**
   * Whether segments can grow, by the setting in force at the newest out-of-memory; null when torch does not
   * say.
   */
  expandable_segments: maybe(v.boolean()),
  path: maybe(text(PATH)),
});

/**
 * Memory that ran out outside torch's caching allocator, from the exception that ended the process. At a
 * normal exit, from the last printed exception that the process survived (in pytest, for example). Not
 * `certain`: the same error also has other causes. `device_free`: bytes that the device had free then.
 */
const outsideOom = v.object({
  kind: v.picklist(OUTSIDE_KINDS),
  certain: flag,
  device_free: maybe(amount),
});

/** Who the process is among those of its launcher: the one place for its rank, which file names and tables repeat. */
const identity = v.object({
  launcher: maybe(v.picklist(IDENTITY_LAUNCHERS)),
  rank: maybe(amount),
  /** How many ranks the launcher started. */
  size: maybe(amount),
  node: maybe(amount),
  nodes: maybe(amount),
  /** `gw3` of pytest-xdist; `actor Trainer` or `task train` of Ray. */
  name: maybe(text(NAME)),
  /** `slurm 18`: a scheduler, and what it calls the job. */
  job: maybe(text(100)),
});

/** `at`: the innermost frame of the program's own files. */
const ending = { exception: maybe(text(NAME)), oom: flag, time: maybe(seconds), at: maybe(frame) };

/** JSON that was cut to a depth and a number of nodes, with its texts cleaned. */
export type PlainJson =
  | null
  | boolean
  | number
  | string
  | readonly PlainJson[]
  | { readonly [key: string]: PlainJson };
/** `custom` stands for any JSON: a part whose fields this version does not know is kept, within bounds. */
const timeline = v.record(
  v.string(),
  v.custom<PlainJson>(() => true),
);

/** One receipt. Amounts are bytes, times are seconds since the epoch. */
export const ReceiptSchema = v.object({
  schema: v.literal(RECEIPT_SCHEMA),
  step: v.pipe(v.string(), v.regex(/^[0-9a-f]{12}$/)),
  host: v.pipe(v.string(), v.regex(/^[A-Za-z0-9-]{1,40}$/)),
  pid: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  token: v.pipe(v.string(), v.regex(/^[0-9a-f]{8}$/)),
  ppid: maybe(amount),
  start_ticks: maybe(amount),
  python: maybe(text(100)),
  executable: maybe(text(PATH)),
  program: maybe(text(NAME)),
  /** GITHUB_ACTION: the id of the step, or a name that the runner made. */
  github_action: maybe(text(NAME)),
  /** GITHUB_ACTION_PATH: the folder of the composite action that the step is a part of. */
  github_action_path: maybe(text(PATH)),
  /** Rank variables of the launcher, those that are set. */
  rank: v.fallback(
    v.record(v.picklist(RANK_VARIABLES), v.pipe(v.string(), v.regex(/^[0-9]{1,9}$/, 'a number'))),
    {},
  ),
  identity: maybe(identity),
  time: v.fallback(v.object({ started: maybe(seconds), updated: maybe(seconds) }), {
    started: null,
    updated: null,
  }),
  torch: maybe(torch),
  recorder: v.fallback(recorder, NO_RECORDER),
  devices: list(
    v.object({
      index: amount,
      name: maybe(text(NAME)),
      total: maybe(amount),
      limit: maybe(amount),
      ...counts,
    }),
    128,
  ),
  ooms: list(oom, 50, 'last'),
  ooms_dropped: atLeast(0),
  /** All out-of-memory errors of the process, those not listed too. */
  oom_count: atLeast(0),
  snapshots: list(snapshot, 256),
  snapshots_removed: atLeast(0),
  census: maybe(census),
  cycles: maybe(cycles),
  timeline: maybe(timeline),
  faults: list(text(LINE), 20),
  /** Threads that ended by an exception which nothing caught, while their process went on. */
  thread_ends: list(v.object(ending), 20),
  /** null: ended without running its exit handlers, or still running. */
  end: v.pipe(
    maybe(
      v.object({
        kind: v.picklist(['exit', 'exception', 'sigterm']),
        ...ending,
        outside_oom: maybe(outsideOom),
        reraised_from: maybe(v.picklist(RERAISED_FROM)),
      }),
    ),
    v.description('null: ended without running its exit handlers, or still running'),
  ),
});

/** Parts that stand in more than one place, by their names in the JSON Schema. */
export const DEFINITIONS = { frame, stack, category, censusDevice, census, cycleGraph, cycles };
