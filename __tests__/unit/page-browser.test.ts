/**
 * The page in headless Chromium: it asks for nothing by itself, is accessible, stays responsive with a lot in it, and hands a snapshot to the
 * viewer byte for byte. The viewer here is a script of ours on loopback with torch's interface.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import type { Manifest } from '../../src/evidence/manifest.js';
import { type PageOptions, renderPage } from '../../src/report/page.js';
import { browserPath, startBrowser } from './browser-kit.js';
import { made, random, snapshotFile } from './evidence-kit.js';
import { cyclesOf, eightRanks, failedRank, HOSTILE, manifest, quietRank } from './report-kit.js';

const here = browserPath() === null ? describe.skip : describe;
if (browserPath() === null)
  console.warn('skipped: no Chromium here (Debian: apt-get install chromium; or set OA_CHROMIUM)');

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

here('the page in a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'oa-page-'));
  const asked: string[] = [];
  let browser: Browser;
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
    browser = await startBrowser();
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Opens a page from disk and keeps what it asks for and what goes wrong in it. */
  async function open(
    m: Manifest,
    options: PageOptions = {},
    scheme: 'light' | 'dark' = 'light',
    width = 1200,
  ) {
    const file = join(folder, `${Math.random().toString(36).slice(2)}.html`);
    writeFileSync(file, renderPage(m, options));
    const page = await browser.newPage({ colorScheme: scheme, viewport: { width, height: 900 } });
    const requests: string[] = [];
    const errors: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    page.on('dialog', (dialog) => {
      errors.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.goto(pathToFileURL(file).href);
    return { page, requests, errors };
  }

  const timeline = (points: number) => ({
    state: 'done',
    reason: null,
    mode: 'operations',
    steps: 3,
    blind: [],
    devices: [
      {
        device: 'cuda:0',
        points: Array.from({ length: points }, (_, i) => ({
          bytes: 3000 + i,
          step: 1 + Math.floor((3 * i) / points),
          phase: i % 2 ? 'forward' : 'backward',
          by_category: { parameter: 1000, gradient: 500, activation: 1500 + i },
        })),
      },
    ],
  });

  async function faults(page: Page): Promise<readonly string[]> {
    const source = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
    // The page's own policy keeps foreign scripts out, so axe comes in through the debugger.
    await page.evaluate(readFileSync(source, 'utf8'));
    const result = await page.evaluate("axe.run(document, { resultTypes: ['violations'] })");
    const { violations } = result as {
      violations: { id: string; impact: string; nodes: { html: string }[] }[];
    };
    return violations
      .filter((v) => v.impact === 'serious' || v.impact === 'critical')
      .map((v) => `${v.id}: ${v.nodes[0]?.html}`);
  }

  const full = (): Manifest => {
    const cycles = cyclesOf({
      types: [
        { name: 'app.Trainer', count: 1 },
        { name: 'function', count: 1 },
        { name: 'cell', count: 1 },
      ],
      frames: [{ file: '/w/a.py', line: 1, function: 'f', count: 1 }],
    });
    return manifest({
      receipts: [
        failedRank(5123, 1, { timeline: timeline(300), cycles }),
        failedRank(5124, 2),
        quietRank(6, 0),
      ],
      exitCode: 1,
      notSeen: ['1 process not recorded'],
    });
  };

  it.each(['light', 'dark'] as const)(
    'has no serious accessibility fault in %s',
    async (scheme) => {
      const { page, errors } = await open(full(), {}, scheme);
      await page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true })");
      expect(await faults(page)).toEqual([]);
      expect(errors).toEqual([]);
      await page.close();
    },
    60_000,
  );

  it('does not scroll sideways on a phone', async () => {
    const { page } = await open(full(), {}, 'light', 390);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.close();
  }, 60_000);

  it('opens with 64 ranks and 100,000 points and follows the keys', async () => {
    const receipts = Array.from({ length: 64 }, (_, rank) =>
      quietRank(1000 + rank, rank, { timeline: timeline(1563) }),
    );
    const { page, errors } = await open(manifest({ receipts }));
    const told = () => words(page.locator('#timeline-readout'));
    await page.locator('#timeline-select').selectOption('63');
    await page.locator('#timeline-canvas').focus();
    await page.keyboard.press('Home');
    await expectSoon(told, /^step 1, .*: 2\.93 KiB = parameter 1000 B \+ gradient 500 B/);
    await page.keyboard.press('End');
    await expectSoon(told, /^step 3, /);
    expect(await page.locator('#timeline-canvas').getAttribute('aria-valuetext')).toMatch(/^step 3/);
    const box = await page.locator('#timeline-canvas').boundingBox();
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + 50);
    await expectSoon(told, /^step 2, /);
    // Drawn, not blank: the middle of the bottom edge has the colour of the lowest category.
    const pixel = await page.evaluate(
      "(() => { const c = document.getElementById('timeline-canvas'); return Array.from(c.getContext('2d').getImageData(c.width / 2, c.height * .85, 1, 1).data) })()",
    );
    expect(pixel).not.toEqual([255, 255, 255, 255]);
    expect(errors).toEqual([]);
    await page.close();
  }, 60_000);

  it('opens what is folded before it prints', async () => {
    const { page } = await open(full());
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await page.locator('details:not([open])').count()).toBe(0);
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

const words = async (locator: Locator): Promise<string> => (await locator.textContent()) ?? '';

/** Waits, as long as the test may take, until `read` gives a text like `wanted`. */
async function expectSoon(read: () => Promise<string>, wanted: RegExp): Promise<void> {
  for (let i = 0; i < 200; i++) {
    if (wanted.test(await read())) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  expect(await read()).toMatch(wanted);
}
