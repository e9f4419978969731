import { expect } from 'vitest';
import { inBrowsersAt } from '../../support/pages/in-browsers.ts';
import {
  messageWith,
  type Participant,
  send,
  shownTexts,
  textsIn,
} from '../../support/pages/story.ts';
import { say } from '../../support/pages/web-client.ts';
import { startProcess } from '../../support/processes/start-process.ts';

const LUNCH = ['general', 'lunch'] as const;

const numbered = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => `message ${from + index}`);

const stateOf = ({ page }: Participant) => page.locator('.own').getByRole('status');

/** Notes all that the state of the connection says: some of it stays for two seconds only. */
const NOTE = `(() => {
  const status = document.querySelector('.own [role=status]');
  globalThis.said = [];
  new MutationObserver(() => said.push(status.textContent))
    .observe(status, { childList: true, characterData: true, subtree: true });
})()`;

inBrowsersAt(
  startProcess,
  'a server that is killed while one sends and one reads loses and doubles nothing',
  async (story) => {
    const { server, at } = story;
    const mel = await at('Mel Member');
    const max = await at('Max Member');
    await say(server, max.person, LUNCH, 'message 0');
    for (const one of [mel, max]) {
      await one.hand.goTo('lunch');
      await one.page.getByRole('heading', { level: 1, name: 'lunch' }).waitFor();
      await messageWith(one.page, 'message 0').waitFor();
    }
    await max.page.evaluate(NOTE);
    for (const text of numbered(1, 5)) await send(mel, text);
    // The kill comes while messages are on their way, and more are written to no server.
    const ended = server.end('SIGKILL');
    for (const text of numbered(6, 3)) await send(mel, text);
    await ended;
    await stateOf(mel)
      .getByText(/reconnecting.*waiting/)
      .waitFor();
    await stateOf(max)
      .getByText(/reconnecting/)
      .waitFor();
    for (const text of numbered(9, 2)) await send(mel, text);
    await mel.page.locator('article.pending').getByText('message 10').waitFor();
    await server.start();
    for (const one of [mel, max]) await retries(one);
    await expect
      .poll(() => max.page.evaluate("said.includes('caught up, nothing missed')"))
      .toBe(true);
    await expect.poll(() => textsIn(server, max.person, LUNCH)).toEqual(numbered(0, 11));
    for (const one of [mel, max]) {
      await expect.poll(() => shownTexts(one.page)).toEqual(numbered(0, 11));
      await one.page.locator('article.pending').waitFor({ state: 'detached' });
      await stateOf(one).getByText('live', { exact: true }).waitFor();
    }
    expect(await max.page.evaluate("said.includes('started anew')")).toBe(false);
  },
);

/** It might wait by itself; who looks at the page asks it to try now. */
async function retries({ page, hand }: Participant): Promise<void> {
  const retry = page.locator('.own').getByRole('button', { name: 'Retry' });
  if (await retry.isVisible()) await hand.press(retry).catch(() => undefined);
}
