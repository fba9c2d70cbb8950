/** A headless Chromium for tests of the page. Where there is none the tests say so and are skipped. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import type { Manifest } from '../../src/evidence/manifest.js';
import { type PageOptions, renderPage } from '../../src/report/page/page.js';
import { cyclesOf, failedRank, manifest, quietRank } from './report-kit.js';

const CANDIDATES = [
  process.env.OA_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

/** Path of a browser, or null. */
const browserPath = (): string | null =>
  CANDIDATES.find((path) => path !== undefined && existsSync(path)) ?? null;

/** No background traffic: a test counts requests. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const describeInBrowser = browserPath() === null ? describe.skip : describe;
if (browserPath() === null)
  console.warn('skipped: no Chromium here (Debian: apt-get install chromium; or set OA_CHROMIUM)');

/** Starts a browser before the tests of a block and ends it after them. */
export function browserForTests() {
  const folder = mkdtempSync(join(tmpdir(), 'oa-page-'));
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: browserPath() ?? '', args: FLAGS });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
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
  return { folder, open };
}

export const timeline = (points: number) => ({
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

/** Serious faults of accessibility, by axe. */
export async function faults(page: Page): Promise<readonly string[]> {
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

/** A page with something in every section. */
export const fullPage = (): Manifest => {
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

export const words = async (locator: Locator): Promise<string> => (await locator.textContent()) ?? '';

/** Waits, as long as the test may take, until `read` gives a text like `wanted`. */
export async function expectSoon(read: () => Promise<string>, wanted: RegExp): Promise<void> {
  for (let i = 0; i < 200; i++) {
    if (wanted.test(await read())) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  expect(await read()).toMatch(wanted);
}
