/**
 * What the runner starts as `main`, of both actions: that of a whole job has an input of its own. The command
 * for a workstation starts it with `--terminal`.
 */
import { actionDir, main } from '../main.js';
import { environmentRunner, inputVariable, terminalRunner } from '../runner/runner.js';

const terminal = process.argv[2] === '--terminal';
if (!terminal && process.env[inputVariable('job-status')]) {
  const { jobMain } = await import('../job/main.js');
  await jobMain(actionDir(), environmentRunner(process.env));
} else {
  await main((terminal ? terminalRunner : environmentRunner)(process.env), terminal);
}
