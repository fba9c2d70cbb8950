/** A step that runs a stranger's code plants all it can think of in the evidence folder: nothing foreign leaves, nothing breaks. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { renderGfm, tagsOf } from '../unit/gfm-kit.js';
import { cleanUp } from './kit.js';
import { REAL } from './recorded.js';
import { plain, replayScript, scratch } from './replay.js';

afterAll(cleanUp);

/** The text that must not get out, and the text that must not become a command, an element or a link. */
const SECRET = 'the secret of somebody else';
const COMMAND = 'PWNED';

const PLANT = `
import json, os, socket, sys
template, secret, flood = sys.argv[1:]
config = json.load(open(os.path.join(os.environ['PYTHONPATH'].split(':')[0], '_oom_autopsy', 'config.json')))
os.chdir(config['evidence'])
serial = iter(range(1, 10**6))
snapshot = lambda: f'evil-ranknone-{next(serial)}-aaaaaaaa-1-oom.pickle'
receipt = lambda: f'evil-{next(serial)}-aaaaaaaa.receipt.json'
def attempt(act, *args):
    try:
        return act(*args)
    except OSError as error:
        print('not possible here:', act.__name__, error.errno)

for name in (snapshot, receipt):
    os.symlink(secret, name())
    os.symlink('/dev/zero', name())
    os.symlink('/proc/self/environ', name())
    os.symlink(name(), name())
    attempt(os.link, secret, name())
    os.mkfifo(name())
    os.mkdir(name())
    attempt(os.mknod, name(), 0o20600, os.makedev(1, 5))
    socket.socket(socket.AF_UNIX).bind(name())
    open(name(), 'w').close()
    with open(name(), 'w') as file:
        file.truncate(1 << 40 if name is snapshot else 1 << 30)
for name in ('a\\n::error::${COMMAND}', '::error::${COMMAND}', '##[error]${COMMAND}', '\\u202egnp.exe', '\\x1b[2J', 'a\\rb', '<img src=x>',
             '[${COMMAND}](javascript:alert)', '\`' * 50, '-rf', '--help', ' ', 'manifest.json', 'SHA256SUMS', 'x' * 255,
             '.upload-0123456789ab', b'\\xff\\xfe'):
    path = os.fsencode(name)
    if name == '.upload-0123456789ab':
        os.mkdir(path)
        os.symlink(secret, os.path.join(path, b'manifest.json'))
        open(os.path.join(path, b'only here'), 'w').close()
    else:
        open(path, 'w').close()
for i in range(int(flood)):
    open(f'junk-{i}', 'w').close()
    with open(receipt(), 'w') as file:
        file.write('{"schema": "oom-autopsy.receipt.v1"' + ('}' if i % 2 else ''))
[real] = [name for name in os.listdir(template) if name.endswith('.receipt.json')]
text = open(os.path.join(template, real)).read()
old = real.split('.')[0].rsplit('-', 1)[1]
nasty = ('\\n::error::${COMMAND}\\n::add-mask::e\\n::set-env name=A::B\\n##[error]${COMMAND}\\r\\n# ${COMMAND}\\n</details></table><script>alert(1)</script>'
         '<img src="https://evil.example/x.png">![x](https://evil.example/y.png)[${COMMAND}](javascript:alert(1)) | a | b |\\n\`\`\`\\n@octocat #1 $x$ \\u202e\\x00\\x1b[31m')
def poison(value, key=''):
    if isinstance(value, dict):
        return {k: poison(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [poison(v, key) for v in value]
    keep = ('schema', 'step', 'host', 'token', 'kind', 'state', 'history', 'thread', 'reason', 'mode')
    return nasty if isinstance(value, str) and key not in keep and not value.endswith('.pickle') else value
forged = poison(json.loads(text.replace(old, 'bbbbbbbb')))
forged['step'] = config['step']
forged['faults'] = [nasty] * 20
claims = dict(forged, token='cccccccc', snapshots=[{'file': '../../../../etc/passwd', 'reason': 'oom', 'history': 'armed'}])
open(real.replace(old, 'cccccccc'), 'w').write(json.dumps(claims))
open(real.replace(old, 'bbbbbbbb'), 'w').write(json.dumps(forged))
[dump] = [name for name in os.listdir(template) if name.endswith('.pickle')]
open(dump.replace(old, 'bbbbbbbb'), 'w').write('no pickle at all')
print('planted', flush=True)
`;

/** Files of an artifact without the documents that the action writes itself. */
const foreign = (files: readonly string[] = []): readonly string[] =>
  files.filter((name) => !['manifest.json', 'SHA256SUMS', 'memory.json'].includes(name));

it('keeps its code, is published for what is real, and everything else is named', async () => {
  const folder = scratch();
  const [secret, program] = [join(folder, 'secret'), join(folder, 'plant.py')];
  writeFileSync(secret, `${SECRET}\n`);
  writeFileSync(program, PLANT);
  const replay = await replayScript();
  const step = await plain(
    `python '${replay}'\npython '${program}' '${join(dirname(replay), 'evidence')}' '${secret}' 0\nexit 5`,
  );
  expect(step.report.log).toContain('planted');
  expect(step.report.main.code).toBe(5);
  expect(step.outputs).toMatchObject({ 'exit-code': '5', verdict: 'oom', 'snapshot-count': '2' });
  expect(step.report.orphans).toEqual([]);

  // In the artifact: the real receipt and snapshot, the forged ones whose form is right, and our documents.
  const [artifact] = step.artifacts;
  expect(foreign(artifact?.files)).toHaveLength(4);
  expect(artifact?.files.filter((name) => /bbbbbbbb/.test(name))).toHaveLength(2);
  const uploaded = (artifact?.files ?? []).map((name) => readFileSync(join(artifact?.dir ?? '', name)));
  for (const content of uploaded) {
    expect(content.includes(SECRET)).toBe(false);
    expect(content.includes('root:x:0:0')).toBe(false);
  }
  expect(readFileSync(secret, 'utf8')).toBe(`${SECRET}\n`);

  // In the log: not one command that is not ours, whatever names and receipts say.
  expect(step.report.log).not.toContain(SECRET);
  expect(step.report.masks.filter((mask) => mask.length < 3)).toEqual([]);
  expect(step.report.env).toEqual({});
  for (const { message } of step.report.annotations) {
    expect(message.startsWith(COMMAND)).toBe(false);
    expect(message).not.toContain('\n::');
  }
  const own = step.report.log.split('\n').filter((line) => /^oom-autopsy: /.test(line));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
  expect(own.filter((line) => /[\u0000-\u001f\u202e]/.test(line))).toEqual([]);

  // In the summary: text, never markup.
  const { summary } = step.report;
  expect(Buffer.byteLength(summary)).toBeLessThan(900 * 1024);
  // As GitHub renders it: whose frames are shown in a fence, the real ones or the forged, is up to a random token.
  const tags = tagsOf(renderGfm(summary));
  expect(tags.filter((tag) => /^<(img|script|iframe|svg|a [^>]*(javascript:|evil))/i.test(tag))).toEqual([]);
  expect(summary).not.toMatch(/^(# |::|##\[)/m);
  const opened = (start: string): number => tags.filter((tag) => tag.startsWith(start)).length;
  expect(opened('<details')).toBe(opened('</details>'));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
  expect(summary).not.toMatch(/[\u0000-\u0008\u001b\u202e]/);
  for (const word of ['symbolic link', 'FIFO', 'folder', 'hard link'])
    expect(JSON.stringify(step.manifest.rejected)).toContain(word);
  expect(step.manifest.rejected_count).toBe(step.manifest.rejected.length);
  expect(step.report.post).toMatchObject({ code: 0, log: '' });
}, 180_000);

/** Two files for each. */
const FLOOD = REAL ? 5000 : 1000;
it(`planted with ${2 * FLOOD} files more, in a step whose main is killed, does no more to post`, async () => {
  const folder = scratch();
  const [secret, program] = [join(folder, 'secret'), join(folder, 'plant.py')];
  writeFileSync(secret, `${SECRET}\n`);
  writeFileSync(program, PLANT);
  const replay = await replayScript();
  const step = await plain(
    `python '${replay}'\npython '${program}' '${join(dirname(replay), 'evidence')}' '${secret}' ${FLOOD}\nkill -KILL $PPID; sleep 60`,
  );
  expect(step.report.post?.code).toBe(0);
  expect(step.report.orphans).toEqual([]);
  expect(foreign(step.artifacts[0]?.files)).toHaveLength(4);
  expect(step.report.post?.summary).toMatch(/Out of GPU memory/);
  const manifest = JSON.parse(readFileSync(step.report.post?.outputs['manifest'] ?? '', 'utf8'));
  // The flood hides no kind: each is named, and counted.
  const reasons: readonly { readonly reason: string; readonly count: number }[] = manifest.rejected_reasons;
  const named = JSON.stringify(manifest.rejected);
  for (const word of ['symbolic link', 'FIFO', 'folder', 'hard link', 'strange name', 'more than the'])
    expect([word, named.includes(word)]).toEqual([word, true]);
  expect(manifest.rejected).toHaveLength(100);
  expect(manifest.rejected_count).toBeGreaterThan(2 * FLOOD);
  expect(reasons.reduce((sum, { count }) => sum + count, 0)).toBe(manifest.rejected_count);
  expect(step.report.post?.summary).toMatch(/\d+ names not accepted as evidence: .*\d+ × .*such a name/);
}, 180_000);

it('finds nothing in /proc of its parent, or of the upload, that it would not find in a plain step', async () => {
  const replay = await replayScript();
  const found = join(scratch(), 'found');
  const done = join(scratch(), 'done');
  const step = await plain(
    `tr '\\0' '\\n' < /proc/$PPID/environ | sed 's/^/parent: /'\npython '${replay}'\n` +
      `nohup bash -c 'until [ -e ${done} ]; do for p in $(pgrep -P '$PPID' -f dist/uploa[d]); do tr "\\0" "\\n" < /proc/$p/environ >> ${found}; done; sleep 0.05; done' >/dev/null 2>&1 &\nexit 3`,
    {
      service: { CreateArtifact: '503x1' },
      run: { onStart: (stage: string) => stage === 'post' && writeFileSync(done, '') },
    },
  );
  const parent = step.report.log.split('\n').filter((line) => line.startsWith('parent: '));
  expect(parent.filter((line) => line.startsWith('parent: PATH='))).toHaveLength(1);
  const secret = /(ACTIONS_RUNTIME_TOKEN|INPUT_RUN|GITHUB_STATE|INPUT_SHELL)=/;
  expect(parent.filter((line) => secret.test(line))).toEqual([]);
  const worker = readFileSync(found, 'utf8');
  expect(worker).toMatch(/^PATH=/m);
  expect(worker).not.toMatch(secret);
  expect(step.artifacts).toHaveLength(1);
}, 60_000);
