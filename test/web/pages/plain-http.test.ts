import { expect, test } from 'vitest';
import { CHROMIUM, OTHER_MACHINE } from '../../support/pages/browser.ts';
import { openHall } from '../../support/pages/hall.ts';
import { messageWith, textsIn } from '../../support/pages/story.ts';

const inChromium = test.skipIf(CHROMIUM === null);

const LUNCH = '#narrow/channel/1-general/topic/lunch';

inChromium('over plain HTTP from another machine messages are sent and links copied', async () => {
  const { at, server } = await openHall();
  const url = server.url.replace(/\/\/[^:]+/, `//${OTHER_MACHINE}`);
  const { page } = await at(LUNCH, { url });
  // Such a page has no clipboard, no locks and no random UUIDs.
  expect(await page.evaluate('isSecureContext')).toBe(false);
  const field = page.getByRole('textbox', { name: 'Message', exact: true });
  await field.fill('Soup at noon?');
  await page.getByRole('button', { name: 'Send' }).click();
  const message = messageWith(page, 'Soup at noon?');
  await message.waitFor();
  await expect
    .poll(() => textsIn(server, server.people.max, ['general', 'lunch']))
    .toEqual(['Soup at noon?']);

  await page.getByRole('button', { name: /^Acts on/ }).click();
  await page.getByRole('menuitem', { name: 'Copy link' }).click();
  await page.getByText('The link is copied').waitFor();
  await field.click();
  await page.keyboard.press('Control+V');
  expect(await field.inputValue()).toBe(`${url}/${LUNCH}`);
  await field.fill('');
  await message.hover();
  await message.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Copy text' }).click();
  await page.getByText('The text is copied').waitFor();
  await field.click();
  await page.keyboard.press('Control+V');
  expect(await field.inputValue()).toBe('Soup at noon?');

  // Nothing keeps a file for a reload there, and the page says so.
  await page.route('**/tus/**', () => undefined);
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'menu.txt', mimeType: 'text/plain', buffer: Buffer.from('soup') });
  await page.getByText('Stay on this page until the files are uploaded').waitFor();
});
