/** The baseline of an earlier run, read as untrusted input. Loaded only where the input `baseline` names one. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import * as v from 'valibot';
import { MAX_MEMORY_BYTES, type Memory, MemorySchema } from './schema.js';

export type Baseline =
  | { readonly state: 'read'; readonly memory: Memory; readonly earlier: readonly Memory[] }
  | { readonly state: 'missing' | 'unreadable'; readonly reason: string };

/** Runs that a series may hold: those before the newest are drawn. */
const MOST_RUNS = 100;

const unreadable = (reason: string): Baseline => ({ state: 'unreadable', reason });

/** A memory.json, or a JSON list of some, the newest last. Pure. */
export function parseBaseline(text: string): Baseline {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return unreadable('it is not JSON');
  }
  const all = Array.isArray(value) ? value.slice(-MOST_RUNS) : [value];
  if (all.length === 0) return unreadable('it is an empty list');
  const runs: Memory[] = [];
  for (const one of all) {
    const parsed = v.safeParse(MemorySchema, one);
    if (parsed.success) {
      runs.push(parsed.output);
      continue;
    }
    const at = v.getDotPath(parsed.issues[0]);
    return unreadable(
      `it is no memory.json of this action: ${at === null ? 'not an object' : `\`${at.slice(0, 80)}\` is missing or wrong`}`,
    );
  }
  return { state: 'read', memory: runs.at(-1) as Memory, earlier: runs.slice(0, -1) };
}

/** Reads a baseline. Never throws. */
export async function readBaseline(path: string): Promise<Baseline> {
  try {
    // A pipe of that name must not hold the step up.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const { size, isFile } = await file.stat().then((s) => ({ size: s.size, isFile: s.isFile() }));
      if (!isFile) return unreadable('it is not a file');
      if (size > MAX_MEMORY_BYTES)
        return unreadable(`it has ${size} bytes, and a memory.json has at most ${MAX_MEMORY_BYTES}`);
      return parseBaseline(await file.readFile('utf8'));
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT'
      ? { state: 'missing', reason: 'there is no such file' }
      : unreadable(code ?? message);
  }
}
