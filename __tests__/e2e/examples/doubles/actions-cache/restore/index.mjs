// The newest entry whose key is the one asked for, or begins as one of the others.
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const { INPUT_PATH, INPUT_KEY, 'INPUT_RESTORE-KEYS': others = '', CACHE_DOUBLE, GITHUB_OUTPUT } = process.env;
const keys = existsSync(CACHE_DOUBLE) ? readdirSync(CACHE_DOUBLE) : [];
const age = (key) => -statSync(join(CACHE_DOUBLE, key)).mtimeMs;
const wanted = others
  .split('\n')
  .map((line) => line.trim())
  .filter(Boolean);
const found = keys.includes(INPUT_KEY)
  ? INPUT_KEY
  : wanted.flatMap((start) => keys.filter((key) => key.startsWith(start)).sort((a, b) => age(a) - age(b)))[0];
if (found) {
  mkdirSync(dirname(INPUT_PATH), { recursive: true });
  cpSync(join(CACHE_DOUBLE, found), INPUT_PATH, { recursive: true });
}
appendFileSync(
  GITHUB_OUTPUT,
  `cache-primary-key=${INPUT_KEY}\ncache-matched-key=${found ?? ''}\ncache-hit=${found === INPUT_KEY}\n`,
);
