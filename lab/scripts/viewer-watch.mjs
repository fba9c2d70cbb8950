/**
 * Does torch's own viewer, as it stands on torch's main, still open what we hand to it? Takes what `npm run demo` has left (or
 * a folder with a page and a snapshot), opens the snapshot by hand and by the page's button in headless Chromium, and prints
 * one line, `found=` and a JSON list of what does not hold. Wants the network: no copy of the viewer is kept here.
 *
 *   node lab/scripts/viewer-watch.mjs [FOLDER] [--viewer FOLDER]
 *
 * --viewer takes the viewer's scripts, by their file names, from a folder in place of the network.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ROOT, runMain, say, Unmet } from './lib.mjs';

const VIEWER = 'https://cdn.jsdelivr.net/gh/pytorch/pytorch@main/torch/utils/viz/MemoryViz.js';
const CHROMIUM = [process.env.OA_CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome'];
/** The slowest of the viewer's parts comes from a CDN that builds it when it is first asked for. */
const PATIENCE = 60_000;

/** The page and the snapshot below a folder, the newest of each. */
function material(folder) {
  const files = readdirSync(folder, { recursive: true }).map((name) => join(folder, name));
  const newest = (ending) =>
    files
      .filter((name) => name.endsWith(ending))
      .sort()
      .at(-1);
  const [page, snapshot] = [newest('report.html'), newest('.pickle')];
  if (!page || !snapshot)
    throw new Unmet(`${folder} holds no page with a snapshot: run \`npm run demo\` first`);
  return { page, snapshot };
}

/** Answers the viewer's addresses from a folder: `d3-axis.js` for `https://…/d3-axis@1`. */
function fromFolder(folder) {
  return async (route) => {
    const name = basename(new URL(route.request().url()).pathname).replace(/@[\d.]+$/, '');
    const path = join(folder, name.endsWith('.js') ? name : `${name}.js`);
    const headers = { 'access-control-allow-origin': '*' };
    if (!existsSync(path)) return route.fulfill({ status: 404, headers, body: '' });
    return route.fulfill({ contentType: 'text/javascript', headers, body: readFileSync(path) });
  };
}

/** What a person sees of a snapshot: its bands, and the out-of-memory in the list of events. */
async function look(frame, how, found) {
  const shown = async (what, locator) => {
    const there = await locator
      .first()
      .waitFor({ state: 'attached', timeout: PATIENCE })
      .then(
        () => true,
        () => false,
      );
    if (!there) found.push(`${how}: ${what}`);
    return there;
  };
  if (!(await shown('the timeline has no bands', frame.locator('svg path, svg polygon, svg rect')))) return;
  const view = frame.locator('select').filter({ hasText: 'Allocator State History' });
  if (!(await shown('there is no view "Allocator State History"', view))) return;
  await view.first().selectOption('Allocator State History');
  if (
    await shown(
      'the list of events names no out-of-memory',
      frame.locator('pre', { hasText: /^OOM \(requested/ }),
    )
  ) {
    const event = frame.locator('pre', { hasText: /^OOM \(requested/ }).first();
    const box = await event.scrollIntoViewIfNeeded({ timeout: 5000 }).then(
      () => event.boundingBox(),
      () => null,
    );
    if (box === null || box.height === 0)
      found.push(`${how}: the out-of-memory cannot be seen in the list of events`);
    // Its list scrolls by itself; a document that does not fit shows no picture and no stack beside it.
    const tall = await frame
      .locator('html')
      .first()
      .evaluate((page) => page.scrollHeight);
    if (tall > 2000) found.push(`${how}: the view is ${tall} px tall`);
  }
}

await runMain(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { viewer: { type: 'string' } },
  });
  const { page: report, snapshot } = material(positionals[0] ?? join(ROOT, '.demo'));
  const { chromium } = await import('playwright-core');
  const executablePath = CHROMIUM.find((path) => path && existsSync(path));
  const browser = await chromium.launch({
    args: ['--no-sandbox'],
    ...(executablePath ? { executablePath } : {}),
  });
  const found = [];
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    if (values.viewer) await context.route(/^https:\/\/cdn\./, fromFolder(values.viewer));
    const watched = async (how, act) => {
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE);
      page.on('pageerror', (error) => found.push(`${how}: ${error.message.slice(0, 200)}`));
      try {
        await act(page);
      } catch (error) {
        found.push(`${how}: ${String(error.message).split('\n')[0].slice(0, 200)}`);
      }
      await page.close();
      say(`${how}: looked`);
    };
    await watched('by hand', async (page) => {
      const html = `<!doctype html><body><script type="module" src="${VIEWER}"></script></body>`;
      await page.route('https://viewer.invalid/', (route) =>
        route.fulfill({ contentType: 'text/html', body: html }),
      );
      await page.goto('https://viewer.invalid/');
      await page.locator('select').first().waitFor({ state: 'attached' });
      const base64 = readFileSync(snapshot).toString('base64');
      await page.evaluate(
        ([name, text]) => {
          const files = new DataTransfer();
          files.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name));
          document.body.dispatchEvent(
            new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true }),
          );
        },
        [basename(snapshot), base64],
      );
      await look(page, 'by hand', found);
    });
    await watched("by the page's button", async (page) => {
      await page.goto(pathToFileURL(report).href);
      const button = page.getByRole('button', { name: "Open in torch's viewer" }).first();
      await button.scrollIntoViewIfNeeded();
      await button.click();
      const before = found.length;
      const frame = page.frameLocator('iframe[title^="Memory viewer"]').first();
      await look(frame, "by the page's button", found);
      const status = await page.locator('[data-status]').first().textContent();
      if (found.length > before) found.push(`by the page's button: the page says "${status.slice(0, 200)}"`);
    });
  } finally {
    await browser.close();
  }
  console.log(`found=${JSON.stringify([...new Set(found)])}`);
  return 0;
});
