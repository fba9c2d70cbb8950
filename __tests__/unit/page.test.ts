/** The page as a string: self-contained, under its own policy, foreign text as text, snapshots opaque. Its life in a browser: page-browser.test.ts. */
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from '@jest/globals';
import { collect } from '../../src/evidence/collect.js';
import type { Manifest, SnapshotReference } from '../../src/evidence/manifest.js';
import type { Device } from '../../src/evidence/receipt.js';
import { escapeHtml, html, raw, scriptJson } from '../../src/report/html.js';
import { embedSnapshots } from '../../src/report/page/embed.js';
import { renderPage } from '../../src/report/page/page.js';
import { readTimeline } from '../../src/report/timeline.js';
import {
  made,
  random,
  STEP,
  snapshotFile,
  temporaryFolder,
  writeReceipt,
  writeSnapshot,
} from './evidence-kit.js';
import { tagsOf } from './gfm-kit.js';
import {
  cyclesOf,
  eightRanks,
  failedRank,
  frame,
  HOSTILE,
  manifest,
  oom,
  quietRank,
  stranger,
} from './report-kit.js';

const root = temporaryFolder('oa-page');
afterAll(() => rmSync(root, { recursive: true, force: true }));

const page = renderPage(eightRanks({ retries: 5 }));
const policyOf = (text: string): string => /Content-Security-Policy" content="([^"]*)"/.exec(text)?.[1] ?? '';

describe('the page', () => {
  it('loads nothing: no address in any attribute but links that are clicked, no style attribute, no handler', () => {
    for (const tag of tagsOf(page)) {
      expect(tag).not.toMatch(/\s(src|style|on\w+|background|poster|data|action)=/i);
      if (/\shref=/.test(tag)) expect(tag).toMatch(/^<a /);
    }
    expect(page).not.toMatch(/@import|url\((?!#)/);
  });

  it('has a policy under which exactly its own script and style run', () => {
    const policy = policyOf(page);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(policy).not.toContain('http');
    for (const element of ['script', 'style']) {
      const text = new RegExp(`<${element}>([\\s\\S]*?)</${element}>`).exec(page)?.[1] ?? '';
      expect(text.length).toBeGreaterThan(1000);
      expect(policy).toContain(`'sha256-${createHash('sha256').update(text).digest('base64')}'`);
    }
  });

  it('has the sections a reader looks for, each headed and in the navigation', () => {
    for (const id of ['memory', 'hints', 'stacks', 'snapshots', 'processes', 'gpus', 'receipts']) {
      expect(page).toContain(`<a href="#${id}">`);
      expect(page).toContain(`id="${id}"><h2 id="h-${id}">`);
    }
    expect(page).not.toContain('id="timeline"');
    expect(page).not.toContain('id="parity"');
  });

  it('tells every event of a search for a batch size', () => {
    const ooms = [1, 2, 3].map((seq) => oom({ seq, time: 1_700_000_100 + seq }));
    const text = renderPage(
      manifest({ receipts: [failedRank(9, 0, { ooms, oom_count: 3, end: { kind: 'exit', oom: false } })] }),
    );
    expect(text).toContain('id="events"');
    expect(text.match(/rank 0 #\d<\/text>/g)).toHaveLength(3);
  });

  it('says of an event that it was caught only where that is known', () => {
    const then = (changes: object, threads: readonly string[], more: object = {}): readonly string[] => {
      const ooms = threads.map((thread, i) => oom({ seq: i + 1, time: 1_700_000_100 + i, thread }));
      const r = failedRank(9, 0, { ooms, oom_count: ooms.length, ...changes });
      const body = renderPage(manifest({ receipts: [r], ...more })).split('id="h-events"')[1] ?? '';
      return [
        ...body.matchAll(/<th scope="row">rank 0 #\d<\/th>(?:<td[^>]*>[^<]*<\/td>){5}<td>([^<]*)<\/td>/g),
      ].map(([, words]) => words ?? '');
    };
    const exit = { kind: 'exit', oom: false };
    const main = ['main', 'main'];
    expect(then({ end: exit }, main)).toEqual(['caught', 'caught']);
    expect(then({}, main)).toEqual(['caught', 'ended the process']);
    expect(then({ end: null }, main)).toEqual(['caught', 'not known: ended without exit handlers']);
    expect(then({ end: null }, main, { stillRunning: [{ pid: 9, program: null }] })).toEqual([
      'caught',
      'not known: still running',
    ]);
    expect(then({ end: { kind: 'sigterm', oom: false } }, main)).toEqual([
      'caught',
      'not known: ended by SIGTERM',
    ]);
    // The main thread may have been on its way out while another one ran out of memory too.
    expect(then({ end: null }, ['main', 'other'])).toEqual([
      'not known: ended without exit handlers',
      'not known: ended without exit handlers',
    ]);
    const thread_ends = [{ exception: 'torch.OutOfMemoryError', oom: true, time: 1 }];
    expect(then({ end: exit, thread_ends }, ['main', 'other', 'backward'])).toEqual([
      'caught',
      'ended a thread, or caught',
      'ended a thread, or caught',
    ]);
  });

  it('draws a timeline as its receipt has it', () => {
    const point = (step: number, n: number) => ({
      bytes: n,
      step,
      phase: 'forward',
      by_category: { parameter: n - 1, activation: 1 },
    });
    const timeline = {
      state: 'done',
      reason: null,
      mode: 'operations',
      steps: 2,
      blind: [{ what: 'compiled regions', count: 2 }],
      devices: [{ device: 'cuda:0', points: [point(1, 10), point(2, 20)] }],
    };
    const m = manifest({ receipts: [quietRank(3, 0, { timeline })] });
    expect(readTimeline(m.processes[0] as (typeof m.processes)[0])?.series[0]).toMatchObject({
      label: 'rank 0, cuda:0',
      peak: 20,
    });
    const text = renderPage(m);
    const data = JSON.parse(/id="data">([^<]*)</.exec(text)?.[1] ?? '');
    expect(data.series[0]).toMatchObject({
      peak: 20,
      step: [1, 2],
      phases: ['forward'],
      bytes: [9, 0, 0, 1, 0, 0, 19, 0, 0, 1, 0, 0],
    });
    expect(text).toContain('compiled regions (2 times)');
  });

  it('says why a timeline has nothing to show, and survives one of any shape', () => {
    const odd = [
      { state: 'unsupported', reason: 'no hooks in this torch' },
      { devices: 'x' },
      { devices: [null, 3, { points: [{ by_category: 5, step: -1 }] }] },
    ];
    for (const timeline of odd)
      expect(renderPage(manifest({ receipts: [quietRank(3, 0, { timeline })] }))).toContain('id="timeline"');
    expect(renderPage(manifest({ receipts: [quietRank(3, 0, { timeline: odd[0] })] }))).toContain(
      'no hooks in this torch',
    );
  });
});

describe('a reference cycle', () => {
  const types = ['app.Trainer', 'function', 'cell'].map((name) => ({ name, count: 1 }));
  const draw = (cycles: object): string =>
    renderPage(manifest({ receipts: [quietRank(3, 0, { cycles })] })).replace(/.*id="cycles"/s, '');

  it('is drawn as a graph: each refers to the next, the last to the first, and what they hold hangs on it', () => {
    const text = draw(cyclesOf({ types, frames: [] }));
    expect(text).toContain(
      'aria-label="app.Trainer refers by .next to function refers by .next to cell refers by .next to app.Trainer"',
    );
    expect(text.match(/class="edge back"/g)).toHaveLength(3);
    expect(text.match(/class="edge"/g)).toHaveLength(1);
    expect(text.match(/class="node hold"/g)).toHaveLength(1);
    expect(text).toContain('>torch.Tensor  5 B cuda:1</text>');
    expect(text).toContain('2 objects more on the way round');
    const [, marker] = /<marker id="([^"]+)"/.exec(text) ?? [];
    expect(text.match(/url\(#([^)]+)\)/g)?.every((ref) => ref === `url(#${marker})`)).toBe(true);
  });

  it('whose graph is not in the receipt is told by its types', () => {
    const text = draw(cyclesOf({ types, frames: [], graph: null }));
    expect(text).toContain('On the cycle: <code>app.Trainer, function, cell</code>');
    expect(text).not.toContain('class="edge back"');
  });

  it('takes its graph from the process that has one', () => {
    const receipts = [
      quietRank(3, 0, { cycles: cyclesOf({ types, frames: [], graph: null }) }),
      quietRank(4, 1, { cycles: cyclesOf({ types, frames: [] }) }),
    ];
    expect(renderPage(manifest({ receipts }))).toContain('class="edge back"');
  });
});

describe('foreign text in the page', () => {
  it('makes no element, no attribute and no script', () => {
    const evil = `${HOSTILE} " ' </style></title><!-- `;
    const cycles = cyclesOf({
      types: [
        { name: evil, count: 1 },
        { name: evil, count: 1 },
      ],
      frames: [{ file: evil, line: 1, function: evil, count: 1 }],
      graph: {
        ring: [{ name: evil, label: evil }],
        held: [{ at: 0, path: [{ label: evil, name: evil }], bytes: 1, device: evil }],
      },
    });
    const timeline = {
      state: evil,
      mode: evil,
      reason: evil,
      steps: 1,
      blind: [{ what: evil, count: 1 }],
      devices: [{ device: evil, points: [{ step: 1, phase: evil, by_category: { parameter: 3 } }] }],
    };
    const stack = [frame(evil, 1, evil), frame(`/v/site-packages/${evil}`, 1, evil)];
    const hostile = failedRank(
      5123,
      1,
      {
        program: evil,
        executable: evil,
        torch: { version: evil, cuda: evil, alloc_conf: evil, backend: evil },
        recorder: { state: 'failed', reason: evil },
        faults: [evil],
        cycles,
        timeline,
        end: { kind: 'exception', exception: evil, oom: true },
      },
      { stack, main_stack: stack, snapshot_error: evil },
    );
    const build = (text: string) =>
      renderPage(
        manifest({
          receipts: [hostile, failedRank(5124, 2, {}, { stack })],
          exitCode: 1,
          gpu: stranger(5, text),
          faults: [text],
          notSeen: [text],
          gates: [{ gate: 'cycles', level: 'warn', message: text }],
          unarmed: [{ pid: 1, program: text, reason: 'unknown', advice: text }],
          parity: { state: 'unverifiable', reason: text, result: null },
          evidence: { rejected: [{ name: text, reason: text, bytes: 1 }], rejectedCount: 1 },
          runner: {
            name: text,
            host: 'gpu-07',
            os: text,
            arch: text,
            repository: text,
            sha: text,
            run_id: text,
            run_attempt: text,
            job: text,
          },
        }),
        { guideUrl: 'https://github.com/acme/oom-autopsy' },
      );
    const text = build(evil);
    const names = new Set(tagsOf(text).map((tag) => /^<\/?([a-z0-9!]+)/i.exec(tag)?.[1]?.toLowerCase()));
    for (const name of ['img', 'iframe', 'base', 'form', 'object', 'embed', 'link'])
      expect(names).not.toContain(name);
    expect(text.match(/<script/g)).toHaveLength(2);
    expect(text.match(/<\/script>/g)).toHaveLength(2);
    expect(text.match(/<style>/g)).toHaveLength(1);
    // Outside of quoted values, where it is only text.
    expect(text.replace(/"[^"]*"/g, '""')).not.toMatch(/<[^>]*\sonerror/i);
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(() => JSON.parse(/id="data">([^<]*)</.exec(text)?.[1] ?? '')).not.toThrow();
  });

  it('is escaped by the template whatever its type', () => {
    expect(html`<b a="${'"<>&\''}">${['<', raw('<i>'), 3, null, undefined, false]}</b>`.text).toBe(
      '<b a="&quot;&lt;&gt;&amp;&#39;">&lt;<i>3</b>',
    );
    expect(escapeHtml('a\u202eb\u0000c\ud800')).toBe('abc\ufffd');
    expect(scriptJson({ a: '</script><!-- & \u2028' }).text).not.toMatch(/[<>&\u2028]/);
  });
});

describe('embedded snapshots', () => {
  it('are the bytes of the evidence, whatever they are, and none that another file has', async () => {
    const dir = join(root, 'evidence');
    mkdirSync(dir);
    const of = made();
    // A pickle that would run code if anybody loaded it.
    const evil = Buffer.from("cos\nsystem\n(S'touch pwned'\ntR.");
    writeFileSync(join(dir, snapshotFile(of)), evil);
    writeReceipt(dir, of, {
      snapshots: [{ file: snapshotFile(of), bytes: evil.length, reason: 'oom', seq: 1, history: 'armed' }],
    });
    writeSnapshot(dir, snapshotFile(of, 2), random(3).bytes(5000));
    const evidence = await collect({ dir, step: STEP });
    const embedded = await embedSnapshots(evidence);
    expect(embedded.map((e) => e.file)).toEqual([snapshotFile(of), snapshotFile(of, 2)]);
    expect(gunzipSync(Buffer.from(embedded[0]?.gzipBase64 ?? '', 'base64'))).toEqual(evil);
    // Only what fits, the first first.
    expect((await embedSnapshots(evidence, [], 200)).map((e) => e.file)).toEqual([snapshotFile(of)]);
    // A file that was swapped since is left out, and so is a link.
    writeFileSync(join(dir, snapshotFile(of)), Buffer.alloc(evil.length));
    rmSync(join(dir, snapshotFile(of, 2)));
    symlinkSync('/etc/hostname', join(dir, snapshotFile(of, 2)));
    expect(await embedSnapshots(evidence)).toEqual([]);
    rmSync(dir, { recursive: true });
    expect(await embedSnapshots(evidence)).toEqual([]);
  });

  const file = snapshotFile(made(5123), 1, 1);

  it('come with the viewer of the options, and the policy lets in no other script', () => {
    const viewer = { url: 'http://127.0.0.1:9/MemoryViz.js', origins: ['http://127.0.0.1:9'] };
    const text = renderPage(eightRanks(), { snapshots: [{ file, gzipBase64: 'AAAA' }], viewer });
    expect(text).toContain('data-open');
    expect(policyOf(text)).toMatch(/script-src 'sha256-[^']+' 'sha256-[^']+' http:\/\/127\.0\.0\.1:9;/);
    const saved = renderPage(eightRanks(), { snapshots: [{ file, gzipBase64: 'AAAA' }], viewer: null });
    expect(saved).not.toContain('data-open>');
    expect(policyOf(saved)).not.toContain('http');
  });

  it('name the device to choose where the process used several, and stand in the order they come in', () => {
    const one = eightRanks();
    const second = { ...one.snapshots[0], file: snapshotFile(made(5123), 2, 1) } as SnapshotReference;
    const box = (devices: number): Manifest => ({
      ...one,
      snapshots: [...one.snapshots, second],
      processes: one.processes.map((p) => ({
        ...p,
        devices: Array.from({ length: devices }, (_, index) => ({ ...(p.devices[0] as Device), index })),
      })),
    });
    const snapshots = [second.file, file].map((name) => ({ file: name, gzipBase64: 'AAAA' }));
    const text = renderPage(box(2), { snapshots });
    expect(text).toContain('choose <strong>GPU 1</strong> in its third box');
    expect(text.indexOf(`data-name="${second.file}"`)).toBeLessThan(text.indexOf(`data-name="${file}"`));
    expect(renderPage(box(1), { snapshots })).not.toContain('in its third box');
  });

  it('are none that the artifact does not hold, and the page says where those are', async () => {
    const dir = join(root, 'withheld');
    mkdirSync(dir);
    const of = made();
    const names = [snapshotFile(of), snapshotFile(of, 2)];
    for (const name of names) writeSnapshot(dir, name, `bytes of ${name}`);
    const evidence = await collect({ dir, step: STEP });
    const left = (file: string) => ({
      file,
      bytes: 1,
      digest: `sha256:${'0'.repeat(64)}`,
      reason: 'over max-upload-size',
    });
    const embedded = await embedSnapshots(evidence, [left(names[0] ?? '')]);
    expect(embedded.map((e) => e.file)).toEqual([names[1]]);

    const one = eightRanks();
    const withheld = { ...one, published: { ...one.published, left_out: [left(file)] } };
    const text = renderPage(withheld, { snapshots: [{ file, gzipBase64: 'AAAA' }] });
    expect(text).not.toContain('id="snapshot-0"');
    expect(text).toContain('not in the artifact: over max-upload-size');
    expect(text).toContain(
      'This page holds no snapshot, nor does the artifact: the file is kept on the runner.',
    );
    expect(text).not.toContain('compressed');
  });

  it('that are large are in the artifact, but for those that are kept on the runner', () => {
    const files = [file, snapshotFile(made(5123), 2, 1)];
    const snapshots = files.map((name, i) => ({
      file: name,
      bytes: 2 ** 30,
      reason: 'oom',
      device: 1,
      seq: i + 1,
    }));
    const both = manifest({ receipts: [failedRank(5123, 1, { snapshots })], exitCode: 1 });
    expect(renderPage(both, { snapshots: [] })).toContain(
      'This page holds no snapshot: they are in the artifact (a page takes 32.00 MiB of them, compressed).',
    );
    const left_out = [{ file, bytes: 1, digest: `sha256:${'0'.repeat(64)}`, reason: 'over max-upload-size' }];
    const some = renderPage({ ...both, published: { ...both.published, left_out } }, { snapshots: [] });
    expect(some).toContain(
      'This page holds no snapshot: 1 is in the artifact (a page takes 32.00 MiB of them, compressed).',
    );
    expect(some).toContain('1 is not in the artifact and kept on the runner.');
  });

  it('are refused when they belong to no snapshot of the manifest or are not base64', () => {
    const odd = [
      { file: 'other.pickle', gzipBase64: 'AAAA' },
      { file, gzipBase64: '</script><script>' },
    ];
    const text = renderPage(eightRanks(), { snapshots: odd });
    expect(text).not.toContain('id="snapshot-0"');
    expect(text).toContain('This page holds no snapshot');
  });
});

it('is not far larger for a thousand processes than what it says about them', () => {
  const template = quietRank(1, 0);
  const receipts = Array.from({ length: 5000 }, (_, i) => ({
    ...template,
    pid: i + 1,
    rank: { RANK: String(i) },
  }));
  const text = renderPage(manifest({ receipts }));
  expect(text.length).toBeLessThan(3_000_000);
  expect(text).toContain('and 3976 more processes, in manifest.json');
});
