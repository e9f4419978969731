import { expect, test } from 'vitest';
import { CHROMIUM } from '../../support/pages/browser.ts';
import { expectAsFresh } from '../../support/pages/shown.ts';
import { messageWith, openStory, send, shownTexts, textsIn } from '../../support/pages/story.ts';
import { follow, say } from '../../support/pages/web-client.ts';

const inChromium = test.skipIf(CHROMIUM === null);

const LUNCH = '#narrow/channel/1-general/topic/lunch';
const numbered = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => `message ${from + index}`);

inChromium(
  'a server that is killed while one sends and one reads loses and doubles nothing',
  async () => {
    const { server, at } = await openStory();
    const mel = await at('Mel Member');
    const max = await at('Max Member');
    for (const { page } of [mel, max]) {
      await follow(page, LUNCH);
      await page.getByRole('heading', { level: 1, name: 'lunch' }).waitFor();
    }
    const stateOf = ({ page }: typeof mel) => page.locator('.own').getByRole('status');
    // Max notes all that the state of the connection says: it stays for two seconds only.
    await max.page.evaluate(`(() => {
    const status = document.querySelector('.own [role=status]');
    globalThis.said = [];
    new MutationObserver(() => said.push(status.textContent))
      .observe(status, { childList: true, characterData: true, subtree: true });
  })()`);
    for (const text of numbered(1, 5)) await send(mel.page, text);
    // The kill comes while messages are on their way, and more are written to no server.
    const ended = server.end('SIGKILL');
    for (const text of numbered(6, 5)) await send(mel.page, text);
    await ended;
    await stateOf(mel)
      .getByText(/reconnecting.*waiting/)
      .waitFor();
    await stateOf(max)
      .getByText(/reconnecting/)
      .waitFor();
    for (const text of numbered(11, 2)) await send(mel.page, text);
    await mel.page.locator('article.pending').getByText('message 12').waitFor();
    await server.start();
    // They might wait by themselves; who looks at the page asks it to try now.
    for (const { page } of [mel, max]) {
      const retry = page.locator('.own').getByRole('button', { name: 'Retry' });
      if (await retry.isVisible()) await retry.click({ timeout: 1_000 }).catch(() => undefined);
    }
    await expect
      .poll(() => max.page.evaluate("said.includes('caught up, nothing missed')"))
      .toBe(true);
    await expect
      .poll(() => textsIn(server, max.person, ['general', 'lunch']))
      .toEqual(numbered(1, 12));
    for (const visit of [mel, max]) {
      await expect.poll(() => shownTexts(visit.page)).toEqual(numbered(1, 12));
      await visit.page.locator('article.pending').waitFor({ state: 'detached' });
      await stateOf(visit).getByText('live', { exact: true }).waitFor();
    }
    expect(await max.page.evaluate("said.includes('started anew')")).toBe(false);
    await expectAsFresh(mel, server, mel.person);
    await expectAsFresh(max, server, max.person);
  },
);

inChromium(
  'what is written offline is sent once when the network is back, after a reload too',
  async () => {
    const { server, at, origin } = await openStory();
    const { max } = server.people;
    if (max === undefined) expect.fail('the demo has Max');
    const mel = await at('Mel Member');
    const { page, context } = mel;
    await follow(page, LUNCH);
    await send(page, 'message 1');
    await messageWith(page, 'message 1').waitFor();
    await page.reload();
    await messageWith(page, 'message 1').waitFor();
    await context.setOffline(true);
    const state = page.locator('.own').getByRole('status');
    for (const text of numbered(2, 3)) await send(page, text);
    await state.getByText('offline, 3 messages waiting').waitFor();
    expect(await page.locator('article.pending').count()).toBe(3);
    // Others write meanwhile: they are not kept from it.
    await say(server, max, ['general', 'lunch'], 'Are you there?');
    // A reload without a network shows nothing, and loses nothing.
    await page.reload().catch(() => undefined);
    await context.setOffline(false);
    await page.goto(`${origin}/${LUNCH}`);
    await messageWith(page, 'message 4').waitFor();
    const all = ['message 1', 'Are you there?', ...numbered(2, 3)];
    await expect.poll(() => textsIn(server, max, ['general', 'lunch'])).toEqual(all);
    await expect.poll(() => shownTexts(page)).toEqual(all);
    await page.locator('article.pending').waitFor({ state: 'detached' });
    await expectAsFresh(mel, server, mel.person);
  },
);
