/**
 * The page in headless Chromium: it asks for nothing by itself, is accessible, and hands a snapshot to the viewer byte for byte. The
 * viewer here is a script of ours on loopback with torch's interface. More of it in page-browser.long.test.ts.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Manifest } from '../../src/evidence/manifest.js';
import type { PageOptions } from '../../src/report/page/page.js';
import { browserForTests, describeInBrowser, expectSoon, faults, fullPage, words } from './browser-kit.js';
import { made, random, snapshotFile } from './evidence-kit.js';
import { eightRanks, failedRank, HOSTILE, manifest } from './report-kit.js';

/**
 * Asks of the page what torch's script asks: parts from a second origin and from beside it, a style element of its own (which the
 * policy refuses), style attributes, and room for views that scroll inside of the frame: a drawing with a stack under it, and a
 * history of 2,000 rows beside a stack.
 */
const viewer = (parts: string): string => `
import { rows } from '${parts}/d3.js';
import { label } from './process_alloc_data.js';
const add = (tag, parent, style) => {
  const made = parent.appendChild(document.createElement(tag));
  if (style) made.setAttribute('style', style);
  return made;
};
add('style', document.head).textContent = 'html, body { outline: 3px solid red }';
const controls = add('div', document.body);
for (let i = 0; i < 3; i++) add('select', controls);
const column = 'display: flex; flex-direction: column; flex: 1; min-height: 0';
export function add_local_files(files, view) {
  for (const { name, base64 } of files) {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    if (bytes.length < 10) throw new Error('Unhandled version 5');
    const outer = add('div', document.body, column);
    const drawing = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    drawing.setAttribute('style', 'display: block; flex: 1; min-height: 0; width: 100%');
    outer.append(drawing);
    const both = add('div', outer, 'display: flex; flex: 1; min-height: 0');
    const list = add('div', both, 'flex: 1; overflow: auto');
    for (let i = 0; i < rows; i++) add('pre', list).textContent = label(i);
    const stack = add('div', both, 'flex: 1; overflow: auto');
    stack.id = 'stack';
    const pre = add('pre', stack);
    pre.id = 'got';
    pre.textContent = JSON.stringify({ name, view, bytes: Array.from(bytes) });
    fetch('/stolen?' + bytes.length).catch(() => { pre.dataset.fetch = 'refused'; });
  }
}`;

describeInBrowser('the page in a browser', () => {
  const asked: string[] = [];
  const { folder, open } = browserForTests();
  const servers: Server[] = [];
  let origin = '';
  let parts = '';

  beforeAll(async () => {
    const serve = async (files: () => Readonly<Record<string, string>>): Promise<string> => {
      const server = createServer((request, response) => {
        const text = files()[request.url ?? ''];
        asked.push(request.url ?? '');
        response.setHeader('access-control-allow-origin', '*');
        if (text === undefined) response.writeHead(404).end();
        else response.setHeader('content-type', 'text/javascript').end(text);
      });
      servers.push(server);
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    };
    parts = await serve(() => ({ '/d3.js': 'export const rows = 2000;' }));
    origin = await serve(() => ({
      '/MemoryViz.js': viewer(parts),
      '/process_alloc_data.js': "export const label = (i) => 'alloc ' + i;",
    }));
  });
  afterAll(() => {
    for (const server of servers) server.close();
  });

  it('has no serious accessibility fault', async () => {
    const { page, errors } = await open(fullPage());
    await page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true })");
    expect(await faults(page)).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  }, 60_000);

  it('shows hostile text as text', async () => {
    const { page, errors, requests } = await open(
      manifest({
        receipts: [failedRank(5, 1, { program: HOSTILE, faults: [HOSTILE] })],
        exitCode: 1,
        faults: [HOSTILE],
      }),
    );
    expect(await page.locator('img').count()).toBe(0);
    expect(await words(page.locator('h1'))).toContain('rank 1');
    expect(errors).toEqual([]);
    expect(requests).toHaveLength(1);
    await page.close();
  }, 60_000);

  describe('with a snapshot in it', () => {
    const bytes = random(5).bytes(70_000);
    const sum = createHash('sha256').update(bytes).digest('hex');
    const file = snapshotFile(made(5123), 1, 1);
    const withSnapshot = (digest = sum): Manifest => {
      const m = eightRanks();
      return {
        ...m,
        snapshots: m.snapshots.map((s) => ({ ...s, digest: `sha256:${digest}`, bytes: bytes.length })),
      };
    };
    const options = (
      viewer: PageOptions['viewer'] = { url: `${origin}/MemoryViz.js`, origins: [origin, parts] },
    ): PageOptions => ({
      snapshots: [{ file, gzipBase64: gzipSync(bytes).toString('base64') }],
      viewer,
    });

    it('asks for nothing until the button, then gives the viewer exactly its bytes, which cannot be sent anywhere', async () => {
      asked.length = 0;
      const { page, requests } = await open(withSnapshot(), options());
      await page.mouse.wheel(0, 3000);
      expect(requests).toHaveLength(1);
      expect(asked).toEqual([]);
      await page.locator('[data-open]').click();
      const shown = page.frameLocator('iframe').locator('#got');
      const got = JSON.parse((await shown.textContent({ timeout: 20_000 })) ?? '');
      expect(got).toMatchObject({ name: file, view: 'Active Memory Timeline' });
      expect(createHash('sha256').update(Buffer.from(got.bytes)).digest('hex')).toBe(sum);
      await expectSoon(() => shown.getAttribute('data-fetch').then(String), /^refused$/);
      expect([...asked].sort()).toEqual(['/MemoryViz.js', '/d3.js', '/process_alloc_data.js']);
      await expectSoon(() => words(page.locator('[data-status]')), /sha256 checked/);
      await page.close();
    }, 60_000);

    it.each([1200, 390])(
      'holds all of the viewer in its frame, %s pixels wide',
      async (width) => {
        const { page } = await open(withSnapshot(), options(), 'light', width);
        await page.locator('[data-open]').click();
        await page.frameLocator('iframe').locator('#got').waitFor({ timeout: 20_000 });
        const found = (await page.frames()[1]?.evaluate(`(() => {
        const { top, bottom } = document.getElementById('stack').getBoundingClientRect();
        const root = document.documentElement;
        return { rows: document.querySelectorAll('pre').length, tall: Math.max(root.scrollHeight, document.body.scrollHeight), height: innerHeight, top, bottom };
      })()`)) as { rows: number; tall: number; height: number; top: number; bottom: number };
        expect(found.rows).toBe(2001);
        expect(found.height).toBeGreaterThan(400);
        expect(found.tall).toBe(found.height);
        expect(found.top).toBeGreaterThan(0);
        expect(found.bottom).toBeLessThanOrEqual(found.height);
        expect(found.bottom - found.top).toBeGreaterThan(100);
        await page.close();
      },
      60_000,
    );

    it('tells a snapshot that the viewer cannot read from a viewer that is not there', async () => {
      const short = Buffer.from('short');
      const { page } = await open(withSnapshot(createHash('sha256').update(short).digest('hex')), {
        ...options(),
        snapshots: [{ file, gzipBase64: gzipSync(short).toString('base64') }],
      });
      await page.locator('[data-open]').click();
      await expectSoon(
        () => words(page.locator('[data-status]')),
        /^Failed: the viewer was loaded and could not read the snapshot \(Error: Unhandled version 5\)/,
      );
      await page.close();
    }, 60_000);

    it('saves the same file', async () => {
      const { page } = await open(withSnapshot(), options(null));
      expect(await page.locator('[data-open]').count()).toBe(0);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.locator('[data-save]').click(),
      ]);
      expect(download.suggestedFilename()).toBe(file);
      const path = join(folder, 'saved');
      await download.saveAs(path);
      expect(readFileSync(path)).toEqual(bytes);
      await page.close();
    }, 60_000);

    it('hands on nothing whose digest is not the one of the manifest', async () => {
      asked.length = 0;
      const { page } = await open(withSnapshot('0'.repeat(64)), options());
      await page.locator('[data-open]').click();
      await expectSoon(
        () => words(page.locator('[data-status]')),
        /^Failed: its sha256 is [0-9a-f]{64}, not the one/,
      );
      expect(asked).toEqual([]);
      expect(await page.locator('iframe').count()).toBe(0);
      await page.close();
    }, 60_000);

    it('says what to do when the viewer cannot be had', async () => {
      const { page } = await open(withSnapshot(), options({ url: `${origin}/none.js`, origins: [origin] }));
      await page.locator('[data-open]').click();
      await expectSoon(
        () => words(page.locator('[data-status]')),
        /^Failed: the viewer could not be loaded .*pytorch\.org\/memory_viz/,
      );
      await page.close();
    }, 60_000);
  });
});
