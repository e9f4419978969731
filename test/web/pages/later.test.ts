import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findingsOn } from '../../support/pages/accessibility.ts';
import { CHROMIUM } from '../../support/pages/browser.ts';
import { enter, follow, loggedIn, openedPage, say } from '../../support/pages/web-client.ts';

const inChromium = test.skipIf(CHROMIUM === null);

const LUNCH = '#narrow/channel/1-general/topic/lunch';

const menuOf = async (page: Page, item: RegExp | string) => {
  await page.getByRole('button', { name: /^Acts on/ }).click();
  await page.getByRole('menu').getByText(item).click();
};

inChromium('channels are made, joined, left, changed and archived', async () => {
  const { page, faults } = await loggedIn('Ona Owner');
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('menuitem', { name: 'Channels' }).click();
  const main = page.getByRole('main');
  await main.getByRole('link', { name: 'general' }).waitFor();
  expect(await findingsOn(page)).toEqual([]);
  const make = page.getByRole('button', { name: 'New channel' });
  await make.click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  await page.keyboard.type('general');
  await dialog.getByText('A channel of this name is there already.').waitFor();
  await page.keyboard.type(' plans');
  await dialog.getByRole('radio', { name: /^Private\s*Those/ }).check();
  const who = dialog.getByRole('combobox', { name: /Who is in it/ });
  await who.fill('mel');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Leave Mel Member out' }).waitFor();
  expect(await findingsOn(page)).toEqual([]);
  // Escape closes it, and the focus is where it was.
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await page.locator(':focus').textContent()).toBe('New channel');
  await make.click();
  await dialog.getByLabel('Name').fill('plans');
  await dialog.getByLabel('What it is about').fill('What comes next');
  await page.getByRole('button', { name: 'Create channel' }).click();
  await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor();

  await menuOf(page, 'Settings of the channel');
  await dialog.getByLabel('Pinned to the top').check();
  await dialog.getByRole('tab', { name: 'For everybody' }).click();
  await dialog.getByLabel('Name').fill('next plans');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'next plans' }).waitFor();
  expect(await findingsOn(page)).toEqual([]);
  await page.getByRole('heading', { name: 'Pinned' }).waitFor();
  await page.keyboard.press('Escape');
  await follow(page, '#channels');
  await main.getByRole('button', { name: 'Leave next plans' }).click();
  await main.getByRole('button', { name: 'Join next plans' }).click();
  await main.getByRole('button', { name: 'Settings of next plans' }).click();
  await dialog.getByRole('tab', { name: 'For everybody' }).click();
  await dialog.getByRole('button', { name: 'End all mail addresses …' }).click();
  await dialog.getByRole('button', { name: 'End all addresses' }).click();
  await page.getByText('All mail addresses of the channel have ended.').waitFor();
  await dialog.getByRole('button', { name: 'Archive …' }).click();
  await dialog.getByRole('button', { name: 'Archive the channel' }).click();
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => main.getByRole('link', { name: 'next plans' }).count()).toBe(0);
  await page.getByLabel('Filter channels').fill('zzz');
  await page.getByRole('heading', { name: 'No channel is like that' }).waitFor();
  expect(faults).toEqual([]);
});

inChromium('a topic is muted, followed, resolved, renamed and read from its menu', async () => {
  const { page, server, people, faults } = await openedPage();
  await say(server, people.max, ['general', 'lunch'], 'Soup?');
  await enter(page, 'Mel Member');
  await follow(page, LUNCH);
  await page.getByRole('article').getByText('Soup?').waitFor();
  const acts = page.getByRole('button', { name: 'Acts on lunch' });
  const item = (name: string) => page.getByRole('menuitemradio', { name });
  await acts.focus();
  await page.keyboard.press('Enter');
  await item('Follow the topic').waitFor();
  expect(await findingsOn(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await expect
    .poll(async () => {
      await acts.click();
      const checked = await item('Follow the topic').getAttribute('aria-checked');
      await page.keyboard.press('Escape');
      return checked;
    })
    .toBe('true');
  expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Acts on lunch');
  await menuOf(page, 'Rename or move the topic');
  await page.getByRole('dialog').getByLabel('Topic', { exact: true }).fill('dinner');
  expect(await findingsOn(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'dinner' }).waitFor();
  await page.getByRole('article').getByText('Soup?').waitFor();
  await menuOf(page, 'Resolve the topic');
  await page.getByRole('main').locator('.resolved').waitFor();
  expect(faults).toEqual([]);
});

inChromium('a name opens a card, from which one writes and mutes', async () => {
  const { page, server, people, faults } = await openedPage();
  await say(server, people.max, ['general', 'lunch'], 'Soup?');
  await enter(page, 'Mel Member');
  await follow(page, LUNCH);
  await page.getByRole('article').getByRole('button', { name: 'Max Member' }).click();
  const card = page.getByRole('dialog', { name: 'Max Member' });
  await card.getByText(/^Member · /).waitFor();
  await card.getByText('max@demo.example.com').waitFor();
  expect(await findingsOn(page)).toEqual([]);
  await card.getByRole('button', { name: 'Mute' }).click();
  await card.getByText(/You have muted them/).waitFor();
  await card.getByRole('button', { name: 'Stop muting' }).click();
  await card.getByRole('button', { name: 'Write a message' }).click();
  await page.getByRole('heading', { level: 1, name: 'Max Member' }).waitFor();
  await menuOf(page, 'Profile of Max Member');
  await card.getByRole('button', { name: 'See their messages' }).click();
  await page.getByRole('article').getByText('Soup?').waitFor();
  expect(faults).toEqual([]);
});

inChromium('people are invited by a link, with which somebody comes in', async () => {
  const { page, browser, faults } = await loggedIn('Ona Owner');
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('menuitem', { name: 'Invite people' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('There is none.').waitFor();
  // The server of this test sends no mail, so that a link is offered first.
  await dialog.getByRole('button', { name: 'By mail' }).click();
  await dialog.getByText(/This server sends no mail/).waitFor();
  expect(await findingsOn(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'By a link' }).click();
  await dialog.getByLabel('They join as').selectOption('Guest');
  await dialog.getByRole('button', { name: 'Make a link' }).click();
  const link = (await dialog.locator('code').textContent()) ?? '';
  await dialog.getByText(/^Guest · by Ona Owner/).waitFor();
  const other = await (await browser.newContext()).newPage();
  await other.goto(link);
  await other.getByRole('heading', { name: /Demo/ }).waitFor();
  await dialog.getByRole('button', { name: 'Revoke: A link' }).click();
  await dialog.getByText('There is none.').waitFor();
  await other.goto(link);
  expect(await other.getByRole('textbox').count()).toBe(0);
  expect(faults).toEqual([]);
});

inChromium('an owner changes roles, deactivates, makes bots and renames', async () => {
  const { page, server, people, faults } = await loggedIn('Ona Owner');
  await follow(page, '#organization');
  const main = page.getByRole('main');
  await main.getByLabel('Filter people').fill('max');
  await main.getByLabel('Role of Max Member').selectOption('Moderator');
  await expect
    .poll(async () => {
      const { body } = await server.get(people.ona, `/users/${people.max.id}`);
      return (body as { user: { role: number } }).user.role;
    })
    .toBe(300);
  await main.getByRole('button', { name: 'Deactivate Max Member' }).click();
  const dialog = page.getByRole('dialog');
  expect(await findingsOn(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Deactivate' }).click();
  await main.getByRole('heading', { name: 'Nobody is like that' }).waitFor();
  await main.getByRole('button', { name: 'Deactivated' }).click();
  await main.getByRole('button', { name: 'Reactivate Max Member' }).click();
  await main.getByRole('heading', { name: 'Nobody is like that' }).waitFor();
  await main.getByRole('tab', { name: 'People' }).focus();
  await page.keyboard.press('ArrowRight');
  await main.getByRole('heading', { name: 'No invitation is open' }).waitFor();
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowDown');
  await main.getByRole('button', { name: 'New bot' }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('Build Bot');
  expect(await dialog.getByLabel('Short name').inputValue()).toBe('build');
  await dialog.getByRole('button', { name: 'Create bot' }).click();
  expect(await dialog.locator('code').textContent()).toMatch(/^[0-9a-zA-Z]{32}$/);
  expect(await findingsOn(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await main.getByText('Build Bot').waitFor();
  await main.getByRole('tab', { name: 'About' }).click();
  await main.getByLabel('Name of the organization').fill('Acme');
  await main.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('navigation').getByText('Acme').waitFor();
  expect(faults).toEqual([]);
});

inChromium('a member is shown only what a member may do', async () => {
  const { page } = await loggedIn('Gus Guest', { colorScheme: 'dark' });
  await page.getByRole('button', { name: 'Menu' }).click();
  expect(await page.getByRole('menuitem', { name: 'Invite people' }).count()).toBe(0);
  await page.getByRole('menuitem', { name: 'Organization' }).click();
  const main = page.getByRole('main');
  await main.getByText('Ona Owner').waitFor();
  expect(await main.getByRole('combobox', { name: /Role of/ }).count()).toBe(0);
  expect(await main.getByRole('button', { name: /Deactivate / }).count()).toBe(0);
  expect(await main.getByRole('tab', { name: 'Invitations' }).count()).toBe(0);
  await main.getByRole('tab', { name: 'About' }).click();
  expect(await main.getByRole('button', { name: 'Save' }).count()).toBe(0);
  expect(await findingsOn(page)).toEqual([]);
});

inChromium('a message is sent later, and one is reminded of another', async () => {
  const { page, server, people, faults } = await openedPage();
  await say(server, people.max, ['general', 'lunch'], 'Soup?');
  await enter(page, 'Mel Member');
  await follow(page, LUNCH);
  const article = page.getByRole('article');
  await article.getByText('Soup?').hover();
  await article.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Remind me of it' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Tomorrow morning').check();
  expect(await findingsOn(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Set' }).click();
  await dialog.waitFor({ state: 'detached' });
  const field = page.getByRole('textbox', { name: /Message/ });
  await field.fill('Bread, then');
  await page.getByRole('button', { name: 'Post later' }).click();
  await dialog.getByLabel('In an hour').check();
  await dialog.getByRole('button', { name: 'Set' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await field.inputValue()).toBe('');
  await follow(page, '#drafts');
  const main = page.getByRole('main');
  await main.getByRole('heading', { name: 'Sent later' }).waitFor();
  await main.getByRole('heading', { name: 'Reminders' }).waitFor();
  expect(await findingsOn(page)).toEqual([]);
  await main.getByRole('button', { name: 'Cancel: Bread, then' }).click();
  await main.getByRole('heading', { name: 'Sent later' }).waitFor({ state: 'detached' });
  const { body } = await server.get(people.mel, '/scheduled_messages');
  expect(body).toMatchObject({ scheduled_messages: [] });
  expect(faults).toEqual([]);
});
