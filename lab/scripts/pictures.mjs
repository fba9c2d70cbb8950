/**
 * Pictures of summaries and pages, to look at and for the README: what `OA_KEEP_STORIES=folder` of the
 * stories left, rendered with a GitHub-flavoured Markdown renderer in GitHub's look, and in headless
 * Chromium; light and dark, wide and phone.
 *
 *   node lab/scripts/pictures.mjs FOLDER [NAME …]
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { chromium } from 'playwright-core';

const BROWSERS = [process.env.OA_CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome'];
const VARIANTS = [
  { name: 'light-wide', colorScheme: 'light', width: 1040 },
  { name: 'dark-wide', colorScheme: 'dark', width: 1040 },
  { name: 'light-phone', colorScheme: 'light', width: 390 },
  { name: 'dark-phone', colorScheme: 'dark', width: 390 },
];

const [folder, ...asked] = process.argv.slice(2);
const executablePath = BROWSERS.find((path) => path && existsSync(path));
if (!folder || !executablePath) {
  console.error(folder ? 'no Chromium here: apt-get install chromium, or set OA_CHROMIUM' : 'which folder?');
  process.exit(1);
}

const look = readFileSync(
  createRequire(import.meta.url).resolve('github-markdown-css/github-markdown.css'),
  'utf8',
);

/** A summary as GitHub shows it. */
function summaryPage(markdown) {
  const body = micromark(markdown, {
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
    allowDangerousHtml: true,
  });
  return `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><style>${look}
:root{color-scheme:light dark}body{margin:0;background:light-dark(#fff,#0d1117)}
.markdown-body{max-width:980px;margin:auto;padding:24px 16px;box-sizing:border-box}</style>
<article class="markdown-body">${body}</article>`;
}

const names = readdirSync(folder)
  .filter((file) => file.endsWith('.md'))
  .map((file) => file.slice(0, -3));
const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
});
for (const name of asked.length > 0 ? asked : names) {
  for (const { name: variant, colorScheme, width } of VARIANTS) {
    const page = await browser.newPage({
      colorScheme,
      viewport: { width, height: 700 },
      deviceScaleFactor: 1.5,
    });
    await page.setContent(summaryPage(readFileSync(join(folder, `${name}.md`), 'utf8')));
    await page.screenshot({ path: join(folder, `${name}-summary-${variant}.png`), fullPage: true });
    const html = join(folder, `${name}.html`);
    if (existsSync(html)) {
      await page.goto(pathToFileURL(html).href);
      await page.screenshot({ path: join(folder, `${name}-page-${variant}.png`), fullPage: true });
    }
    await page.close();
  }
  console.log(name);
}
await browser.close();
