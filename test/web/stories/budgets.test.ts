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
  const { page } = await at('#narrow/channel/1-general/topic/long');
  await page.locator('article[data-id]').first().waitFor();
  const loaded: { name: string; bytes: number }[] = [];
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  await network.send('Network.setCacheDisabled', { cacheDisabled: true });
  const names = new Map<string, string>();
  network.on('Network.responseReceived', ({ requestId, response, type }) => {
    if (['Document', 'Script', 'Stylesheet'].includes(type)) {
      names.set(requestId, new URL(response.url).pathname);
    }
  });
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const name = names.get(requestId);
    if (name !== undefined) loaded.push({ name, bytes: encodedDataLength });
  });
  const before = await spent(network);
  await page.reload();
  await page.locator('article[data-id]').first().waitFor();
  const script = (await spent(network)) - before;
  const total = loaded.reduce((sum, { bytes }) => sum + bytes, 0);
  say(
    `before the first message: ${loaded.length} files, ${(total / KIB).toFixed(1)} KiB with their heads, ` +
      `${script.toFixed(0)} ms of script: ${loaded.map(({ name, bytes }) => `${name} ${bytes}`).join(', ')}`,
  );
  expect(total).toBeLessThanOrEqual(BYTES_BEFORE_MESSAGES);
  expect(loaded.length).toBeLessThanOrEqual(FILES_BEFORE_MESSAGES);
});

/** The document, its style, its script, and the part with the messages. */
const FILES_BEFORE_MESSAGES = 4;
/** The head of an answer. */
const HEAD_BYTES = 600;
/** The first load, and the part with the messages, which is on its way at the same time. */
const BYTES_BEFORE_MESSAGES = (45 + 25) * KIB + FILES_BEFORE_MESSAGES * HEAD_BYTES;

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
  // The other channels are behind a click.
  const left = page.getByRole('navigation', { name: 'Conversations' });
  const lines = left.getByRole('button', { name: /^Topics of/ });
  expect(await lines.count()).toBeLessThan(40);
  await left
    .getByRole('button', { name: /^\d+ more$/ })
    .first()
    .click();
  await expect.poll(() => lines.count()).toBe(501);
});

const STEPS = 60;
/** With the columns beside the feed, which show a part of 500 channels and of 1,000 people. */
const ELEMENTS_MAX = 1_200;

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
