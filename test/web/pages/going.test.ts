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
