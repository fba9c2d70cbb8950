/**
 * schemas/receipt.schema.json and schemas/memory.schema.json, made from the schemas that their readers use
 * (src/evidence/receipt-schema.ts, src/memory/schema.ts). `npm run build` writes it; a test holds the files equal to them.
 */
import { toJsonSchema } from '@valibot/to-json-schema';

/** What a schema of one kind looks like in a document that people read. */
function readable({ valibotSchema, jsonSchema }) {
  if (valibotSchema.type === 'object') {
    // What the reader can do without, an older shim may leave out.
    const required = Object.entries(valibotSchema.entries)
      .filter(([, field]) => !('fallback' in field) && !['nullable', 'array'].includes(field.type))
      .map(([name]) => name);
    return required.length > 0 ? { ...jsonSchema, required } : jsonSchema;
  }
  if (valibotSchema.type !== 'nullable') return jsonSchema;
  const { anyOf, ...about } = jsonSchema;
  const inner = anyOf?.[0];
  if (inner?.enum) return { ...about, enum: [...inner.enum, null] };
  return typeof inner?.type === 'string' ? { ...about, ...inner, type: [inner.type, 'null'] } : jsonSchema;
}

/** Leaves out what only the reader of receipts asks for, and the bound of every whole number. */
const plain = (key, value) =>
  key === 'keep' || (key === 'maximum' && value === Number.MAX_SAFE_INTEGER) ? undefined : value;

/** @param schema `MemorySchema` @returns the document as an object */
export function memoryJsonSchema(schema) {
  const document = toJsonSchema(schema, { target: 'draft-2020-12', typeMode: 'input', errorMode: 'ignore' });
  const { $schema, ...body } = JSON.parse(JSON.stringify(document), plain);
  return {
    $schema,
    $id: 'oom-autopsy.memory.v1',
    title: "Peaks of a step's GPU memory, and who held it",
    description: 'Written after a step that used torch; a `baseline` of a later one. Amounts are bytes.',
    ...body,
  };
}

/** @param schema `ReceiptSchema` @param definitions `DEFINITIONS` @returns the document as an object */
export function receiptJsonSchema(schema, definitions) {
  const document = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode: 'input',
    errorMode: 'ignore',
    definitions,
    overrideSchema: readable,
  });
  const { $schema, ...body } = JSON.parse(JSON.stringify(document), plain);
  return {
    $schema,
    $id: 'oom-autopsy.receipt.v1',
    title: 'Receipt of one process that imported torch',
    description:
      'Written by the shim, one per process, at most 4 MiB. Amounts are bytes, times are seconds since the epoch. Lists are jsonSchema; what was dropped is counted.',
    ...body,
  };
}
