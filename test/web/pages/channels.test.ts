import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findingsOn } from '../../support/pages/accessibility.ts';
import { CHROMIUM } from '../../support/pages/browser.ts';
import { fillHall, openHall } from '../../support/pages/hall.ts';
import {
  enter,
  follow,
  loggedIn,
  made,
  openedPage,
  say,
  titleOf,
} from '../../support/pages/web-client.ts';
import type { DemoPlace } from '../../support/people/demo-server.ts';
import type { Person } from '../../support/users.ts';

const inChromium = test.skipIf(CHROMIUM === null);

const LUNCH = '#narrow/channel/1-general/topic/lunch';

const rightOf = (page: Page) => page.getByRole('complementary', { name: 'People' });
const focused = (page: Page) => page.locator(':focus');

const subscribersOf = async (server: DemoPlace, as: Person, id: number) =>
  (await server.get(as, `/streams/${id}/members`)).body['subscribers'] as number[];

inChromium(
  'people and groups are added to a channel and removed from it, by the keys',
  async () => {
    const { page, server, people, faults } = await openedPage();
    const { ona, mel, max, ada } = people;
    const id = await made(server, ona, 'design');
    await server.post(ona, '/user_groups/create', {
      name: 'drawers',
      description: 'Those who draw',
      members: [mel.id, max.id],
    });
    await enter(page, 'Ona Owner');
    await follow(page, '#channels');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Settings of design' }).press('Enter');
    await dialog.getByRole('tab', { name: 'For you' }).focus();
    await page.keyboard.press('ArrowRight');
    await dialog.getByRole('tab', { name: 'People 1' }).waitFor();
    const add = dialog.getByRole('combobox', { name: 'Add people' });
    await add.fill('draw');
    await page.keyboard.press('Enter');
    await add.fill('ada');
    await page.keyboard.press('Enter');
    expect(await findingsOn(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Add 3 people' }).press('Enter');
    await dialog.getByRole('tab', { name: 'People 4' }).waitFor();
    await dialog.getByText('max@demo.example.com').waitFor();
    const all = [ona, mel, max, ada].map((person) => person.id).sort((one, other) => one - other);
    expect(await subscribersOf(server, ona, id)).toEqual(all);

    await dialog.getByRole('searchbox').fill('member');
    await dialog.getByText('2 people').waitFor();
    // The list is one stop, and the arrows go through it.
    await page.keyboard.press('Tab');
    expect(await focused(page).getAttribute('aria-label')).toBe('Choose Max Member');
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await dialog.getByRole('button', { name: 'Remove 2' }).press('Enter');
    await dialog.getByText('Nobody is like that.').waitFor();
    await expect.poll(() => subscribersOf(server, ona, id)).toEqual([ona.id, ada.id].sort());
    expect(faults).toEqual([]);
  },
);

inChromium('who may do what in a channel is decided, and shown to others in words', async () => {
  const { page, server, people, faults } = await loggedIn('Ona Owner', { colorScheme: 'dark' });
  await made(server, people.ona, 'news', { subscribers: [people.ona.id, people.mel.id] });
  await follow(page, '#channels');
  await page.getByRole('button', { name: 'Settings of news' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('tab', { name: 'Who may do what' }).click();
  const write = dialog.getByLabel('Who may write');
  await write.selectOption('Administrators');
  const setting = async () =>
    (
      (await server.get(people.ona, '/streams')).body['streams'] as {
        name: string;
        can_send_message_group: unknown;
      }[]
    ).find(({ name }) => name === 'news')?.can_send_message_group;
  await expect.poll(setting).toBe(6);
  await write.selectOption('Some people …');
  await dialog.locator('.chip').getByText('Administrators').waitFor();
  await dialog.getByRole('combobox', { name: 'People and groups' }).fill('mel m');
  await page.keyboard.press('Enter');
  expect(await findingsOn(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('button', { name: 'Change these people: Who may write' }).waitFor();
  await expect.poll(setting).toEqual({ direct_members: [people.mel.id], direct_subgroups: [6] });
  const other = await (await page.context().browser()?.newContext())?.newPage();
  if (other === undefined) expect.fail('the page has a browser');
  await other.goto(new URL(page.url()).origin);
  await enter(other, 'Mel Member');
  await follow(other, '#channels');
  await other.getByRole('button', { name: 'Settings of news' }).click();
  await other.getByRole('tab', { name: 'Who may do what' }).click();
  await other.getByText('Administrators, Mel Member').waitFor();
  expect(await other.getByRole('tab', { name: 'For everybody' }).count()).toBe(0);
  expect(faults).toEqual([]);
});

inChromium('folders are made, put in order, and group the channels of all', async () => {
  const { page, browser, origin, server, people, faults } = await loggedIn('Ona Owner');
  const id = await made(server, people.ona, 'chess', {
    subscribers: [people.ona.id, people.mel.id],
  });
  const other = await (await browser.newContext()).newPage();
  await other.goto(origin);
  await enter(other, 'Mel Member');
  await follow(page, '#channels');
  await page.getByRole('button', { name: 'Folders' }).click();
  const dialog = page.getByRole('dialog');
  for (const name of ['Work', 'Play']) {
    await dialog.getByLabel('Name of the folder').fill(name);
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: `Rename ${name}` }).waitFor();
  }
  expect(await findingsOn(page)).toEqual([]);
  const up = dialog.getByRole('button', { name: 'Move Play up' });
  await up.press('Enter');
  const names = () => dialog.locator('.card-name').allTextContents();
  await expect.poll(names).toEqual(['Play', 'Work']);
  expect(await focused(page).getAttribute('aria-label')).toBe('Move Play up');
  await dialog.getByRole('button', { name: 'Rename Work' }).click();
  await dialog.getByLabel('Name of the folder').first().fill('Labour');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect.poll(names).toEqual(['Play', 'Labour']);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Settings of chess' }).click();
  await dialog.getByRole('tab', { name: 'For everybody' }).click();
  await dialog.getByLabel('Folder').selectOption('Play');
  const left = other.getByRole('navigation', { name: 'Conversations' });
  await left.getByRole('heading', { name: 'Play' }).waitFor();
  const section = left.locator('section').filter({ hasText: 'Play' });
  await section.getByRole('link', { name: 'chess' }).waitFor();
  const { body } = await server.get(people.ona, `/streams/${id}`);
  expect(body['stream']).toMatchObject({ folder_id: 2 });
  expect(faults).toEqual([]);
});

const rowOf = (page: Page, topic: string): Locator =>
  page.getByRole('listitem').filter({ has: page.getByRole('link', { name: topic, exact: true }) });

inChromium(
  'all topics of a channel are found, sorted, followed, resolved and deleted',
  async () => {
    const { page, server, people, faults } = await openedPage();
    for (const topic of ['lunch', 'logo', 'budget']) {
      await say(server, people.max, ['general', topic], `About ${topic}`);
    }
    await say(server, people.max, ['general', 'logo'], 'More');
    await enter(page, 'Ona Owner');
    await follow(page, '#narrow/channel/1-general');
    await page.getByRole('article').first().waitFor();
    await rightOf(page).getByRole('link', { name: 'All topics' }).click();
    await page.getByRole('heading', { level: 1, name: 'Topics' }).waitFor();
    const topics = page.getByRole('list', { name: 'Topics' });
    const names = () => topics.locator('.card-name').allTextContents();
    await expect.poll(async () => (await names()).slice(0, 3)).toEqual(['logo', 'budget', 'lunch']);
    await page.getByLabel('Order').selectOption('By name');
    await expect.poll(async () => (await names())[0]).toBe('budget');
    const acts = async (topic: string, act: string) => {
      await topics.getByRole('button', { name: `Acts on ${topic}` }).press('Enter');
      await page.getByRole('menu').getByText(act).click();
    };
    await acts('lunch', 'Follow the topic');
    await rowOf(page, 'lunch').getByText('Followed').waitFor();
    await acts('lunch', 'Resolve the topic');
    await rowOf(page, 'lunch').getByText('Resolved · Followed').waitFor();
    expect(await titleOf(page)).toBe('Topics');
    expect(await findingsOn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Resolved', exact: true }).click();
    await expect.poll(names).toEqual(['lunch']);
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await acts('budget', 'Delete the topic');
    const dialog = page.getByRole('dialog');
    expect(await findingsOn(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Delete all of its messages' }).click();
    await rowOf(page, 'budget').waitFor({ state: 'detached' });
    await page.getByLabel('Filter topics').fill('zzz');
    await page.getByRole('heading', { name: 'No topic is like that' }).waitFor();
    expect(faults).toEqual([]);
  },
);

inChromium(
  'a view of followed topics has what one follows meanwhile, without a reload',
  async () => {
    const { page, server, people, faults } = await openedPage();
    await say(server, people.max, ['general', 'lunch'], 'Soup?');
    await say(server, people.max, ['general', 'logo'], 'Blue?');
    await enter(page, 'Mel Member');
    await follow(page, '#narrow/is/followed');
    await page.getByRole('heading', { level: 1, name: 'Followed topics' }).waitFor();
    const decide = (topic: string, visibility_policy: number) =>
      server.post(people.mel, '/user_topics', { stream_id: 1, topic, visibility_policy });
    await decide('lunch', 3);
    const article = page.getByRole('article');
    await article.getByText('Soup?').waitFor();
    await say(server, people.max, ['general', 'lunch'], 'Or bread?');
    await article.getByText('Or bread?').waitFor();
    await decide('logo', 3);
    await article.getByText('Blue?').waitFor();
    await decide('lunch', 1);
    await article.getByText('Soup?').waitFor({ state: 'detached' });
    await follow(page, '#narrow/is/muted');
    await article.getByText('Or bread?').waitFor();
    expect(await article.getByText('Blue?').count()).toBe(0);
    expect(faults).toEqual([]);
  },
);

inChromium(
  'the right column has the people of what is shown, and what is true of a topic',
  async () => {
    const { page, server, people, faults } = await openedPage({ width: 1400 });
    await say(server, people.max, ['general', 'lunch'], 'Soup?');
    await made(server, people.ona, 'design', { subscribers: [people.ona.id, people.mel.id] });
    await enter(page, 'Mel Member');
    const right = rightOf(page);
    await right.getByRole('heading', { name: 'People' }).waitFor();
    await follow(page, '#narrow/channel/3-design');
    await right.getByRole('heading', { name: /^In design/ }).waitFor();
    await right.getByRole('heading', { name: /^Not in the channel/ }).waitFor();
    const lines = () => right.locator('.people-list li').allTextContents();
    const before = await lines();
    expect(before[0]).toContain('In design2');
    expect(before.findIndex((line) => line.includes('Max Member'))).toBeGreaterThan(
      before.findIndex((line) => line.startsWith('Not in the channel')),
    );
    await server.post(people.ona, '/users/me/subscriptions', {
      subscriptions: [{ name: 'design' }],
      principals: [people.max.id],
    });
    await expect.poll(async () => (await lines())[0]).toContain('In design3');
    await follow(page, LUNCH);
    await page.getByRole('article').getByText('Soup?').waitFor();
    await right.getByRole('button', { name: 'Profile of Max Member' }).first().waitFor();
    await right.getByLabel('For you').selectOption('Followed');
    await expect
      .poll(async () => {
        const { body } = await server.post(people.mel, '/register', {
          fetch_event_types: ['user_topic'],
        });
        return body['user_topics'];
      })
      .toMatchObject([{ topic_name: 'lunch', visibility_policy: 3 }]);
    expect(await findingsOn(page)).toEqual([]);
    await follow(page, `#narrow/dm/${people.max.id}`);
    await right.getByRole('heading', { name: /^In this conversation/ }).waitFor();
    await expect.poll(async () => (await lines()).length).toBe(3);
    expect(faults).toEqual([]);
  },
);

inChromium('a mention of a group opens its card, whose people have theirs', async () => {
  const { page, server, people, faults } = await openedPage();
  await server.post(people.ona, '/user_groups/create', {
    name: 'drawers',
    description: 'Those who draw',
    members: [people.mel.id, people.max.id],
  });
  await say(server, people.ona, ['general', 'lunch'], 'Hello @*drawers*');
  await enter(page, 'Mel Member');
  await follow(page, LUNCH);
  const mention = page.getByRole('article').getByText('@drawers');
  await mention.waitFor();
  expect(await findingsOn(page)).toEqual([]);
  await mention.press('Enter');
  const group = page.getByRole('dialog', { name: 'drawers' });
  await group.getByText('2 members · you are one of them').waitFor();
  await group.getByText('Those who draw').waitFor();
  expect(await findingsOn(page)).toEqual([]);
  await group.getByRole('button', { name: 'Max Member' }).press('Enter');
  const card = page.getByRole('dialog', { name: 'Max Member' });
  await card.getByRole('heading', { name: 'Channels in common' }).waitFor();
  await card.getByRole('link', { name: 'general' }).waitFor();
  expect(await findingsOn(page)).toEqual([]);
  await card.getByRole('button', { name: 'drawers' }).click();
  await group.waitFor();
  expect(faults).toEqual([]);
});

inChromium('a thousand people are gone through by the keys, in few elements', async () => {
  const { server, at } = await openHall();
  await fillHall(server, { people: 1_000, channels: 3 });
  const { page } = await at('#inbox');
  const right = rightOf(page);
  const rows = right.getByRole('listitem');
  await right.getByRole('heading', { name: /^People\s*1\d{3}/ }).waitFor();
  const first = right.getByRole('link').first();
  await first.focus();
  await page.keyboard.press('End');
  const row = page.getByRole('listitem').filter({ has: focused(page) });
  const place = () => row.evaluate((one) => [one.ariaPosInSet, one.ariaSetSize].join(' of '));
  await expect.poll(place).toMatch(/^(1\d{3}) of \1$/);
  expect(await rows.count()).toBeLessThan(60);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('PageUp');
  await page.keyboard.press('Home');
  await expect
    .poll(() => first.evaluate((link) => link === link.ownerDocument.activeElement))
    .toBe(true);
  expect(await rows.count()).toBeLessThan(60);
  // The Tab key leaves the list: it is one stop, with the two ways of its row.
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  expect(await right.locator(':focus').count()).toBe(0);
  await follow(page, '#channels');
  await page.getByRole('button', { name: 'Settings of general' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('tab', { name: /^People/ }).click();
  await dialog.getByRole('searchbox').waitFor();
  expect(await dialog.getByRole('listitem').count()).toBeLessThan(60);
});
