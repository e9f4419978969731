import { expect } from 'vitest';
import { openProxy } from '../../support/client-library/cutting-proxy.ts';
import { inBrowsers } from '../../support/pages/in-browsers.ts';
import {
  composeField,
  messageWith,
  type Participant,
  type Story,
  send,
  shownTexts,
  textsIn,
} from '../../support/pages/story.ts';
import { say } from '../../support/pages/web-client.ts';

const TOPIC = ['general', 'lunch'] as const;
const LUNCH = '#narrow/channel/1-general/topic/lunch';

inBrowsers('two tabs agree about what is read, begun and sent', async (story) => {
  const { server, at } = story;
  const max = server.people['max'] ?? expect.fail('the demo has Max');
  const proxy = await openProxy(() => server.port());
  const url = proxy.url.replace('127.0.0.1', 'localhost');
  const first = await at('Mel Member', { url });
  const second = await furtherTab(story, first, url);
  for (const text of ['one', 'two', 'three']) await say(server, max, TOPIC, text);
  await say(server, max, ['general', 'tea'], 'four');
  for (const { page } of [first, second]) await expect.poll(() => page.title()).toMatch(/^\(4\)/);
  // A message that one tab reads is read in the other at once.
  await toLunch(first);
  for (const { page } of [first, second]) await expect.poll(() => page.title()).toMatch(/^\(1\)/);
  await toLunch(second);

  // A text that is begun in one tab is there in the other one, and is gone when it is sent.
  await first.page.bringToFront();
  await first.hand.type(composeField(first.page), 'half a thought');
  await expect.poll(() => composeField(second.page).inputValue()).toBe('half a thought');
  await first.page.keyboard.press('Control+Enter');
  await expect.poll(() => composeField(second.page).inputValue()).toBe('');
  await sendAtOnce(story, [first, second]);

  // A message that waits in one tab waits in the other; one of them sends it in the end.
  proxy.close(true);
  proxy.cut();
  await first.context.setOffline(true);
  await first.page.bringToFront();
  await send(first, 'written in a tab that is closed');
  await second.page.locator('article.pending').getByText('written in a tab').waitFor();
  await second.page.bringToFront();
  await send(second, 'written in the other tab');
  await first.page.close();
  proxy.close(false);
  await first.context.setOffline(false);
  const sent = ['written in a tab that is closed', 'written in the other tab'];
  const after = async () => (await textsIn(server, max, TOPIC)).slice(6);
  await expect.poll(after).toEqual(sent);
  for (const text of sent) await messageWith(second.page, text).waitFor();
  await second.page.locator('article.pending').waitFor({ state: 'detached' });
  expect(await after()).toEqual(sent);
});

async function furtherTab({ participants }: Story, { tab, person }: Participant, url: string) {
  const second = { ...(await tab(url)), person };
  await second.page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
  participants.push(second);
  return second;
}

async function toLunch({ page, hand }: Participant): Promise<void> {
  await page.bringToFront();
  await hand.goTo('lunch');
  await messageWith(page, 'three').waitFor();
}

/** Both tabs send; one holds the outbox, and either shows all of it once. */
async function sendAtOnce({ server }: Story, tabs: readonly Participant[]): Promise<void> {
  const [{ person } = expect.fail('there are tabs')] = tabs;
  await Promise.all(tabs.map((tab, index) => send(tab, `from tab ${index}`)));
  const all = async () => await textsIn(server, person, TOPIC);
  await expect
    .poll(async () => (await all()).slice(4).toSorted())
    .toEqual(['from tab 0', 'from tab 1']);
  const texts = await all();
  for (const { page } of tabs) {
    await expect.poll(() => shownTexts(page)).toEqual(texts);
    await expect.poll(() => page.locator('article.pending').count()).toBe(0);
  }
}

inBrowsers(
  'logging out ends the session in the other tab, and nothing is left to read',
  async (story) => {
    const { at, origin, participants, server } = story;
    const max = server.people['max'] ?? expect.fail('the demo has Max');
    await say(server, max, TOPIC, 'Soup?');
    const { page, context, hand, tab } = await at('Mel Member');
    const other = await tab(`${origin}/${LUNCH}`);
    await other.page.getByRole('heading', { level: 1, name: 'lunch' }).waitFor();
    await page.bringToFront();
    await hand.press(page.getByRole('button', { name: 'Menu' }));
    await hand.select(page.getByRole('menuitem', { name: 'Log out' }));
    for (const one of [page, other.page]) {
      await one.getByRole('heading', { name: 'Log in' }).waitFor();
      expect(await one.locator('nav.left').count()).toBe(0);
    }
    expect(await context.cookies()).toEqual([]);
    // The same tab is the next person's, who has nothing of Mel's.
    await other.page.bringToFront();
    await other.hand.press(other.page.getByRole('button', { name: 'Max Member' }));
    await other.page.locator('.own').getByText('Max Member').waitFor();
    participants.splice(0, 1, { ...other, person: max });
  },
);
