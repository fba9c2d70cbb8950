/** A headless Chromium for tests of the page. Where there is none the tests say so and are skipped. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const CANDIDATES = [
  process.env.OA_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

/** Path of a browser, or null. */
export const browserPath = (): string | null =>
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

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: browserPath() ?? '', args: FLAGS });
