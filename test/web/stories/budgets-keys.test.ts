import { expect, test } from 'vitest';
import { drawn, openPage, readerOf } from '../../../bench/web/browser.ts';
import { CHROMIUM, openOne } from '../../support/pages/browser.ts';

const inChromium = test.skipIf(CHROMIUM === null);

/** A field at the lower edge, as the one for messages is; nothing else changes. */
const PAGE = `<!doctype html><body style="margin: 0">
  <textarea aria-label="Message" style="position: absolute; bottom: 0; height: 40px"></textarea>`;

inChromium('the browser tells when a key in the field at the lower edge was painted', async () => {
  const browser = await openOne();
  const page = await openPage(browser);
  await readerOf(page, 'about:blank');
  await page.setContent(PAGE);
  expect(await page.evaluate('[innerWidth, innerHeight]')).toEqual([1280, 800]);
  await page.evaluate(`{
    globalThis.painted = [];
    new PerformanceObserver((list) => {
      for (const { name } of list.getEntries()) painted.push(name);
    }).observe({ type: 'event', durationThreshold: 16 });
    // Keys that take no time are not told of.
    addEventListener('keydown', () => {
      for (const from = performance.now(); performance.now() < from + 40; ) void 0;
    });
  }`);
  await page.getByRole('textbox', { name: 'Message' }).focus();
  await drawn({ page });
  await page.keyboard.press('a');
  // In a window that is too low, nothing is told until something above its edge changes.
  await page.waitForFunction(`painted.includes('keydown')`);
});
