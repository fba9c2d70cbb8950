// An entry is written once, as in the real one; a path that is not there is a warning.
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

const { INPUT_PATH, INPUT_KEY, CACHE_DOUBLE } = process.env;
mkdirSync(CACHE_DOUBLE, { recursive: true });
if (!existsSync(INPUT_PATH)) console.log(`::warning::Path Validation Error: ${INPUT_PATH} does not exist`);
else if (!existsSync(join(CACHE_DOUBLE, INPUT_KEY))) cpSync(INPUT_PATH, join(CACHE_DOUBLE, INPUT_KEY));
