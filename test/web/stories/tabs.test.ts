import { expect, test } from 'vitest';
import { CHROMIUM } from '../../support/pages/browser.ts';
import { expectAsFresh } from '../../support/pages/shown.ts';
import { messageWith, openStory, send, shownTexts, textsIn } from '../../support/pages/story.ts';
import { follow, say } from '../../support/pages/web-client.ts';

const inChromium = test.skipIf(CHROMIUM === null);

const LUNCH = '#narrow/channel/1-general/topic/lunch';

inChromium('two tabs of an account agree about what is read and what is sent', async () => {
  const { server, at, origin } = await openStory();
  const { max } = server.people;
  if (max === undefined) expect.fail('the demo has Max');
  const first = await at('Mel Member');
  const second = { ...first, page: await first.context.newPage() };
  await second.page.goto(origin);
  await second.page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
  for (const text of ['one', 'two', 'three']) await say(server, max, ['general', 'lunch'], text);
  await say(server, max, ['general', 'tea'], 'four');
  for (const { page } of [first, second]) await expect.poll(() => page.title()).toMatch(/^\(4\)/);
  await follow(first.page, LUNCH);
  await messageWith(first.page, 'three').waitFor();
  for (const { page } of [first, second]) await expect.poll(() => page.title()).toMatch(/^\(1\)/);
  await follow(second.page, LUNCH);
  await messageWith(second.page, 'three').waitFor();

  // Both send at once; one tab holds the outbox, and either shows all of it once.
  await Promise.all([
    send(first.page, 'from the first tab'),
    send(second.page, 'from the second tab'),
  ]);
  await expect
    .poll(async () => (await textsIn(server, max, ['general', 'lunch'])).slice(3).sort())
    .toEqual(['from the first tab', 'from the second tab']);
  const all = await textsIn(server, max, ['general', 'lunch']);
  for (const { page } of [first, second]) {
    await expect.poll(() => shownTexts(page)).toEqual(all);
    await expect.poll(() => page.locator('article.pending').count()).toBe(0);
  }

  // A tab that is closed leaves what waits to the other one.
  await first.context.setOffline(true);
  await send(first.page, 'written in a tab that is closed');
  await second.page.locator('article.pending').getByText('written in a tab').waitFor();
  await first.page.close();
  await first.context.setOffline(false);
  await messageWith(second.page, 'written in a tab that is closed').waitFor();
  await expect
    .poll(() => textsIn(server, max, ['general', 'lunch']))
    .toEqual([...all, 'written in a tab that is closed']);
  await expectAsFresh(second, server, first.person);
});

inChromium(
  'logging out ends the session in the other tab, and nothing is left to read',
  async () => {
    const { at, origin } = await openStory();
    const { page, context } = await at('Mel Member');
    const other = await context.newPage();
    await other.goto(`${origin}/${LUNCH}`);
    await other.getByRole('heading', { level: 1, name: 'lunch' }).waitFor();
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    for (const tab of [page, other]) {
      await tab.getByRole('heading', { name: 'Log in' }).waitFor();
      expect(await tab.locator('nav.left').count()).toBe(0);
    }
    expect(await context.cookies()).toEqual([]);
    // The same tab is the next person's, who has nothing of Mel's.
    await other.getByRole('button', { name: 'Max Member' }).click();
    await other.locator('.own').getByText('Max Member').waitFor();
  },
);
