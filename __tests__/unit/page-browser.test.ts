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

const VIEWER = `
const kept = [];
export function add_local_files(files, view) {
  for (const { name, base64 } of files) {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    document.body.setAttribute('style', 'color: rgb(1, 2, 3)');
    const pre = document.createElement('pre');
    pre.textContent = JSON.stringify({ name, view, bytes: Array.from(bytes) });
    document.body.append(pre);
    fetch('/stolen?' + bytes.length).catch(() => { pre.dataset.fetch = 'refused'; });
  }
}`;

describeInBrowser('the page in a browser', () => {
  const asked: string[] = [];
  const { folder, open } = browserForTests();
  let server: Server;
  let origin = '';

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.setHeader('access-control-allow-origin', '*');
      if (request.url === '/MemoryViz.js') response.setHeader('content-type', 'text/javascript').end(VIEWER);
      else response.writeHead(404).end();
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server?.close());

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
      viewer: PageOptions['viewer'] = { url: `${origin}/MemoryViz.js`, origins: [origin] },
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
      const shown = page.frameLocator('iframe').locator('pre');
      const got = JSON.parse((await shown.textContent({ timeout: 20_000 })) ?? '');
      expect(got).toMatchObject({ name: file, view: 'Active Memory Timeline' });
      expect(createHash('sha256').update(Buffer.from(got.bytes)).digest('hex')).toBe(sum);
      await expectSoon(() => shown.getAttribute('data-fetch').then(String), /^refused$/);
      expect(asked).toEqual(['/MemoryViz.js']);
      await expectSoon(() => words(page.locator('[data-status]')), /sha256 checked/);
      // The viewer lays itself out with style attributes, as torch's does.
      const color = await page.frames()[1]?.evaluate('getComputedStyle(document.body).color');
      expect(color).toBe('rgb(1, 2, 3)');
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
