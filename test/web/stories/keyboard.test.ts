import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findingsInBoth } from '../../support/pages/accessibility.ts';
import { CHROMIUM } from '../../support/pages/browser.ts';
import { expectAsFresh } from '../../support/pages/shown.ts';
import { messageWith, openStory, storyAt, textsIn } from '../../support/pages/story.ts';
import { say } from '../../support/pages/web-client.ts';
import { startProcess } from '../../support/processes/start-process.ts';

const inChromium = test.skipIf(CHROMIUM === null);

/** More stops than any page has on the way. */
const STOPS_MAX = 80;

/** Goes on by the Tab key until the element with this name has the focus. */
async function tabTo(page: Page, name: RegExp | string): Promise<void> {
  const met: string[] = [];
  for (let stop = 0; stop < STOPS_MAX; stop += 1) {
    await page.keyboard.press('Tab');
    const words = (await page.evaluate(`(() => {
      const { activeElement: at } = document;
      return (at.getAttribute('aria-label') ?? at.textContent).replace(/\\s+/g, ' ').trim();
    })()`)) as string;
    met.push(words);
    if (typeof name === 'string' ? words === name : name.test(words)) return;
  }
  expect.fail(`the Tab key does not reach ${String(name)}, but ${met.join(' | ')}`);
}

inChromium(
  'with the keyboard alone one logs in, reads, writes, changes, and goes about',
  async () => {
    const { server, visit, origin } = await openStory();
    const { mel, max } = server.people;
    if (mel === undefined || max === undefined) expect.fail('the demo has them');
    await say(server, max, ['general', 'lunch'], 'Soup at noon?');
    await say(server, max, ['random', 'birthdays'], 'Cake at three');
    const { page, context } = await visit();
    await page.goto(origin);
    await page.getByRole('button', { name: 'Mel Member' }).waitFor();
    await tabTo(page, /Mel Member/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();

    await tabTo(page, /^lunch/);
    await page.keyboard.press('Enter');
    await messageWith(page, 'Soup at noon?').waitFor();
    await page.keyboard.press('c');
    await page.locator('textarea:focus').waitFor();
    await page.keyboard.type('With bread?');
    await page.keyboard.press('Control+Enter');
    await messageWith(page, 'With bread?').waitFor();
    await expect
      .poll(() => textsIn(server, max, ['general', 'lunch']))
      .toEqual(['Soup at noon?', 'With bread?']);
    // With nothing written, the arrow opens the last own message.
    await page.keyboard.press('ArrowUp');
    await page.getByRole('textbox', { name: 'The text of the message' }).waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('With cheese?');
    await page.keyboard.press('Control+Enter');
    await messageWith(page, 'With cheese?').getByText('edited').waitFor();

    // The focus is at the message that was changed; the one above gets a thumb by a key.
    const focused = () =>
      page.evaluate("document.activeElement.closest('article')?.innerText ?? 'elsewhere'");
    await expect.poll(focused).toContain('With cheese?');
    await page.keyboard.press('k');
    await expect.poll(focused).toContain('Soup at noon?');
    await page.keyboard.press('+');
    await messageWith(page, 'Soup at noon?').locator('.reaction').waitFor();
    await page.keyboard.press('i');
    await page.getByRole('menuitem', { name: 'Quote' }).waitFor();
    await page.keyboard.press('Escape');

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Channel, topic, person or view' }).waitFor();
    await page.keyboard.type('birth');
    await page.getByRole('option', { name: 'birthdays' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'birthdays' }).waitFor();
    await messageWith(page, 'Cake at three').waitFor();
    await expectAsFresh({ page, context }, server, mel);
  },
);

inChromium('axe finds nothing while people talk, light and dark', async () => {
  const { server, at } = await storyAt(await startProcess());
  const { max } = server.people;
  if (max === undefined) expect.fail('the demo has Max');
  const text = 'Soup, @**Mel Member**?\n\n```python\nprint(1)\n```\n\n> and a quote\n\n$$e^x$$';
  const { body } = await say(server, max, ['general', 'lunch'], text);
  await server.post(max, `/messages/${body.id}/reactions`, { emoji_name: 'tada' });
  const { page } = await at('Mel Member');
  await page.evaluate("location.hash = '#narrow/channel/1-general/topic/lunch'");
  const message = messageWith(page, 'Soup');
  await message.locator('.reaction').waitFor();
  expect(await findingsInBoth(page)).toEqual([]);
  // With the tools of a message, its menu, and a dialog.
  await message.hover();
  await message.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Star' }).waitFor();
  expect(await findingsInBoth(page)).toEqual([]);
  await page.getByRole('menuitem', { name: 'Move messages' }).click();
  await page.getByRole('dialog').waitFor();
  expect(await findingsInBoth(page)).toEqual([]);
  await page.keyboard.press('Escape');
  // Without a server: what waits, and the words about the connection.
  await server.end('SIGKILL');
  await page
    .getByText(/reconnecting/)
    .first()
    .waitFor();
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Anybody?');
  await page.keyboard.press('Control+Enter');
  await page.locator('article.pending').getByText('Anybody?').waitFor();
  expect(await findingsInBoth(page)).toEqual([]);
});
