/**
 * Changes one place of the product at a time and sees whether the tests notice. The places are drawn by a seed made of the commit's id,
 * so that the same commit gives the same ones.
 *
 *   node lab/scripts/mutants.mjs [--count 40] [--seed TEXT] [--only src|shim|parity] [--quick] [--list]
 *
 * `--quick` leaves out the end-to-end tests.
 *
 * Run it in a checkout of its own: it changes files, and puts them back. Environment as for `npm test` by hand: OA_PYTHON_CUDA and
 * OA_PYTHON_CPU. Prints one line for each, and last how many were caught; those that were not are for a person to read.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dirname, '..', '..');
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '40' },
    seed: { type: 'string' },
    only: { type: 'string' },
    list: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
  },
});
const git = (...args) => execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8' });
const seed = values.seed ?? git('rev-parse', 'HEAD').trim();

/** What a change of one token is, for both languages. */
const CHANGES = [
  [/ === /, ' !== '],
  [/ !== /, ' === '],
  [/ == /, ' != '],
  [/ != /, ' == '],
  [/ && /, ' || '],
  [/ \|\| /, ' && '],
  [/ and /, ' or '],
  [/ or /, ' and '],
  [/ >= /, ' > '],
  [/ <= /, ' < '],
  [/ > /, ' >= '],
  [/ < (?!\/)/, ' <= '],
  [/\btrue\b/, 'false'],
  [/\bfalse\b/, 'true'],
  [/\bTrue\b/, 'False'],
  [/\bFalse\b/, 'True'],
  [/ \+ 1\b/, ''],
  [/ - 1\b/, ''],
  [/\bif not /, 'if '],
  [/ is None\b/, ' is not None'],
  [/ is not None\b/, ' is None'],
  [/\b0\b/, '1'],
  [/\breturn null;/, 'return undefined as never;'],
  [/\.sort\(/, '.slice().reverse().sort('],
];
const PARTS = {
  src: {
    files: git('ls-files', 'src/*.ts')
      .split('\n')
      .filter((f) => f && !f.endsWith('.d.ts')),
  },
  shim: {
    files: git('ls-files', 'python/shim')
      .split('\n')
      .filter((f) => f.endsWith('.py')),
  },
  parity: {
    files: git('ls-files', 'python/parity')
      .split('\n')
      .filter((f) => f.endsWith('.py')),
  },
};

/** Lines of code of a file that a change fits: no comment, no text that is only said, no import. */
function places(file) {
  const found = [];
  let quoted = false;
  readFileSync(join(ROOT, file), 'utf8')
    .split('\n')
    .forEach((text, line) => {
      const quotes = (text.match(/"""/g) ?? []).length;
      const inside = quoted || quotes > 0;
      if (quotes % 2 === 1) quoted = !quoted;
      const code = text.replace(/(\s#|\/\/|\s\*).*$/, '');
      if (inside || /^\s*(#|\/\/|\*|\/\*|import|export type|from|type )/.test(text) || code.trim() === '')
        return;
      for (const [from, to] of CHANGES) {
        // Not within a text: what stands before it has closed all its quotes.
        const at = code.search(from);
        const before = at < 0 ? '' : code.slice(0, at);
        if (at >= 0 && ['"', "'", '`'].every((q) => before.split(q).length % 2 === 1)) {
          found.push({
            file,
            line,
            from: code.slice(at).match(from)[0],
            text: text.slice(0, at) + text.slice(at).replace(from, to),
          });
        }
      }
    });
  return found;
}

/** Numbers from 0 to 1 that a text decides. */
function* numbers(text) {
  for (let n = 0; ; n++) yield createHash('sha256').update(`${text} ${n}`).digest().readUInt32BE() / 2 ** 32;
}

/** In a group of its own with a time limit, without pipes: what a killed test leaves behind would hold those open. */
function run(file, args, seconds) {
  const done = spawnSync('timeout', ['-k', '5', String(seconds), file, ...args], {
    cwd: ROOT,
    stdio: 'ignore',
  });
  return done.status === 0;
}

const node = join(ROOT, 'node_modules', '.bin', 'node');
const jest = (...args) =>
  run(
    node,
    [
      '--experimental-vm-modules',
      '--no-warnings',
      'node_modules/jest/bin/jest.js',
      '--bail',
      '--silent',
      ...args,
    ],
    900,
  );
const pytest = (python, folder) => run(python, ['-m', 'pytest', '-x', '-q', '-n', '2', folder], 1200);

/** Whether the tests notice: the quick ones first. null: it does not compile. */
function noticed(part) {
  if (part === 'shim') return !pytest(process.env.OA_PYTHON_CUDA, '__tests__/shim');
  if (part === 'parity') return !pytest(process.env.OA_PYTHON_CPU, '__tests__/parity');
  if (!run(join(ROOT, 'node_modules', '.bin', 'tsc'), ['--noEmit'], 300)) return null;
  if (!jest('__tests__/unit', '__tests__/contract')) return true;
  if (values.quick) return false;
  if (!run('npm', ['run', '--silent', 'build'], 300)) return true;
  return !jest('__tests__/e2e');
}

const all = Object.entries(PARTS).flatMap(([part, { files }]) =>
  files.flatMap(places).map((place) => ({ part, ...place })),
);
const random = numbers(seed);
const drawn = all.map((place) => ({ place, key: random.next().value })).sort((a, b) => a.key - b.key);
const wanted = drawn
  .map(({ place }) => place)
  .filter(({ part }) => values.only === undefined || part === values.only);
let [caught, tried] = [0, 0];
for (const { part, file, line, from, text } of wanted) {
  if (tried >= Number(values.count)) break;
  const path = join(ROOT, file);
  const whole = readFileSync(path, 'utf8');
  const lines = whole.split('\n');
  const what = `${file}:${line + 1}  ${from.trim()}  ${text.trim().slice(0, 100)}`;
  if (values.list) {
    tried += 1;
    console.log(what);
    continue;
  }
  lines[line] = text;
  let seen;
  try {
    writeFileSync(path, lines.join('\n'));
    seen = noticed(part);
  } finally {
    writeFileSync(path, whole);
  }
  if (seen === null) continue;
  tried += 1;
  caught += seen ? 1 : 0;
  console.log(`${seen ? 'caught  ' : 'SURVIVED'} ${what}`);
}
if (!values.list) console.log(`${caught} of ${tried} caught; seed ${seed}`);
