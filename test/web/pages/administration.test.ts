import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { png } from '../../support/files/images.ts';
import { findingsOn } from '../../support/pages/accessibility.ts';
import { CHROMIUM } from '../../support/pages/browser.ts';
import { enter, follow, loggedIn } from '../../support/pages/web-client.ts';
import type { DemoPlace } from '../../support/people/demo-server.ts';
import type { Person } from '../../support/users.ts';

const inChromium = test.skipIf(CHROMIUM === null);

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

const snapshotOf = async (server: DemoPlace, as: Person, types: readonly string[]) =>
  (await server.post(as, '/register', { fetch_event_types: types })).body as Record<
    string,
    unknown
  >;

const namesOf = (list: unknown) => (list as { name: string }[]).map(({ name }) => name);

inChromium('an owner names the organization and gives it pictures', async () => {
  const { page, server, people, faults } = await loggedIn('Ona Owner');
  await follow(page, '#organization/about');
  await page.getByLabel('Name of the organization').fill('Acme');
  await page.getByLabel('Description').fill('We make *everything*.');
  await region(page, 'Name').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('navigation').getByText('Acme').waitFor();
  const picture = { name: 'logo.png', mimeType: 'image/png', buffer: await png(64, 32) };
  for (const name of ['Icon', 'Logo', 'Logo on dark ground']) {
    await region(page, name).locator('input').setInputFiles(picture);
    await region(page, name).getByRole('button', { name: 'Take it away' }).waitFor();
  }
  expect(await findingsOn(page)).toEqual([]);
  await region(page, 'Logo').getByRole('button', { name: 'Take it away' }).click();
  await region(page, 'Logo').locator('img').waitFor({ state: 'detached' });
  expect(await snapshotOf(server, people.mel, ['realm'])).toMatchObject({
    realm_name: 'Acme',
    realm_icon_source: 'U',
    realm_logo_source: 'D',
    realm_night_logo_source: 'U',
  });
  expect(faults).toEqual([]);
});

inChromium('tabs without room say that there are more, and all of them are reached', async () => {
  const { page, faults } = await loggedIn('Ona Owner', { width: 390, height: 800 });
  await follow(page, '#organization');
  const more = page.getByRole('button', { name: 'More tabs' });
  const last = page.getByRole('tab', { name: 'Exports' });
  await more.waitFor();
  expect(await page.getByRole('button', { name: 'Earlier tabs' }).count()).toBe(0);
  await expect
    .poll(async () => {
      if (await more.isVisible()) await more.click();
      return await more.count();
    })
    .toBe(0);
  await page.getByRole('button', { name: 'Earlier tabs' }).waitFor();
  await page.getByRole('tab', { selected: true }).focus();
  await page.keyboard.press('End');
  await page.getByText('New export').waitFor();
  expect(await last.evaluate((tab) => tab === document.activeElement)).toBe(true);
  expect(await findingsOn(page)).toEqual([]);
  await page.keyboard.press('Home');
  await more.waitFor();
  expect(faults).toEqual([]);
});

inChromium('rights, limits and who joins are chosen, and other windows follow', async () => {
  const { page, browser, origin, server, people, faults } = await loggedIn('Ona Owner');
  const other = await (await browser.newContext()).newPage();
  await other.goto(origin);
  await enter(other, 'Ada Administrator');
  await follow(page, '#organization/permissions');
  await follow(other, '#organization/permissions');
  await page.getByLabel('Make private channels').selectOption('Moderators');
  await region(page, 'Channels').getByText('Saved').waitFor();
  await expect
    .poll(() => other.getByLabel('Make private channels').locator('option:checked').textContent())
    .toBe('Moderators');
  expect(await other.getByLabel('Invite people by mail').isDisabled()).toBe(true);
  await page.getByLabel('Make private channels').selectOption('Some people …');
  await page.locator('.chip').getByText('Moderators').waitFor();
  for (const name of ['mel m', 'gus', 'owners']) {
    await page.getByRole('combobox', { name: 'People and groups' }).fill(name);
    await page.keyboard.press('Enter');
  }
  await page.getByRole('button', { name: 'Leave Gus Guest out' }).click();
  expect(await findingsOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  for (const one of [page, other]) await one.getByText('Moderators, Owners, Mel Member').waitFor();
  await page.getByLabel('Change the text of their messages').selectOption('One day');
  await region(page, 'Changes of messages').getByText('Saved').waitFor();
  expect(await findingsOn(page)).toEqual([]);
  await follow(page, '#organization/joining');
  await page.getByLabel('Two people have different names').check();
  await page.getByLabel('#random').uncheck();
  await page.getByLabel('Domain', { exact: true }).fill('example.com');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Take example.com away' }).waitFor();
  await page.getByLabel('Newcomers are told of in').selectOption('#general');
  await region(page, 'What is announced').getByText('Saved').waitFor();
  expect(await findingsOn(page)).toEqual([]);
  const state = await snapshotOf(server, people.mel, ['realm', 'default_streams', 'realm_domains']);
  expect(state).toMatchObject({
    realm_message_content_edit_limit_seconds: 86_400,
    realm_require_unique_names: true,
    realm_domains: [{ domain: 'example.com', allow_subdomains: false }],
  });
  expect(state['realm_default_streams']).toHaveLength(1);
  expect(state['realm_signup_announcements_stream_id']).toBeGreaterThan(0);
  expect(faults).toEqual([]);
});

inChromium('emoji, links, places for code and profile fields are made and taken away', async () => {
  const { page, server, people, faults } = await loggedIn('Ona Owner');
  await follow(page, '#organization/emoji');
  await page.getByText('No emoji of your own yet').waitFor();
  await page
    .locator('.picture-input input')
    .setInputFiles({ name: 'Party Parrot.png', mimeType: 'image/png', buffer: await png(32, 32) });
  await expect
    .poll(() => page.getByLabel('Name', { exact: true }).inputValue())
    .toBe('party_parrot');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  const parrot = page.getByRole('button', { name: 'Take away :party_parrot:' });
  await parrot.waitFor();
  expect(await findingsOn(page)).toEqual([]);
  await parrot.click();
  await page.getByText('No emoji of your own yet').waitFor();

  await follow(page, '#organization/links');
  const dialog = page.getByRole('dialog');
  const addLink = async (pattern: string, address: string) => {
    await page.getByRole('button', { name: 'Add a pattern' }).click();
    await dialog.getByLabel('Pattern').fill(pattern);
    await dialog.getByLabel('Address').fill(address);
    await page.keyboard.press('Enter');
  };
  await addLink('#(?P<id>[0-9]+', 'https://example.com/{id}');
  await dialog.getByRole('alert').waitFor();
  await dialog.getByLabel('Pattern').fill('#(?P<id>[0-9]+)');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await addLink('PR-(?P<id>[0-9]+)', 'https://example.com/pr/{id}');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Move PR-.* up$/ }).click();
  const patterns = () => page.locator('code.card-name').allTextContents();
  await expect.poll(patterns).toEqual(['PR-(?P<id>[0-9]+)', '#(?P<id>[0-9]+)']);
  await page.getByRole('button', { name: /^Take away #/ }).click();
  await expect.poll(patterns).toEqual(['PR-(?P<id>[0-9]+)']);
  await page.getByLabel('Name of the place').fill('Try it');
  await page.getByLabel('Language').fill('Python');
  await page.getByLabel('Its address').fill('https://example.com/?code={code}');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Take away Try it' }).waitFor();
  expect(await findingsOn(page)).toEqual([]);

  await follow(page, '#organization/profile-fields');
  const addField = async (name: string, kind: string, fill = async () => {}) => {
    await page.getByRole('button', { name: 'New field' }).click();
    await dialog.getByLabel('Kind').selectOption(kind);
    await fill();
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
  };
  await addField('Team', 'Short text');
  await addField('Drink', 'List to choose from', async () => {
    await dialog.getByLabel('What one may choose').fill('Tea\nSoup');
    expect(await findingsOn(page)).toEqual([]);
  });
  await page.getByRole('button', { name: 'Move Drink up' }).click();
  const fields = async () =>
    namesOf(
      (await snapshotOf(server, people.mel, ['custom_profile_fields']))['custom_profile_fields'],
    );
  await expect.poll(fields).toEqual(['Drink', 'Team']);
  await page.getByRole('button', { name: 'Change Drink' }).click();
  await dialog.getByLabel('Name').fill('Favourite');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Delete Team' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect.poll(fields).toEqual(['Favourite']);
  expect(await findingsOn(page)).toEqual([]);
  expect(faults).toEqual([]);
});

inChromium(
  'groups are made, changed, joined and ended; exports are written and deleted',
  async () => {
    const { page, browser, origin, faults } = await loggedIn('Ona Owner', { colorScheme: 'dark' });
    await follow(page, '#organization/groups');
    await page.getByRole('button', { name: 'New group' }).click();
    const dialog = page.getByRole('dialog');
    await page.keyboard.type('cooks');
    await dialog.getByRole('combobox', { name: 'Members' }).fill('Mel');
    await page.keyboard.press('Enter');
    expect(await findingsOn(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create group' }).click();
    await page.getByText('Ona Owner, Mel Member').waitFor();
    const other = await (await browser.newContext()).newPage();
    await other.goto(origin);
    await enter(other, 'Mel Member');
    await follow(other, '#organization/groups');
    expect(await other.getByRole('tab', { name: 'Permissions' }).count()).toBe(0);
    await other.getByRole('button', { name: 'Leave cooks' }).click();
    await page.getByText('Ona Owner', { exact: true }).and(page.locator('.card-about')).waitFor();
    await page.getByRole('button', { name: 'Change cooks' }).click();
    await dialog.getByLabel('What it is for').fill('Those who cook');
    await page.keyboard.press('Enter');
    await other.getByText('Those who cook').waitFor();
    expect(await findingsOn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Deactivate cooks' }).click();
    await dialog.getByRole('button', { name: 'Deactivate' }).click();
    await other.getByText('There is no group yet').waitFor();

    await follow(page, '#organization/exports');
    await page.getByRole('button', { name: 'Begin the export' }).click();
    const download = page.getByRole('link', { name: 'Download' });
    await download.waitFor();
    expect(await findingsOn(page)).toEqual([]);
    const url = await download.getAttribute('href');
    expect((await page.request.get(new URL(url ?? '', origin).href)).status()).toBe(200);
    await page.getByRole('button', { name: /^Delete the archive/ }).click();
    await page.getByText(/Its archive is deleted/).waitFor();
    expect(faults).toEqual([]);
  },
);
