/** The page in headless Chromium, continued: in the dark, on a phone, on paper, and with a lot in it. */
import { expect, it } from '@jest/globals';
import {
  browserForTests,
  describeInBrowser,
  expectSoon,
  faults,
  fullPage,
  timeline,
  words,
} from './browser-kit.js';
import { manifest, quietRank } from './report-kit.js';

describeInBrowser('the page in a browser', () => {
  const { open } = browserForTests();

  it('has no serious accessibility fault in the dark', async () => {
    const { page, errors } = await open(fullPage(), {}, 'dark');
    await page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true })");
    expect(await faults(page)).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  }, 60_000);

  it('does not scroll sideways on a phone', async () => {
    const { page } = await open(fullPage(), {}, 'light', 390);
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
    const { page } = await open(fullPage());
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await page.locator('details:not([open])').count()).toBe(0);
    await page.close();
  }, 60_000);
});
