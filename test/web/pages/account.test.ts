import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { png } from '../../support/files/images.ts';
import { startMailServer } from '../../support/notifications/mail-server.ts';
import { findingsOn } from '../../support/pages/accessibility.ts';
import { CHROMIUM, openTab } from '../../support/pages/browser.ts';
import { enter, follow, loggedIn, openedPage, say } from '../../support/pages/web-client.ts';
import type { DemoPlace } from '../../support/people/demo-server.ts';
import { startProcess } from '../../support/processes/start-process.ts';
import type { Person } from '../../support/users.ts';

const inChromium = test.skipIf(CHROMIUM === null);

/** Opens the page of an account in two browsers, which know nothing of each other. */
async function twoWindows(name: string, hash: string) {
  const opened = await loggedIn(name);
  const other = await (await opened.browser.newContext()).newPage();
  await other.goto(opened.origin);
  await enter(other, name);
  await follow(opened.page, hash);
  await follow(other, hash);
  return { ...opened, other };
}

const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

const own = async (server: DemoPlace, person: Person) =>
  (await server.get(person, `/users/${person.id}`, { include_custom_profile_fields: true })).body[
    'user'
  ] as Record<string, unknown>;

/** The settings of an account as a fresh client gets them. */
async function settingsOf(server: DemoPlace, person: Person) {
  const { body } = await server.post(person, '/register', {
    fetch_event_types: ['user_settings', 'alert_words', 'muted_users'],
  });
  return body as { user_settings: Record<string, unknown>; alert_words: string[] };
}

inChromium('a picture is looked at before it is sent, and seen in all windows', async () => {
  const { page, other, faults } = await twoWindows('Mel Member', '#settings');
  const picture = panel(page, 'Picture');
  await picture.getByText('A square of it is shown. It has at most 5 MiB.').waitFor();
  const file = (name: string, mimeType: string, buffer: Buffer) =>
    picture.locator('input').setInputFiles({ name, mimeType, buffer });
  await file('note.txt', 'text/plain', Buffer.from('no picture'));
  await picture.getByText('This is no picture.').waitFor();
  await file('large.png', 'image/png', Buffer.alloc(5 * 1024 * 1024 + 1));
  await picture.getByText('A picture has at most 5 MiB.').waitFor();
  await file('damaged.png', 'image/png', Buffer.from('no picture'));
  await picture.getByRole('alert').waitFor();
  expect(await other.locator('.own img').count()).toBe(0);
  await file('me.png', 'image/png', await png(64, 64));
  await other.locator('.own img').waitFor();
  await panel(other, 'Picture').getByRole('button', { name: 'Take it away' }).click();
  await page.locator('.own img').waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
});

inChromium('a name, a time zone and a status are seen in all windows', async () => {
  const { page, other, server, people, faults } = await twoWindows('Mel Member', '#settings');
  const zone = page.getByLabel('Your time zone');
  await zone.selectOption('Europe/Berlin');
  await panel(page, 'Time zone').getByText('Saved').waitFor();
  await expect.poll(() => other.getByLabel('Your time zone').inputValue()).toBe('Europe/Berlin');
  await other.getByRole('button', { name: /^Use that of this browser/ }).click();
  await expect
    .poll(async () => (await own(server, people.mel))['timezone'])
    .not.toBe('Europe/Berlin');
  await panel(page, 'Your name').getByLabel('Name').fill('Mel the Member');
  await page.keyboard.press('Enter');
  await other.locator('.own').getByText('Mel the Member').waitFor();
  expect(await findingsOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Set a status' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'At home' }).click();
  await dialog.getByRole('button', { name: 'Emoji: house' }).click();
  await dialog.getByRole('searchbox').fill('rocket');
  await dialog.getByRole('button', { name: 'rocket', exact: true }).click();
  expect(await findingsOn(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await panel(other, 'Status').getByText('🚀 At home').waitFor();
  expect(faults).toEqual([]);
});

inChromium('an address changes by the link that is mailed to it', async () => {
  const mail = await startMailServer();
  const server = await startProcess({ CONFAB_SMTP_URL: mail.url });
  const origin = `http://localhost:${server.port()}`;
  const { page, context } = await openTab();
  await page.goto(origin);
  await enter(page, 'Mel Member');
  await follow(page, '#settings/profile');
  const address = panel(page, 'Mail address');
  await address.getByText('mel@demo.example.com').waitFor();
  await address.getByLabel('Another address').fill('melanie@demo.example.com');
  await page.keyboard.press('Enter');
  await address.getByText(/A link is on its way to melanie@demo\.example\.com/).waitFor();
  await expect.poll(() => mail.received.length, { timeout: 20_000 }).toBeGreaterThan(0);
  const link = /https?:\/\/\S+confirm_new_email\S+/.exec(mail.received[0]?.text ?? '')?.[0] ?? '';
  const confirming = await context.newPage();
  await confirming.goto(origin + new URL(link).pathname);
  await confirming.getByRole('button').click();
  await address.getByText('melanie@demo.example.com', { exact: true }).waitFor();
  // Invitations by mail are offered as well.
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('menuitem', { name: 'Invite people' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Mail addresses').waitFor();
  expect(await dialog.getByText(/This server sends no mail/).count()).toBe(0);
});

inChromium(
  'where no mail is sent, members ask an administrator, who changes it at once',
  async () => {
    const { page, context, origin, server, people } = await loggedIn('Mel Member');
    await follow(page, '#settings/profile');
    await panel(page, 'Mail address')
      .getByText(/This server sends no mail yet/)
      .waitFor();
    await context.clearCookies();
    await page.goto(origin);
    await enter(page, 'Ona Owner');
    await follow(page, '#settings/profile');
    const address = panel(page, 'Mail address');
    await address.getByLabel('Another address').fill('owner@demo.example.com');
    await address.getByRole('button', { name: 'Change the address' }).click();
    await address.getByText('owner@demo.example.com').waitFor();
    const { delivery_email } = await own(server, {
      ...people.ona,
      email: 'owner@demo.example.com',
    });
    expect(delivery_email).toBe('owner@demo.example.com');
  },
);

inChromium('every kind of profile field is filled in, by keyboard', async () => {
  const { page, server, people, faults } = await openedPage();
  const ids: Record<string, number> = {};
  const make = async (name: string, field_type: number, more: object = {}) => {
    const reply = await server.post(people.ona, '/realm/profile_fields', {
      ...{ name, field_type, hint: `Hint of ${name}` },
      ...more,
    });
    ids[name] = (reply.body as { id: number }).id;
  };
  await make('Team', 1);
  await make('About', 2);
  await make('Drink', 3, {
    field_data: { x: { text: 'Tea', order: '2' }, y: { text: 'Soup', order: '1' } },
  });
  await make('Birthday', 4);
  await make('Site', 5);
  await make('Mentor', 6);
  await make('Wiki', 7, {
    field_data: { subtype: 'custom', url_pattern: 'https://wiki.example/%(username)s' },
  });
  await make('Pronouns', 8);
  await make('Number', 1, { editable_by_user: false });
  await enter(page, 'Mel Member');
  await follow(page, '#settings/profile');
  const fields = panel(page, 'Profile');
  await fields.getByText('Administrators say this.').waitFor();
  const write = async (name: string, value: string, delay = 0) => {
    await fields.getByLabel(name, { exact: true }).focus();
    await page.keyboard.type(value, { delay });
    await page.keyboard.press('Tab');
  };
  await write('Team', 'Kitchen');
  await write('About', 'I cook.');
  await fields.getByLabel(/^Drink/).selectOption('Tea');
  // Each digit of a year makes another date, and answers may come between two of them.
  await write('Birthday', '01021990', 20);
  await write('Site', 'not a link');
  await fields.getByText(/Site is not a URL/).waitFor();
  expect(await fields.getByLabel('Site').inputValue()).toBe('not a link');
  await fields.getByLabel('Site').fill('https://mel.example/');
  await page.keyboard.press('Enter');
  await write('Mentor', 'Ada');
  await fields.getByRole('combobox', { name: 'Mentor' }).fill('Ada');
  await page.keyboard.press('Enter');
  await write('Wiki', 'mel');
  await write('Pronouns', 'she/her');
  await fields.getByRole('link', { name: 'https://wiki.example/mel' }).waitFor();
  await expect
    .poll(async () => {
      const data = (await own(server, people.mel))['profile_data'] as Record<
        string,
        { value: string }
      >;
      return Object.fromEntries(
        Object.entries(ids).map(([name, id]) => [name, data[id]?.value ?? null]),
      );
    })
    .toEqual({
      Team: 'Kitchen',
      About: 'I cook.',
      Drink: 'x',
      Birthday: '1990-01-02',
      Site: 'https://mel.example/',
      Mentor: `[${people.ada.id}]`,
      Wiki: 'mel',
      Pronouns: 'she/her',
      Number: null,
    });
  expect(await findingsOn(page)).toEqual([]);
  // An empty one is taken away.
  await fields.getByLabel('Team', { exact: true }).fill('');
  await page.keyboard.press('Tab');
  await expect
    .poll(async () => {
      const data = (await own(server, people.mel))['profile_data'] as Record<string, unknown>;
      return data[ids['Team'] ?? 0];
    })
    .toBeUndefined();
  expect(faults).toEqual([]);
});

const passwordOf = ({ data }: DemoPlace, name: string) => {
  const { users } = JSON.parse(readFileSync(join(data, 'demo-credentials.json'), 'utf8')) as {
    users: { email: string; password: string }[];
  };
  return users.find(({ email }) => email.startsWith(`${name}@`))?.password ?? '';
};

inChromium('keys are shown for a password, renewed and ended; a password is judged', async () => {
  const { page, other, server, people, faults } = await twoWindows(
    'Mel Member',
    '#settings/security',
  );
  await page.getByText('this one').waitFor();
  const password = passwordOf(server, 'mel');
  const keys = panel(page, 'API keys');
  await keys.getByLabel('Your password').fill('wrong');
  await keys.getByRole('button', { name: 'Show a key' }).click();
  await keys.getByRole('alert').waitFor();
  await keys.getByLabel('Your password').fill(password);
  await page.keyboard.press('Enter');
  const code = keys.locator('code');
  await code.waitFor();
  const first = (await code.textContent()) ?? '';
  const isGood = async (apiKey: string) =>
    (await server.get({ ...people.mel, apiKey }, '/users/me')).status === 200;
  expect(await isGood(first)).toBe(true);
  await keys.getByRole('button', { name: 'A new one, and end all before' }).click();
  await expect.poll(() => code.textContent()).not.toBe(first);
  const second = (await code.textContent()) ?? '';
  expect([await isGood(first), await isGood(second)]).toEqual([false, true]);
  await expect.poll(() => keys.getByRole('listitem').count()).toBe(1);
  expect(await findingsOn(page)).toEqual([]);
  await keys.getByRole('button', { name: 'Hide it' }).click();
  await keys.getByRole('button', { name: /^End the key/ }).click();
  await expect.poll(() => keys.getByRole('listitem').count()).toBe(0);
  expect(await isGood(second)).toBe(false);

  await page.getByRole('button', { name: 'Log all others out' }).click();
  await other.getByRole('heading', { name: 'Log in' }).waitFor();
  await expect
    .poll(() => panel(page, 'Where you are logged in').getByRole('listitem').count())
    .toBe(1);
  const change = panel(page, 'Password');
  await change.getByLabel('Current password').fill(password);
  const next = change.getByLabel('New password');
  const submit = change.getByRole('button', { name: 'Change password' });
  await next.fill('short');
  await change.getByText('Too short: it needs 6 characters').waitFor();
  expect(await submit.isDisabled()).toBe(true);
  await next.fill('12345678');
  await change.getByText('Too easy to guess').waitFor();
  await submit.click();
  await change.getByRole('alert').waitFor();
  await next.fill('three lamps on a quiet street');
  await change.getByText('Strong').waitFor();
  await submit.click();
  await page.getByText(/Your password is changed/).waitFor();
  expect(faults).toEqual([]);
});

inChromium('who leaves says so with the own address, and is logged out', async () => {
  const { page, server, people } = await loggedIn('Max Member', { colorScheme: 'dark' });
  await follow(page, '#settings/security');
  await page.getByRole('button', { name: 'Deactivate your account …' }).click();
  const dialog = page.getByRole('dialog');
  const leave = dialog.getByRole('button', { name: 'Deactivate my account' });
  expect(await leave.isDisabled()).toBe(true);
  expect(await findingsOn(page)).toEqual([]);
  await page.keyboard.type('max@demo.example.com');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  expect((await own(server, { ...people.ona, id: people.max.id }))['is_active']).toBe(false);
});

inChromium('settings are saved at once, act at once, and other windows follow', async () => {
  const { page, other, context, server, people, origin, faults } = await twoWindows(
    'Mel Member',
    '#settings/appearance',
  );
  const background = (of: Page) => of.evaluate('getComputedStyle(document.body).backgroundColor');
  const light = await background(other);
  await page.getByLabel('Dark').check();
  await panel(page, 'Colours').getByText('Saved').waitFor();
  await expect.poll(() => background(other)).not.toBe(light);
  await page.getByLabel('Size of texts').selectOption('Larger');
  await expect
    .poll(() => other.evaluate('getComputedStyle(document.body).fontSize'))
    .toBe('18.75px');
  await page.getByLabel('Hours from 0 to 23').check();
  await panel(page, 'Time and place').getByText('Saved').waitFor();
  expect(await findingsOn(page)).toEqual([]);
  await page.getByLabel('The chat begins with').selectOption('recent conversations');
  await expect
    .poll(async () => (await settingsOf(server, people.mel)).user_settings)
    .toMatchObject({
      color_scheme: 2,
      web_font_size_px: 20,
      twenty_four_hour_time: true,
      web_home_view: 'recent_topics',
    });
  await expect
    .poll(() => other.getByLabel('The chat begins with').inputValue())
    .toBe('recent_topics');
  await other.goto('about:blank');
  await other.goto(origin);
  await other.getByRole('heading', { level: 1, name: 'Recent conversations' }).waitFor();
  expect(await background(other)).not.toBe(light);

  await page.getByRole('tab', { name: 'Appearance' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.getByLabel('Enter sends', { exact: false }).check();
  await page.getByLabel('Messages that you have seen are read').selectOption({ index: 2 });
  expect(await findingsOn(page)).toEqual([]);
  // Another tab of the same browser follows what the browser keeps.
  const tab = await context.newPage();
  await tab.goto(`${origin}/#settings/writing`);
  const letters = (of: Page) => of.getByLabel(/^Single letters are keys/);
  await letters(page).uncheck();
  await expect.poll(() => letters(tab).isChecked()).toBe(false);
  await tab.close();
  await say(server, people.max, ['general', 'lunch'], 'Soup?');
  await follow(page, '#narrow/channel/1-general/topic/lunch');
  await page.getByRole('article').getByText('Soup?').waitFor();
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Yes');
  await page.keyboard.press('Enter');
  await page.getByRole('article').getByText('Yes', { exact: true }).waitFor();
  const unread = async () => {
    const { body } = await server.post(people.mel, '/register', {
      fetch_event_types: ['message', 'update_message_flags'],
    });
    return (body as { unread_msgs: { streams: { topic: string }[] } }).unread_msgs.streams.map(
      ({ topic }) => topic,
    );
  };
  expect(await unread()).toContain('lunch');
  expect(faults).toEqual([]);
});

inChromium('alert words, muted people and notifications are kept, and followed', async () => {
  const { page, other, server, people, faults } = await twoWindows(
    'Mel Member',
    '#settings/notifications',
  );
  await panel(page, 'Alert words').getByLabel('A word or phrase').fill('soup');
  await page.keyboard.press('Enter');
  await panel(other, 'Alert words').getByText('soup').waitFor();
  const mentions = panel(page, 'Mentions and direct messages');
  await mentions.getByLabel('By mail, when you are away').uncheck();
  await mentions.getByText('Saved').waitFor();
  await page.getByLabel('Sound', { exact: true }).selectOption('Knock');
  await panel(page, 'How you are told').getByText('Saved').waitFor();
  await page.getByRole('button', { name: 'Hear the sound' }).click();
  expect(await findingsOn(page)).toEqual([]);
  await expect
    .poll(async () => await settingsOf(server, people.mel))
    .toMatchObject({
      alert_words: ['soup'],
      user_settings: { enable_offline_email_notifications: false, notification_sound: 'knock' },
    });
  await panel(other, 'Alert words')
    .getByRole('button', { name: /alert word soup/ })
    .click();
  await panel(page, 'Alert words').getByText('soup').waitFor({ state: 'detached' });
  await server.post(people.mel, `/users/me/muted_users/${people.max.id}`);
  await follow(page, '#settings/privacy');
  const muted = panel(page, 'Muted people');
  await muted.getByText('Max Member').waitFor();
  expect(await findingsOn(page)).toEqual([]);
  await muted.getByRole('button', { name: 'Stop muting Max Member' }).click();
  await muted.getByText('You have muted nobody.').waitFor();
  await page.getByLabel('Others see that I write in a channel').uncheck();
  await page.getByLabel('My mail address is seen by').selectOption('nobody');
  await expect
    .poll(async () => (await settingsOf(server, people.mel)).user_settings)
    .toMatchObject({
      send_stream_typing_notifications: false,
      email_address_visibility: 4,
    });
  expect(faults).toEqual([]);
});
