/**
 * Receipts: what each process that imported torch wrote about itself, as it is known here once it was read.
 * Names and types; the fields stand in receipt-schema.ts, which is loaded only where there is a receipt to
 * read.
 */
import type * as v from 'valibot';
import type { Owner } from './names.js';
import type { ReceiptSchema } from './receipt-schema.js';
import type { CategoryName } from './vocabulary.js';

export type { PlainJson } from './receipt-schema.js';
export * from './vocabulary.js';

type Frozen<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Frozen<Item>[]
    : { readonly [Key in keyof T]: Frozen<T[Key]> };
type Fields = Frozen<v.InferOutput<typeof ReceiptSchema>>;

export interface Receipt extends Fields, Owner {
  /** The receipt's own file name. */
  readonly file: string;
  /** What its reader left out or cut, one line each. */
  readonly notes: readonly string[];
}
export type Torch = NonNullable<Receipt['torch']>;
export type Recorder = Receipt['recorder'];
export type RecorderState = Recorder['state'];
export type Device = Receipt['devices'][number];
export type Oom = Receipt['ooms'][number];
export type Frame = Oom['stack'][number];
export type ReceiptHistory = NonNullable<Oom['history']>;
export type ReceiptSnapshot = Receipt['snapshots'][number];
export type Census = NonNullable<Receipt['census']>;
export type CensusDevice = Census['devices'][number];
export type Category = NonNullable<CensusDevice['categories'][CategoryName]>;
export type CensusPool = NonNullable<CensusDevice['pools']>[number];
export type Cycles = NonNullable<Receipt['cycles']>;
export type Cycle = Cycles['cycles'][number];
export type CategoryOwner = Category['owners'][number];
export type CountedFrame = Cycle['frames'][number];
export type CycleGraph = NonNullable<Cycle['graph']>;
export type DeviceBytes = Cycle['bytes'];
export type End = NonNullable<Receipt['end']>;
export type OutsideOom = NonNullable<End['outside_oom']>;
export type ThreadEnd = Receipt['thread_ends'][number];
