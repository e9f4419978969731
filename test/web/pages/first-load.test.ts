import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findingsOn } from '../../support/pages/accessibility.ts';
import { CHROMIUM } from '../../support/pages/browser.ts';
import { follow, loggedIn, say } from '../../support/pages/web-client.ts';

const inChromium = test.skipIf(CHROMIUM === null);

const LUNCH = '#narrow/channel/1-general/topic/lunch';
const field = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });

/** Holds back parts of the page by their names; returns what lets them come. */
async function heldBack(page: Page, parts: RegExp): Promise<() => void> {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(parts, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

inChromium(
  'what is typed and sent before the field is loaded is sent, and the rest stays',
  async () => {
    const { page, server, people, faults } = await loggedIn('Mel Member');
    await say(server, people.max, ['general', 'lunch'], 'Soup?');
    await follow(page, LUNCH);
    const release = await heldBack(page, /\/assets\/(?:writing|beside)-/);
    await page.reload();
    await page.getByRole('article').getByText('Soup?').waitFor();
    expect(await page.locator('.compose').getAttribute('aria-busy')).toBe('true');
    expect(await findingsOn(page)).toEqual([]);
    const heightOf = () => page.evaluate("document.querySelector('.compose').offsetHeight");
    const before = await heightOf();
    await field(page).click();
    await page.keyboard.type('Yes, soup');
    await page.keyboard.press('Control+Enter');
    expect(await field(page).inputValue()).toBe('');
    await page.keyboard.type('And bred?');
    for (let count = 0; count < 2; count++) await page.keyboard.press('ArrowLeft');
    release();
    await page.locator('.compose:not([aria-busy])').waitFor();
    // The focus and the cursor are where they were.
    await page.keyboard.type('a');
    expect(await field(page).inputValue()).toBe('And bread?');
    expect(await heightOf()).toBe(before);
    await page.getByRole('article').getByText('Yes, soup').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('article').getByText('And bread?').waitFor();
    expect(await page.getByRole('article').filter({ hasText: 'Yes, soup' }).count()).toBe(1);
    expect(faults).toEqual([]);
  },
);

inChromium('a search that is typed before the field is loaded is done', async () => {
  const { page, server, people } = await loggedIn('Mel Member');
  await say(server, people.max, ['general', 'lunch'], 'Soup at noon');
  const release = await heldBack(page, /\/assets\/beside-/);
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
  await page.getByRole('combobox', { name: 'Search' }).click();
  await page.keyboard.type('noon');
  await page.keyboard.press('Enter');
  release();
  await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor();
  await page.getByRole('article').getByText('Soup at noon').waitFor();
});

inChromium('a part that cannot be loaded at first comes later, and events with it', async () => {
  const { page, server, people } = await loggedIn('Mel Member');
  let refused = 0;
  await page.route(/\/assets\/following-/, async (route) => {
    refused += 1;
    await (refused > 2 ? route.continue() : route.abort());
  });
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
  await expect.poll(() => refused).toBeGreaterThan(1);
  await say(server, people.max, ['general', 'lunch'], 'Soup at noon');
  await page.getByRole('main').getByRole('link', { name: 'lunch 1 unread' }).waitFor();
});
