/** What the runner starts as `main`; the command for a workstation starts it with `--terminal`. */
import { main } from '../main.js';
import { environmentRunner, terminalRunner } from '../runner/runner.js';

const terminal = process.argv[2] === '--terminal';
await main((terminal ? terminalRunner : environmentRunner)(process.env), terminal);
