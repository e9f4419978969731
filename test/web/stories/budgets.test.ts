import type { CDPSession, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { CHROMIUM } from '../../support/pages/browser.ts';
import { fillHall, fillTopic, openHall } from '../../support/pages/hall.ts';

const inChromium = test.skipIf(CHROMIUM === null);

const KIB = 1_024;
const say = (words: string) => process.stdout.write(`${words}\n`);

inChromium('a browser loads little, in few requests, before the first message shows', async () => {
  const { server, at } = await openHall();
  await fillTopic(server, 'long', 200);
  for (const [hash, first] of FIRST_VIEWS) {
    const { page } = await at(hash);
    await page.locator(first).first().waitFor();
    const network = await page.context().newCDPSession(page);
    await network.send('Network.enable');
    await network.send('Network.setCacheDisabled', { cacheDisabled: true });
    await page.addInitScript(`(${noteFirst})(${JSON.stringify(first)})`);
    await page.reload();
    await page.locator(first).first().waitFor();
    await page.waitForLoadState('networkidle');
    const { loaded, firstAtMs, shift } = (await page.evaluate(loadedBefore)) as Loaded;
    const total = loaded.reduce((sum, { bytes }) => sum + bytes, 0);
    say(
      `before ${first} of ${hash}: ${loaded.length} files, ${(total / KIB).toFixed(1)} KiB with their heads, ` +
        `after ${firstAtMs.toFixed(0)} ms, moved by ${shift}: ${loaded.map(({ name, bytes }) => `${name} ${bytes}`).join(', ')}`,
    );
    expect(total).toBeLessThanOrEqual(BYTES_BEFORE_MESSAGES);
    expect(loaded.length).toBeLessThanOrEqual(FILES_BEFORE_MESSAGES);
    expect(shift).toBeLessThan(SHIFT_MAX);
  }
});

/** Addresses, and what they show first. */
const FIRST_VIEWS = [
  ['', '.entry-link'],
  ['#narrow/channel/1-general/topic/long', 'article[data-id]'],
] as const;

interface Loaded {
  readonly loaded: readonly { readonly name: string; readonly bytes: number }[];
  readonly firstAtMs: number;
  readonly shift: number;
}

/** Notes when the first element of a selector is there, and how far things moved by themselves. */
const noteFirst = `(selector) => {
  globalThis.shift = 0;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) shift += value;
  }).observe({ type: 'layout-shift', buffered: true });
  const look = new MutationObserver(() => {
    if (document.querySelector(selector) === null) return;
    globalThis.firstAt = performance.now();
    look.disconnect();
  });
  look.observe(document, { childList: true, subtree: true });
}`;

const loadedBefore = `({
  loaded: [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    .filter(({ entryType, name }) => entryType === 'navigation' || /\\.(?:js|css)$/.test(name))
    .filter(({ requestStart }) => requestStart <= firstAt)
    .map(({ name, transferSize }) => ({ name: new URL(name).pathname, bytes: transferSize })),
  firstAtMs: firstAt,
  shift,
})`;

/** Nothing that one sees moves; scroll bars and the like may do so a little. */
const SHIFT_MAX = 0.01;
/** The document, its style, and its script. */
const FILES_BEFORE_MESSAGES = 3;
/** The head of an answer. */
const HEAD_BYTES = 600;
const BYTES_BEFORE_MESSAGES = 45 * KIB + FILES_BEFORE_MESSAGES * HEAD_BYTES;

inChromium('a large organization is told in few bytes, and shown in few elements', async () => {
  const { server, at } = await openHall();
  await fillHall(server, { people: 1_000, channels: 500 });
  await fillTopic(server, 'long', 5_000);
  const { page } = await at('#inbox');
  const answered = page.waitForResponse((response) => response.url().endsWith('/register'));
  await page.reload();
  const reply = await answered;
  const { responseBodySize: packed } = await reply.request().sizes();
  const plain = (await reply.body()).length;
  const coding = await reply.headerValue('content-encoding');
  say(
    `the register reply: ${(plain / KIB).toFixed(0)} KiB, as ${coding} ${(packed / KIB).toFixed(1)} KiB`,
  );
  expect(packed).toBeLessThanOrEqual(60 * KIB);

  await page.evaluate("location.hash = '#narrow/channel/1-general/topic/long'");
  await page.locator('article[data-id]').first().waitFor();
  const network = await page.context().newCDPSession(page);
  await page.evaluate(`globalThis.longest = 0; new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
  }).observe({ entryTypes: ['longtask'] })`);
  const most = { feed: 0, page: 0 };
  const before = await spent(network);
  for (let step = 0; step < STEPS; step += 1) {
    await page.evaluate(
      `new Promise((done) => { document.querySelector('.feed').scrollTop -= 600; requestAnimationFrame(() => setTimeout(done)); })`,
    );
    const now = await elementsOf(page);
    most.feed = Math.max(most.feed, now.feed);
    most.page = Math.max(most.page, now.page);
  }
  const script = ((await spent(network)) - before) / STEPS;
  const longest = await page.evaluate('longest');
  say(
    `elements with 5,000 messages, 500 channels, 1,000 people: ${most.feed} in the feed, ${most.page} in all; ` +
      `${script.toFixed(2)} ms of script a step, longest task ${String(longest)} ms`,
  );
  expect(most.feed).toBeGreaterThan(50);
  expect(most.feed).toBeLessThanOrEqual(600);
  expect(most.page).toBeLessThanOrEqual(ELEMENTS_MAX);
  // The other channels are behind a click, and in the document while they are in sight.
  const left = page.getByRole('navigation', { name: 'Conversations' });
  const lines = left.getByRole('button', { name: /^Topics of/ });
  expect(await lines.count()).toBeLessThan(40);
  const more = left.getByRole('button', { name: /^\d+ more$/ }).first();
  await more.scrollIntoViewIfNeeded();
  await more.click();
  await left.locator('[aria-setsize="501"]').first().waitFor();
  await page.evaluate("document.querySelector('.left-lists').scrollTop = 1e6");
  await left.locator('[aria-posinset="501"]').waitFor();
  expect(await lines.count()).toBeLessThan(40);
});

const STEPS = 60;
/** With the columns beside the feed, which show a part of 500 channels and of 1,000 people. */
const ELEMENTS_MAX = 600;

const elementsOf = (page: Page) =>
  page.evaluate(`({
    feed: document.querySelectorAll('.feed *').length,
    page: document.querySelectorAll('*').length,
  })`) as Promise<{ feed: number; page: number }>;

/** Returns the milliseconds that scripts of the page took until now. */
async function spent(network: CDPSession): Promise<number> {
  await network.send('Performance.enable');
  const { metrics } = await network.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0) * 1_000;
}
