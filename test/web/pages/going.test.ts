import { expect, test } from 'vitest';
import { CHROMIUM } from '../../support/pages/browser.ts';
import { fillTopic, openHall } from '../../support/pages/hall.ts';

const inChromium = test.skipIf(CHROMIUM === null);

const topicHash = (topic: string) => `#narrow/channel/1-general/topic/${topic}`;

/** Goes to an address, and notes what is asked for and drawn until the browser has told of it. */
const going = (hash: string) => `(async () => {
  const asked = [];
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (frame) {
    if (String(frame).includes('/messages"')) asked.push(document.querySelector('h1').textContent);
    return send.call(this, frame);
  };
  let titles = 0;
  const watch = new MutationObserver((records) => { titles += records.length; });
  watch.observe(document.querySelector('title'), { childList: true });
  const told = new Promise((done) => addEventListener('hashchange', () => setTimeout(done), { once: true }));
  location.hash = ${JSON.stringify(hash)};
  await told;
  watch.disconnect();
  WebSocket.prototype.send = send;
  return { asked, titles };
})()`;

inChromium(
  'messages of another topic are asked for before it is drawn, and both once',
  async () => {
    const { server, at } = await openHall();
    await fillTopic(server, 'first', 20);
    await fillTopic(server, 'second', 20);
    const { page } = await at(topicHash('first'));
    await page.locator('article[data-id]').first().waitFor();
    await page.getByText('live', { exact: true }).first().waitFor({ state: 'attached' });
    await page.waitForLoadState('networkidle');
    expect(await page.evaluate(going(topicHash('second')))).toEqual({
      asked: ['first'],
      titles: 1,
    });
    await expect.poll(() => page.locator('h1').textContent()).toBe('second');
    await page.locator('article[data-id]').first().waitFor();
  },
);

/** Goes to a loaded topic, and counts the times that are drawn, and what is put beside them. */
const comingBack = (hash: string) => `(async () => {
  const { toISOString } = Date.prototype;
  let drawn = 0;
  Date.prototype.toISOString = function () {
    drawn += 1;
    return toISOString.call(this);
  };
  const added = [];
  const watch = new MutationObserver((records) => {
    for (const { addedNodes } of records) {
      for (const node of addedNodes) if (node instanceof Element) added.push(node.className);
    }
  });
  watch.observe(document.querySelector('.compose'), { childList: true, subtree: true });
  location.hash = ${JSON.stringify(hash)};
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  while (document.querySelector('h1').textContent !== 'first') await frame();
  await frame();
  await frame();
  watch.disconnect();
  Date.prototype.toISOString = toISOString;
  return { drawn, times: document.querySelectorAll('.feed time').length, added };
})()`;

inChromium(
  'a topic that is loaded is drawn once, and no field for the place of before',
  async () => {
    const { server, at } = await openHall();
    await fillTopic(server, 'first', 8);
    await fillTopic(server, 'second', 8);
    const { page } = await at(topicHash('first'));
    await page.locator('.compose:not([aria-busy])').waitFor();
    await page.evaluate(`location.hash = ${JSON.stringify(topicHash('second'))}`);
    await expect.poll(() => page.locator('h1').textContent()).toBe('second');
    await page.locator('article[data-id]').first().waitFor();
    const { drawn, times, added } = (await page.evaluate(comingBack(topicHash('first')))) as {
      drawn: number;
      times: number;
      added: readonly string[];
    };
    expect(times).toBeGreaterThan(1);
    expect(drawn).toBe(times);
    expect(added).toEqual([]);
  },
);
