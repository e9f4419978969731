import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findingsOn } from '../../support/pages/accessibility.ts';
import { CHROMIUM } from '../../support/pages/browser.ts';
import { enter, follow, loggedIn, openedPage, say } from '../../support/pages/web-client.ts';
import type { DemoPlace } from '../../support/people/demo-server.ts';
import type { Person } from '../../support/users.ts';

const inChromium = test.skipIf(CHROMIUM === null);

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;

const channelId = async (server: DemoPlace, person: Person, stream: string) =>
  ((await server.get(person, '/get_stream_id', { stream })).body as { stream_id: number })
    .stream_id;

const listed = async (server: DemoPlace, person: Person) =>
  (await server.get(person, '/scheduled_messages')).body['scheduled_messages'] as Record<
    string,
    unknown
  >[];

const textsOf = (page: Page, name: string) =>
  page
    .locator('section.ahead')
    .filter({ has: page.getByRole('heading', { name }) })
    .locator('a.card-name')
    .allTextContents();

inChromium('what is sent later is changed, sent and cancelled, and two windows agree', async () => {
  const { page, browser, origin, server, people, faults } = await openedPage();
  const { mel, max } = people;
  const to = await channelId(server, mel, 'general');
  const message = { type: 'stream', to, topic: 'lunch' };
  for (const [at, content] of ['**Soup**', 'Bread', 'Tea'].entries()) {
    await server.post(mel, '/scheduled_messages', {
      ...message,
      content,
      scheduled_delivery_timestamp: inSeconds(3_600 * (at + 1)),
    });
  }
  const asked = (await say(server, max, ['general', 'lunch'], 'What do we need?')).body['id'];
  await server.post(mel, '/reminders', {
    message_id: asked,
    scheduled_delivery_timestamp: inSeconds(7_200),
    note: 'Ask **Max** :tada:',
  });
  await server.post(mel, '/drafts', {
    drafts: [{ type: '', to: [], topic: '', content: 'To whom?', timestamp: inSeconds(0) }],
  });
  await enter(page, 'Mel Member');
  const other = await (await browser.newContext()).newPage();
  await other.goto(origin);
  await enter(other, 'Mel Member');
  await follow(page, '#drafts');
  await follow(other, '#drafts');
  await expect.poll(() => textsOf(other, 'Sent later')).toEqual(['Soup', 'Bread', 'Tea']);
  // Lines have no markup, and a reminder says where its message is.
  await expect.poll(() => textsOf(page, 'Reminders')).toEqual(['Ask Max 🎉']);
  await page.locator('.ahead-place').getByText('lunch').last().waitFor();
  expect(await findingsOn(page)).toEqual([]);

  await page.getByRole('button', { name: 'Change: Bread' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  const save = dialog.getByRole('button', { name: 'Save' });
  await dialog.getByLabel('Message').waitFor();
  expect(await save.isDisabled()).toBe(true);
  await page.keyboard.press('Control+A');
  await page.keyboard.type('Dark bread');
  await dialog.getByLabel('When').fill('2030-01-02T15:04');
  await dialog.getByLabel('Where it goes').selectOption('To people');
  expect(await save.isDisabled()).toBe(true);
  await dialog.getByRole('combobox', { name: 'People' }).fill('Ada');
  await page.keyboard.press('Enter');
  expect(await findingsOn(page)).toEqual([]);
  await save.click();
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => textsOf(other, 'Sent later')).toEqual(['Soup', 'Tea', 'Dark bread']);
  expect((await listed(server, mel)).at(-1)).toMatchObject({
    type: 'private',
    to: [people.ada.id],
    content: 'Dark bread',
  });
  await other.getByRole('button', { name: 'Cancel: Soup' }).click();
  await expect.poll(() => textsOf(page, 'Sent later')).toEqual(['Tea', 'Dark bread']);
  await page.getByRole('button', { name: 'Send now: Tea' }).click();
  await expect.poll(() => textsOf(other, 'Sent later')).toEqual(['Dark bread']);
  const { body } = await server.get(max, '/messages', {
    ...{ anchor: 'newest', num_before: 5, num_after: 0, apply_markdown: false },
  });
  expect(
    (body['messages'] as { content: string }[]).filter(({ content }) => content === 'Tea'),
  ).toHaveLength(1);

  await other.getByRole('button', { name: /^Delete the reminder/ }).click();
  await page.getByRole('heading', { name: 'Reminders' }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: /To nobody yet/ }).click();
  await expect
    .poll(() => page.getByRole('textbox', { name: 'Message', exact: true }).inputValue())
    .toBe('To whom?');
  await follow(page, '#drafts');
  await page.getByRole('button', { name: 'Delete the draft: To whom?' }).click();
  await other.getByRole('heading', { name: 'No drafts' }).waitFor();
  expect(faults).toEqual([]);
});

inChromium('a message that could not be sent says why, and is sent at another time', async () => {
  const { page, server, people, faults } = await openedPage({ colorScheme: 'dark' });
  const { ona, mel } = people;
  await server.post(ona, '/users/me/subscriptions', {
    ...{ subscriptions: [{ name: 'kitchen' }], invite_only: true },
    principals: [ona.id, mel.id],
  });
  const to = await channelId(server, mel, 'kitchen');
  await server.post(mel, '/scheduled_messages', {
    ...{ type: 'stream', to, topic: 'lunch', content: 'Soup' },
    scheduled_delivery_timestamp: inSeconds(2),
  });
  await server.delete(ona, '/users/me/subscriptions', {
    ...{ subscriptions: ['kitchen'], principals: [mel.id] },
  });
  await enter(page, 'Mel Member');
  await follow(page, '#drafts');
  await page.getByText(/^It was not sent: .*(permission|authorized)/).waitFor();
  expect(await findingsOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Change: Soup' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Where it goes').selectOption('#general');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText(/^It was not sent/).waitFor({ state: 'detached' });
  const [message] = await listed(server, mel);
  expect(message).toMatchObject({ failed: false, topic: 'lunch' });
  expect(message).not.toHaveProperty('failure_reason');
  expect(faults).toEqual([]);
});

inChromium('invitations are sent again and taken back, and two windows agree', async () => {
  const { page, browser, origin, server, people, faults } = await loggedIn('Ona Owner');
  const other = await (await browser.newContext()).newPage();
  await other.goto(origin);
  await enter(other, 'Ada Administrator');
  await follow(page, '#organization/invitations');
  await follow(other, '#organization/invitations');
  await page.getByRole('heading', { name: 'No invitation is open' }).waitFor();
  await server.post(people.ona, '/invites', {
    invitee_emails: 'new@demo.example.com',
    stream_ids: [],
  });
  await server.post(people.ona, '/invites/multiuse', {});
  const count = (of: Page) =>
    of
      .getByRole('main')
      .getByRole('button', { name: /^Revoke/ })
      .count();
  await expect.poll(() => count(page)).toBe(2);
  await expect.poll(() => count(other)).toBe(2);
  expect(await findingsOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Send again: new@demo.example.com' }).click();
  await page.getByText('It is sent again.').waitFor();
  await other.getByRole('button', { name: 'Revoke: new@demo.example.com' }).click();
  await expect.poll(() => count(page)).toBe(1);
  await page.getByRole('button', { name: 'Revoke: A link' }).click();
  await other.getByRole('heading', { name: 'No invitation is open' }).waitFor();
  expect(faults).toEqual([]);
});
