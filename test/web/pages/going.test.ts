import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { CHROMIUM } from '../../support/pages/browser.ts';
import { fillTopic, openHall } from '../../support/pages/hall.ts';

const inChromium = test.skipIf(CHROMIUM === null);

const topicHash = (topic: string) => `#narrow/channel/1-general/topic/${topic}`;

/**
 * Goes to an address, and notes what was shown when the messages were asked for, and each state of
 * the page until the messages are there: the heading, whether there are any messages, and whether
 * the right column says who wrote them.
 */
const going = (hash: string, title: string) => `(async () => {
  const asked = [];
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (frame) {
    if (String(frame).includes('/messages"')) asked.push(document.querySelector('h1').textContent);
    return send.call(this, frame);
  };
  let titles = 0;
  const watchTitle = new MutationObserver((records) => { titles += records.length; });
  watchTitle.observe(document.querySelector('title'), { childList: true });
  const states = [];
  const look = () => {
    const some = document.querySelector('.feed article[data-id]') === null ? 'empty' : 'messages';
    const who = document.querySelector('.right .face') === null ? '' : ' by somebody';
    const state = document.querySelector('h1').textContent + ' ' + some + who;
    if (states.at(-1) !== state) states.push(state);
  };
  look();
  const watch = new MutationObserver(look);
  watch.observe(document.body, { childList: true, subtree: true, characterData: true });
  location.hash = ${JSON.stringify(hash)};
  while (states.at(-1) !== ${JSON.stringify(`${title} messages by somebody`)}) {
    await new Promise((done) => requestAnimationFrame(done));
  }
  await new Promise((done) => setTimeout(done, 100));
  watchTitle.disconnect();
  watch.disconnect();
  WebSocket.prototype.send = send;
  return { asked, titles, states };
})()`;

/** Shows a topic of two, as somebody has it who looks at it for a while. */
async function besideAnother(): Promise<Page> {
  const { server, at } = await openHall();
  await fillTopic(server, 'first', 20);
  await fillTopic(server, 'second', 20);
  const { page } = await at(topicHash('first'));
  await page.locator('article[data-id]').first().waitFor();
  await page.getByText('live', { exact: true }).first().waitFor({ state: 'attached' });
  await page.waitForLoadState('networkidle');
  await page.locator('.right .face').first().waitFor();
  return page;
}

/** Has timers of this length never end, so that the server answers in time on any machine. */
const withoutTimers = (ms: number) => `{
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (act, after, ...rest) => after === ${ms} ? 0 : setTimeout(act, after, ...rest);
}`;

/** As in the page: what is shown stays so long while the messages of the next view come. */
const HOLD_MS = 50;

inChromium(
  'messages of another topic are asked for before it is drawn, and it is drawn once, with them',
  async () => {
    const page = await besideAnother();
    await page.evaluate(withoutTimers(HOLD_MS));
    expect(await page.evaluate(going(topicHash('second'), 'second'))).toEqual({
      asked: ['first'],
      titles: 1,
      states: ['first messages by somebody', 'second messages by somebody'],
    });
  },
);

/** Holds back what a socket brings until the page says ‘second’. */
const HELD = `for (const socket of globalThis.sockets) {
  const take = socket.onmessage;
  socket.onmessage = async (event) => {
    while (document.querySelector('h1').textContent !== 'second') {
      await new Promise((done) => setTimeout(done, 10));
    }
    take?.call(socket, event);
  };
}`;

inChromium('where the answer takes long, the topic is shown without its messages', async () => {
  const page = await besideAnother();
  await page.addInitScript(`{
    globalThis.sockets = [];
    globalThis.WebSocket = class extends WebSocket {
      constructor(...how) {
        super(...how);
        sockets.push(this);
      }
    };
  }`);
  await page.reload();
  await page.locator('article[data-id]').first().waitFor();
  await page.getByText('live', { exact: true }).first().waitFor({ state: 'attached' });
  await page.waitForFunction('sockets.length > 0');
  await page.waitForLoadState('networkidle');
  await page.locator('.right .face').first().waitFor();
  await page.evaluate(HELD);
  expect(await page.evaluate(going(topicHash('second'), 'second'))).toEqual({
    asked: ['first'],
    titles: 1,
    states: ['first messages by somebody', 'second empty', 'second messages by somebody'],
  });
});

/**
 * Goes to a loaded topic when nothing changes, and counts the times that are drawn, and what is put
 * beside them.
 */
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
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  // The messages of before are drawn again once they are read.
  for (let still = 0, before = 0; still < 30; still = drawn === before ? still + 1 : 0) {
    before = drawn;
    await frame();
  }
  drawn = 0;
  location.hash = ${JSON.stringify(hash)};
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
