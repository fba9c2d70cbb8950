/**
 * A snapshot stays opaque: no code of ours, checked in or built, can unpickle or parse it. The end-to-end tests add
 * the other half: a pickle that would run code if anybody loaded it goes through the whole action.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '..', '..');

function* files(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.name === 'node_modules' || entry.name === '__pycache__') continue;
    if (entry.isDirectory()) yield* files(path);
    else if (/\.(ts|js|mjs|py)$/.test(entry.name)) yield path;
  }
}

/** Ways to turn pickled bytes into objects, in Python or by a package in Node. */
const UNPICKLING: readonly RegExp[] = [
  /\bimport\s+_?c?pickle\b/i,
  /\bfrom\s+_?c?pickle\b/i,
  /\b(pickle|cPickle|dill|cloudpickle|joblib|marshal|shelve)\s*\.\s*(loads?|Unpickler|open)\s*\(/,
  /\bUnpickler\b/,
  /\btorch\s*\.\s*load\b/,
  /\b(np|numpy)\s*\.\s*load\b/,
  /\bread_pickle\b/,
  /['"](pickle|jpickle|pickleparser|node-pickle|@[\w-]+\/pickle[\w-]*)['"]/,
  /\b_memory_viz\b/,
];

/** What a line has to do with pickles, or null. */
const offence = (line: string): string | null => {
  const code = line.replace(/^\s*(#|\/\/|\/?\*).*$/, '');
  return UNPICKLING.find((pattern) => pattern.test(code))?.source ?? null;
};

describe('no unpickling', () => {
  it.each(['src', 'python', 'dist/main', 'dist/post', 'dist/upload'])('in %s', (folder) => {
    const found: string[] = [];
    let looked = 0;
    for (const path of files(join(root, folder))) {
      looked++;
      for (const [index, line] of readFileSync(path, 'utf8').split('\n').entries()) {
        const why = offence(line);
        if (why !== null) found.push(`${relative(root, path)}:${index + 1} (${why})`);
      }
    }
    expect(looked).toBeGreaterThan(0);
    expect(found).toEqual([]);
  });

  it.each([
    'import pickle',
    'from pickle import loads',
    'data = pickle.loads(blob)',
    '  x = torch.load(path)',
    'u = pickle.Unpickler(f)',
    "const p = require('pickleparser');",
    'from torch.cuda import _memory_viz',
  ])('would be noticed: %s', (line) => {
    expect(offence(line)).not.toBeNull();
  });
});
