// node lab/standins/runner/cli.mjs --action . --input run='python train.py' [--input K=V]… [--env K=V]…
// [--service start] Runs an action as one step of a job on this machine and prints its log, outputs, rendered
// summary text, annotations and uploaded artifacts. `--service start` starts the artifact service stand-in
// beside it (with --fault CALL=KIND…). Exit code: 0 success, 1 failure, 130 cancelled, 2 when the run could
// not be made.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseFaultArgs } from '../service/faults.mjs';
import { startService } from '../service/service.mjs';
import { runAction } from './runner.mjs';

/** @param {string[]} list @param {string} what */
function pairs(list, what) {
  return Object.fromEntries(
    list.map((item) => {
      const eq = item.indexOf('=');
      if (eq < 1) throw new TypeError(`--${what} ${item}: the form is NAME=VALUE`);
      return [item.slice(0, eq), item.slice(eq + 1)];
    }),
  );
}
/** @param {string | undefined} text @param {string} what */
function millis(text, what) {
  if (text === undefined) return undefined;
  if (!(Number(text) >= 0)) throw new TypeError(`--${what} ${text} is not a number of milliseconds`);
  return Number(text);
}
const indent = (/** @type {string} */ text) =>
  text
    .trimEnd()
    .split('\n')
    .map((l) => `  ${l}`)
    .join('\n');
const heading = (/** @type {string} */ text) => console.log(`\n── ${text}`);

async function main() {
  const { values } = parseArgs({
    options: {
      action: { type: 'string', default: '.' },
      input: { type: 'string', multiple: true, default: [] },
      env: { type: 'string', multiple: true, default: [] },
      workspace: { type: 'string' },
      temp: { type: 'string' },
      node: { type: 'string' },
      service: { type: 'string' },
      fault: { type: 'string', multiple: true, default: [] },
      'cancel-after': { type: 'string' },
      'cancel-style': { type: 'string', default: 'github' },
      timeout: { type: 'string' },
      json: { type: 'string' },
      quiet: { type: 'boolean', default: false },
    },
  });
  if (values.service !== undefined && values.service !== 'start')
    throw new TypeError(`--service ${values.service}; accepted is start`);
  const style = values['cancel-style'];
  if (style !== 'github' && style !== 'act')
    throw new TypeError(`--cancel-style ${style}; accepted are github, act`);
  const inputs = pairs(values.input, 'input');
  const env = pairs(values.env, 'env');
  const cancelAfter = millis(values['cancel-after'], 'cancel-after');
  const timeoutMs = millis(values.timeout, 'timeout');
  const temp = resolve(values.temp ?? mkdtempSync(join(tmpdir(), 'runner-')));
  const service = values.service
    ? await startService({ dir: join(temp, '_service'), faults: parseFaultArgs(values.fault) })
    : null;
  try {
    const report = await runAction({
      actionDir: resolve(values.action),
      inputs,
      env: { ...service?.env, ...env },
      temp: join(temp, '_temp'),
      cancelStyle: style,
      ...(values.quiet ? {} : { onLog: (/** @type {string} */ line) => console.log(line) }),
      ...(values.workspace === undefined ? {} : { workspace: values.workspace }),
      ...(values.node === undefined ? {} : { node: values.node }),
      ...(cancelAfter === undefined ? {} : { cancelAfter }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    heading(`outputs (${report.conclusion}, main ended with ${report.main.signal ?? report.main.code})`);
    for (const [name, value] of Object.entries(report.outputs)) console.log(indent(`${name}: ${value}`));
    heading('summary');
    console.log(indent(report.summary || '(none)'));
    heading('annotations');
    for (const a of report.annotations) {
      const place = a.file ? ` ${a.file}:${a.line ?? ''}` : '';
      console.log(indent(`${a.level}${a.title ? ` [${a.title}]` : ''}${place}: ${a.message}`));
    }
    heading('artifacts');
    for (const a of service?.artifacts() ?? [])
      console.log(
        `  ${a.name} (${a.state}): ${a.size ?? 0} bytes, ${a.digest ?? a.refused ?? 'nothing finalized'}, ${a.path ?? ''}`,
      );
    for (const p of [...report.survivors, ...report.orphans])
      console.log(`  still running: ${p.pid} ${p.command}`);
    for (const problem of report.problems) console.log(`  note: ${problem}`);
    console.log(`\nfiles are in ${temp}`);
    if (values.json) {
      const slim = (/** @type {any} */ stage) =>
        stage && {
          ...stage,
          stdout: { ...stage.stdout, data: undefined },
          stderr: { ...stage.stderr, data: undefined },
        };
      const data = { ...report, main: slim(report.main), post: slim(report.post) };
      writeFileSync(
        values.json,
        `${JSON.stringify({ ...data, artifacts: service?.artifacts() ?? [] }, null, 2)}\n`,
      );
    }
    process.exitCode = { success: 0, failure: 1, cancelled: 130 }[report.conclusion];
  } finally {
    await service?.close();
  }
}

main().catch((error) => {
  console.error(`runner: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 2;
});
