/**
 * What `memory.json` holds, the one place that knows its fields: the type, the reader of a baseline, and
 * schemas/memory.schema.json (written by `npm run build`) are made from it. Amounts are bytes.
 */
import * as v from 'valibot';
import { CATEGORY_NAMES } from '../evidence/vocabulary.js';
import { VERDICTS } from '../judge/verdicts.js';

export const MEMORY_SCHEMA = 'oom-autopsy.memory.v1';
/** Larger files are no memory.json of ours: 4,096 ranks take 12 MiB. */
export const MAX_MEMORY_BYTES = 32 * 2 ** 20;

const amount = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const text = (limit: number) => v.pipe(v.string(), v.maxLength(limit));
const maybe = <T extends v.GenericSchema>(schema: T) => v.nullable(schema);

const owner = v.object({ name: text(200), bytes: amount });
const category = v.object({ bytes: amount, owners: v.pipe(v.array(owner), v.maxLength(10)) });

/** One rank, or one program without ranks, on one device. Processes of one name are one row: the largest peak of them. */
const row = v.object({
  who: text(200),
  device: amount,
  device_name: maybe(text(200)),
  device_total: maybe(amount),
  processes: v.pipe(amount, v.minValue(1)),
  peak_allocated: amount,
  peak_reserved: amount,
  /** False where a process did not get to its end: then these are the last figures known. */
  final: v.boolean(),
  /** When the categories were looked at. */
  seen: maybe(v.picklist(['at exit', 'at out-of-memory'])),
  /** Bytes allocated at that moment: the categories add up to them. */
  allocated: maybe(amount),
  categories: maybe(v.record(v.picklist(CATEGORY_NAMES), category)),
});

/** What must be equal for two runs to be compared. */
const settings = v.object({
  devices: v.pipe(v.array(text(200)), v.maxLength(64)),
  world_size: maybe(amount),
  torch: maybe(text(100)),
  backend: maybe(text(100)),
  alloc_conf: maybe(text(500)),
});

export const MemorySchema = v.object({
  schema: v.literal(MEMORY_SCHEMA),
  /** ISO 8601, UTC. */
  created: v.pipe(v.string(), v.maxLength(40), v.isoTimestamp()),
  action: v.object({ version: text(40) }),
  sha: maybe(text(80)),
  verdict: v.picklist(VERDICTS),
  settings,
  rows: v.pipe(v.array(row), v.maxLength(100_000)),
});

export type Memory = v.InferOutput<typeof MemorySchema>;
export type MemoryRow = Memory['rows'][number];
export type MemorySettings = Memory['settings'];
