/** What the runner starts as `main`, of both actions: that of a whole job has an input of its own. */
import { actionDir, main } from '../main.js';
import { inputVariable } from '../runner/runner.js';

if (process.env[inputVariable('job-status')]) {
  const { jobMain } = await import('../job/main.js');
  await jobMain(actionDir());
} else {
  await main();
}
