/** The main job as a user has it, on real torch and with the parity check of the same build. */
import { afterAll, expect, it } from '@jest/globals';
import { cleanUp, ROOT, runStep } from './kit.js';

afterAll(cleanUp);

it('runs out of memory, and parity matches', async () => {
  const { report, outputs, artifacts } = await runStep({
    inputs: { run: 'python examples/train_oom.py', 'max-entries': '2000', parity: 'fail' },
    workspace: ROOT,
    total: '512M',
  });
  expect(report.main.code).toBe(1);
  expect(outputs).toMatchObject({ 'exit-code': '1', verdict: 'oom', 'oom-count': '1', parity: 'match' });
  expect(artifacts).toHaveLength(1);
}, 180_000);
