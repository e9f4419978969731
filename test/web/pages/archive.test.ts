import { expect, test } from 'vitest';
import { findingsOn } from '../../support/pages/accessibility.ts';
import { CHROMIUM } from '../../support/pages/browser.ts';
import { follow, loggedIn, made, say } from '../../support/pages/web-client.ts';

const inChromium = test.skipIf(CHROMIUM === null);

inChromium('a channel is made private, kept for days, archived and brought back', async () => {
  const { page, server, people, faults } = await loggedIn('Ona Owner');
  await made(server, people.ona, 'plans');
  await follow(page, '#channels');
  const main = page.getByRole('main');
  const dialog = page.getByRole('dialog');
  await main.getByRole('button', { name: 'Settings of plans' }).click();
  await dialog.getByRole('button', { name: 'Show the mail address' }).click();
  await dialog.locator('.secret code').waitFor();
  await dialog.getByRole('tab', { name: 'For everybody' }).click();
  await dialog.getByLabel('New people are in it from the beginning').check();
  await dialog.getByLabel('Messages are kept').selectOption('For some days');
  await dialog.getByLabel('Days').fill('30');
  await dialog.getByText(/Older messages are deleted/).waitFor();
  await dialog.getByRole('button', { name: 'Save how long' }).click();
  await page.getByText('How long messages are kept is changed.').waitFor();
  await dialog.getByLabel('New people are in it from the beginning').uncheck();
  await dialog.getByLabel('Private, without history').check();
  expect(await findingsOn(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Change who reads it' }).click();
  await dialog.getByText('Private: new people do not see').waitFor();
  await dialog.getByRole('button', { name: 'Archive …' }).click();
  await dialog.getByRole('button', { name: 'Archive the channel' }).click();
  await dialog.waitFor({ state: 'detached' });
  await main.getByRole('button', { name: 'Archived' }).click();
  await main.getByRole('button', { name: 'Bring back plans' }).click();
  await main.getByRole('heading', { name: 'The archive is empty' }).waitFor();
  await main.getByRole('button', { name: /^Yours / }).click();
  await main.getByRole('link', { name: 'plans' }).waitFor();
  // There is no way back into a private channel, so that leaving it asks first.
  await main.getByRole('button', { name: 'Settings of plans' }).click();
  await dialog.getByRole('button', { name: 'Leave the channel' }).click();
  await dialog.getByText(/only somebody who is in it can bring you back/).waitFor();
  expect(await findingsOn(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Stay' }).click();
  expect(faults).toEqual([]);
});

inChromium('an archived channel is read, and nothing is written to it', async () => {
  const { page, server, people, faults } = await loggedIn('Mel Member');
  const id = await made(server, people.ona, 'attic', {
    subscribers: [people.ona.id, people.mel.id],
  });
  await say(server, people.ona, ['attic', 'boxes'], 'Nine are left');
  await follow(page, `#narrow/channel/${id}-attic/topic/boxes`);
  const message = page.getByRole('article').filter({ hasText: 'Nine are left' });
  await message.waitFor();
  const field = page.getByRole('textbox', { name: 'Message', exact: true });
  await field.waitFor();
  // It is archived while somebody reads it.
  await server.delete(people.ona, `/streams/${id}`);
  const notice = page.getByRole('region', { name: 'The channel is archived' });
  await notice.getByText('Ona Owner and administrators can bring it back.').waitFor();
  expect(await field.count()).toBe(0);
  await message.hover();
  await message.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Star', exact: true }).waitFor();
  expect(await page.getByRole('menuitem', { name: 'Quote' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  expect(await findingsOn(page)).toEqual([]);
  await follow(page, '#channels');
  const main = page.getByRole('main');
  expect(await page.locator('nav.left').getByText('attic').count()).toBe(0);
  await main.getByRole('button', { name: 'Archived 1' }).click();
  expect(await main.getByRole('button', { name: 'Bring back attic' }).count()).toBe(0);
  await main.getByRole('link', { name: 'attic' }).click();
  await message.waitFor();
  // A search finds it as well, and an answer to it is refused before it is written.
  await follow(page, '#narrow/search/Nine');
  await message.click();
  await page.keyboard.press('r');
  await page.getByText('#attic is archived: nobody writes to it.').waitFor();
  await server.patch(people.ona, `/streams/${id}`, { is_archived: false });
  await follow(page, `#narrow/channel/${id}-attic/topic/boxes`);
  await field.waitFor();
  expect(faults).toEqual([]);
});

inChromium('a link to a channel that one may not see says so, without a field', async () => {
  const { page, server, people, faults } = await loggedIn('Mel Member');
  const id = await made(server, people.ona, 'board', { invite_only: true });
  await follow(page, `#narrow/channel/${id}-board`);
  await page.getByRole('heading', { name: 'You cannot see this channel' }).waitFor();
  expect(await page.getByRole('textbox', { name: 'Message', exact: true }).count()).toBe(0);
  expect(await findingsOn(page)).toEqual([]);
  expect(faults).toEqual([]);
});
