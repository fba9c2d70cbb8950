/** What two languages must say alike: the shim names files, and the action knows whose they are. */
import { spawnSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { hostInNames, parseReceiptName } from '../../src/evidence/names.js';
import { RANK_VARIABLES } from '../../src/evidence/vocabulary.js';

const python = process.env['OA_PYTHON_TOOLS'] ?? 'python3';
const HOSTS = [
  'gpu-07',
  'ip-10-0-0-1.eu-west-1.compute.internal',
  'a_b c',
  'maschine-ä',
  '机器',
  '🟦-node',
  'x'.repeat(64),
  `${'é'.repeat(39)}🟦z`,
  '-',
  '',
];

it('a host is named alike by the shim and by the action, and its files are read back as its own', () => {
  const program = `
import json, sys
sys.path.insert(0, "python/shim")
from _oom_autopsy.facts import host_in_names
print(json.dumps([host_in_names(name) for name in json.loads(sys.argv[1])]))`;
  const run = spawnSync(python, ['-c', program, JSON.stringify(HOSTS)], { encoding: 'utf8' });
  expect(run.stderr).toBe('');
  const named: readonly string[] = JSON.parse(run.stdout);
  expect(named).toEqual(HOSTS.map(hostInNames));
  for (const host of named)
    expect(parseReceiptName(`${host}-77-0123abcd.receipt.json`)).toEqual({
      host,
      pid: 77,
      token: '0123abcd',
    });
});

it('a receipt may hold the very variables that the shim reads', () => {
  const program =
    'import json, sys; sys.path.insert(0, "python/shim"); from _oom_autopsy import identity; print(json.dumps(identity.VARIABLES))';
  const run = spawnSync(python, ['-c', program], { encoding: 'utf8' });
  expect(JSON.parse(run.stdout)).toEqual(RANK_VARIABLES);
});
