/**
 * The demo: runs the built action on examples/train_oom.py as GitHub's runner would, on the GPU if there is
 * one and over the stand-in device otherwise, with an artifact service on loopback. Prints the program's
 * output, the rendered summary, the uploaded files with sizes and digests, and where everything lies. Exit
 * code 0 when the demo showed what it should.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { capture, node24, ROOT, runMain, say, Unmet } from './lib.mjs';
import { setup } from './setup.mjs';

/** Device memory of the stand-in in the demo: full after four steps. */
const STANDIN_TOTAL = '512M';

const heading = (text) => console.log(`\n━━ ${text} ${'━'.repeat(Math.max(0, 96 - text.length))}\n`);

/** Summary Markdown as a terminal shows it; folded parts are shown open. */
async function render(markdown) {
  const [{ marked }, { markedTerminal }] = await Promise.all([import('marked'), import('marked-terminal')]);
  marked.use(
    markedTerminal({
      width: 110,
      reflowText: true,
      showSectionPrefix: false,
      tableOptions: { style: { head: [], border: [] } },
    }),
  );
  const open = markdown
    .replace(/<details>\s*<summary>(.*?)<\/summary>/gs, '\n**▾ $1**\n\n')
    .replace(/<\/details>/g, '')
    .replace(/<br>/g, '\n')
    .replace(/<\/?(b|strong|p|sub)\b[^>]*>/g, '');
  return marked.parse(open);
}

/** Files of the unzipped artifact with their sizes and digests. */
function listFiles(folder) {
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const path = join(folder, name);
      const digest = createHash('sha256').update(readFileSync(path)).digest('hex');
      return { name, bytes: statSync(path).size, digest };
    });
}

/** The uploaded page under a name that a browser knows. */
function copyPage(path, folder) {
  const target = join(folder, 'report.html');
  copyFileSync(path, target);
  return target;
}

/** Fails the demo with what was expected and what was seen. */
function expectThat(what, seen, wanted) {
  const good = JSON.stringify(seen) === JSON.stringify(wanted);
  console.log(
    `${good ? '✓' : '✗'} ${what}: ${JSON.stringify(seen)}${good ? '' : `, expected ${JSON.stringify(wanted)}`}`,
  );
  return good;
}

await runMain(async () => {
  const pythons = await setup(['cuda']);
  const [{ runAction }, { startService }] = await Promise.all([
    import('../standins/runner/runner.mjs'),
    import('../standins/service/service.mjs'),
  ]);
  const demos = join(ROOT, '.demo');
  rmSync(demos, { recursive: true, force: true });
  mkdirSync(demos, { recursive: true });
  const folder = mkdtempSync(join(demos, 'run-'));
  const service = await startService({ dir: join(folder, 'artifact-service'), maxSeconds: 900 });
  try {
    heading('the step: python examples/train_oom.py');
    const report = await runAction({
      actionDir: ROOT,
      workspace: ROOT,
      temp: join(folder, 'runner-temp'),
      node: node24(),
      inputs: { run: 'python examples/train_oom.py' },
      env: {
        PATH: `${dirname(pythons.cuda)}${delimiter}${process.env.PATH}`,
        OA_STANDIN_TOTAL_BYTES: STANDIN_TOTAL,
        OA_STANDIN_ZERO_D2H: '64',
        ...service.env,
      },
      onLog: (text) => process.stdout.write(text),
    });
    heading('the job summary');
    console.log(await render(report.summary));

    heading('the uploaded artifact');
    const uploaded = service.artifacts().filter(({ state }) => state === 'finalized');
    const artifact = uploaded.find(({ mime }) => mime === 'application/zip');
    const page = uploaded.find(({ mime }) => mime === 'text/html');
    if (!artifact) throw new Unmet('nothing was uploaded');
    const unzipped = join(folder, 'artifact');
    mkdirSync(unzipped);
    const unzip = capture(pythons.cuda, ['-m', 'zipfile', '-e', artifact.path, unzipped]);
    if (unzip.status !== 0) throw new Unmet(`the artifact could not be unzipped: ${unzip.stderr}`);
    const files = listFiles(unzipped);
    for (const { name, bytes, digest } of files)
      console.log(`${String(bytes).padStart(10)} B  ${digest}  ${name}`);
    console.log(`\nartifact ${artifact.name} (zip of ${artifact.size} B): ${artifact.digest}`);

    heading('what was to be shown');
    const { outputs } = report;
    const [reference] = JSON.parse(outputs.snapshots || '[]');
    const file = files.find(({ name }) => name === reference?.file);
    const checked = capture('sha256sum', ['-c', '--quiet', 'SHA256SUMS'], { cwd: unzipped });
    const shown = [
      expectThat('verdict', outputs.verdict, 'oom'),
      expectThat("exit code, the training script's own", report.main.code, 1),
      expectThat('snapshots', outputs['snapshot-count'], '1'),
      expectThat(
        'digest of the downloaded snapshot is the one in the output',
        `sha256:${file?.digest}`,
        reference?.digest,
      ),
      expectThat('and in the summary', report.summary.includes(String(file?.digest)), true),
      expectThat('sha256sum -c SHA256SUMS', checked.status, 0),
      expectThat('parity with the frozen torch-2.13 fixture', outputs.parity, 'match'),
    ];
    console.log(`\nverdict: ${outputs.verdict}`);
    console.log(`artifact, unzipped: ${unzipped}`);
    console.log(`report page: ${page?.path ? copyPage(page.path, folder) : 'none'} (open it in a browser)`);
    console.log(`manifest on the runner: ${outputs.manifest}`);
    console.log(`snapshot: ${join(unzipped, reference?.file ?? '')} (drop it on pytorch.org/memory_viz)`);
    return shown.every(Boolean) ? 0 : 1;
  } finally {
    await service.close();
  }
}).finally(() => say(''));
