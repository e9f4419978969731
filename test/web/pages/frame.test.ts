import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { findingsInBoth, findingsOn } from '../../support/pages/accessibility.ts';
import { CHROMIUM } from '../../support/pages/browser.ts';
import {
  enter,
  follow,
  loggedIn,
  loggedInAt,
  openedPage,
  say,
  titleOf,
  write,
} from '../../support/pages/web-client.ts';
import { startProcess } from '../../support/processes/start-process.ts';

const inChromium = test.skipIf(CHROMIUM === null);

inChromium('a newcomer logs in by a button, reads what is unread, and logs out', async () => {
  const { page, server, people, faults } = await openedPage();
  await say(server, people.max, ['general', 'lunch'], 'Soup at noon?');
  await say(server, people.ona, ['general', 'lunch'], 'Yes!');
  await write(server, people.ada, [people.mel], 'Hello Mel');
  await enter(page, 'Mel Member');
  expect(await titleOf(page)).toBe('Inbox');
  const left = page.getByRole('navigation', { name: 'Conversations' });
  await left.getByRole('link', { name: 'Inbox 3 unread' }).waitFor();
  await left.getByRole('link', { name: 'general 2 unread' }).waitFor();
  await left.getByRole('link', { name: 'Ada Administrator 1 unread' }).waitFor();
  await expect.poll(() => page.title()).toBe('(3) Inbox · Demo');
  await page.getByRole('main').getByRole('link', { name: 'lunch 2 unread' }).click();
  await page.getByRole('article').getByText('Soup at noon?').waitFor();
  expect(await titleOf(page)).toBe('lunch');
  // Looking at messages reads them, which the server tells all clients.
  await expect.poll(() => page.title()).toBe('(1) lunch · general · Demo');
  await left.getByRole('link', { name: 'Inbox 1 unread' }).click();
  await page.getByRole('button', { name: 'Mark the conversation as read' }).click();
  await page.getByRole('heading', { name: 'You have read everything' }).waitFor();
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  expect(faults).toEqual([]);
});

inChromium(
  'a password lets one in, a wrong one does not, and a reload stays logged in',
  async () => {
    const { page, server } = await openedPage();
    const { users } = JSON.parse(
      readFileSync(join(server.data, 'demo-credentials.json'), 'utf8'),
    ) as { users: { email: string; password: string }[] };
    const mel = users.find(({ email }) => email.startsWith('mel@'));
    await page.getByLabel('Email address').fill('mel@demo.example.com');
    await page.getByLabel('Password').fill('not the password');
    await page.keyboard.press('Enter');
    await page
      .getByRole('alert')
      .getByText(/password/)
      .waitFor();
    await page.getByLabel('Password').fill(mel?.password ?? '');
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
  },
);

inChromium('two people talk: what one sends is unread for the other until it is read', async () => {
  const { page, browser, origin, server, people } = await loggedIn('Mel Member');
  await say(server, people.ona, ['general', 'welcome'], 'Hello, everyone');
  const other = await (await browser.newContext()).newPage();
  await other.goto(origin);
  await enter(other, 'Max Member');
  const inMain = other.getByRole('main');
  await inMain.getByRole('link', { name: 'welcome 1 unread' }).click();
  await other.getByRole('article').getByText('Hello, everyone').waitFor();
  await other.getByRole('navigation').getByRole('link', { name: 'Inbox' }).first().click();
  await inMain.getByRole('heading', { name: 'You have read everything' }).waitFor();

  await follow(page, '#narrow/channel/1-general/topic/welcome');
  await page.getByRole('article').getByText('Hello, everyone').waitFor();
  await page.getByRole('textbox', { name: /Message/ }).fill('Hello from Mel');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('article').getByText('Hello from Mel').waitFor();
  await inMain.getByRole('link', { name: 'welcome 1 unread' }).waitFor();
  await expect.poll(() => other.title()).toBe('(1) Inbox · Demo');
  await inMain.getByRole('link', { name: 'welcome 1 unread' }).click();
  await other.getByRole('article').getByText('Hello from Mel').waitFor();
  await expect.poll(() => other.title()).toBe('welcome · general · Demo');
});

inChromium('the palette goes anywhere by name, and gives the focus back', async () => {
  const { page, server, people } = await loggedIn('Mel Member');
  await say(server, people.max, ['random', 'birthdays'], 'Cake at three');
  await page.keyboard.press('/');
  const focused = () => page.locator(':focus').getAttribute('aria-label');
  await expect.poll(focused).toBe('Search');
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Channel, topic, person or view' });
  await field.fill('birth');
  await page.getByRole('option', { name: 'birthdays random 1' }).waitFor();
  expect(await findingsOn(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await field.waitFor({ state: 'detached' });
  expect(await focused()).toBe('Search');
  await page.keyboard.press('Control+k');
  await field.fill('birth');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'birthdays' }).waitFor();
  await page.keyboard.press('Control+k');
  await field.fill('ada');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Ada Administrator' }).waitFor();
  // An empty field begins with where one was before.
  await page.keyboard.press('Control+k');
  await page.getByRole('option').first().getByText('birthdays').waitFor();
});

inChromium(
  'keys go to views, letters in fields are letters, and a setting turns them off',
  async () => {
    const { page, server, people } = await loggedIn('Mel Member');
    await say(server, people.max, ['general', 'first'], 'a');
    await say(server, people.max, ['random', 'second'], 'b');
    await write(server, people.ada, [people.mel], 'Hello');
    const shows = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
    await page.keyboard.press('t');
    await shows('Recent conversations');
    await page.keyboard.press('Shift+I');
    await shows('Inbox');
    await page.getByRole('main').getByRole('link', { name: 'first' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Ada Administrator' }).waitFor();
    await page.keyboard.press('n');
    await shows('first');
    await page.keyboard.press('n');
    await shows('second');
    await page.keyboard.press('p');
    await shows('Ada Administrator');
    await page.keyboard.press('a');
    await shows('All messages');
    await page.keyboard.press('Escape');
    await shows('Inbox');
    await page.keyboard.press('/');
    await page.keyboard.type('tea');
    expect(await page.getByRole('combobox', { name: 'Search' }).inputValue()).toBe('tea');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keys' });
    await help.getByText('recent conversations').waitFor();
    expect(await findingsOn(page)).toEqual([]);
    await help.getByRole('checkbox').uncheck();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    await page.keyboard.press('t');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /Channel/ }).waitFor();
    await page.keyboard.press('Escape');
    await shows('Inbox');
  },
);

inChromium('a search is completed, finds, and says what it does not understand', async () => {
  const { page, server, people } = await loggedIn('Mel Member');
  await say(server, people.max, ['general', 'tea'], 'Green tea, see https://example.com/tea');
  await say(server, people.ada, ['general', 'tea'], 'Black tea');
  const search = page.getByRole('combobox', { name: 'Search' });
  await search.fill('sen');
  await page.getByRole('option', { name: 'sender:' }).click();
  await page.keyboard.type('max');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  expect(await search.inputValue()).toBe('sender:"Max Member" ');
  expect(await findingsOn(page)).toEqual([]);
  await page.keyboard.type('has:link tea');
  await page.keyboard.press('Enter');
  await page.getByRole('article').getByText('Green').waitFor();
  expect(await page.getByRole('article').count()).toBe(1);
  expect(new URL(page.url()).hash).toBe(
    '#narrow/sender/12-Max-Member/has/link/search/tea'.replace('12', String(people.max.id)),
  );
  expect(await search.inputValue()).toBe('sender:"Max Member" has:link tea');
  await search.fill('channel:attic');
  await page.keyboard.press('Enter');
  await page.getByRole('status').getByText('No channel is called “attic”.').waitFor();
});

inChromium('links from elsewhere lead to their messages, and the browser goes back', async () => {
  const { page, server, people } = await loggedIn('Mel Member');
  const { body } = await say(server, people.max, ['general', 'a.b/c'], 'The message of the link');
  await follow(page, `#narrow/stream/1-an-old-name/subject/a.2Eb.2Fc/near/${body.id}`);
  await page.getByRole('heading', { level: 1, name: 'a.b/c' }).waitFor();
  await page.getByRole('article').getByText('The message of the link').waitFor();
  // A link names a message of its topic, which may have moved since.
  await server.patch(people.ona, `/messages/${body.id}`, { topic: 'elsewhere' });
  await follow(page, `#narrow/channel/1-general/topic/a.2Eb.2Fc/with/${body.id}`);
  await page.getByRole('heading', { level: 1, name: 'elsewhere' }).waitFor();
  await page.getByRole('article').getByText('The message of the link').waitFor();
  expect(new URL(page.url()).hash).toBe('#narrow/channel/1-general/topic/elsewhere');
  await follow(page, '#recent');
  await page.getByRole('heading', { level: 1, name: 'Recent' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'elsewhere' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'elsewhere' }).waitFor();
  await page.goForward();
  await page.getByRole('heading', { level: 1, name: 'Recent' }).waitFor();
  await follow(page, `#narrow/dm/${people.ada.id},${people.mel.id}-group`);
  await page.getByRole('heading', { level: 1, name: 'Ada Administrator' }).waitFor();
});

inChromium(
  'a server that goes away and comes back is told of in words, and nothing is missed',
  async () => {
    const { page, server, people } = await loggedInAt(await startProcess(), 'Mel Member');
    const state = page.locator('.own').getByRole('status');
    await server.end('SIGKILL');
    await state.getByText(/reconnecting/).waitFor();
    await page.getByRole('button', { name: 'Retry' }).first().waitFor();
    await server.start();
    await state.getByText(/caught up, nothing missed|live/).waitFor();
    await say(server, people.max, ['general', 'after'], 'It is back');
    await page.getByRole('main').getByRole('link', { name: 'after 1 unread' }).waitFor();
  },
);

const VIEWS: readonly (readonly [hash: string, name: string])[] = [
  ['#inbox', 'Inbox'],
  ['#recent', 'Recent conversations'],
  ['#drafts', 'Drafts'],
  ['#settings', 'Settings'],
  ['#narrow/channel/1-general', 'general'],
  ['#narrow/channel/1-general/topic/lunch', 'lunch'],
  ['#narrow/is/starred', 'Starred messages'],
  ['#narrow/search/nothing', 'Search'],
];

inChromium('axe finds nothing in any view, light and dark', async () => {
  const { page, server, people, faults } = await openedPage();
  expect(await findingsInBoth(page)).toEqual([]);
  await say(server, people.max, ['general', 'lunch'], 'Soup, @**Mel Member**? `code` and > quotes');
  await write(server, people.ada, [people.mel], 'Hello');
  await write(server, people.ada, [people.mel, people.max], 'Hello both');
  await enter(page, 'Mel Member');
  for (const [hash, name] of VIEWS) {
    await follow(page, hash);
    await page.getByRole('heading', { level: 1, name }).waitFor();
    if (hash === '#recent') await page.getByRole('main').getByRole('link').first().waitFor();
    if (name === 'lunch') await page.getByRole('article').first().waitFor();
    expect({ name, findings: await findingsInBoth(page) }).toEqual({ name, findings: [] });
  }
  expect(faults).toEqual([]);
});

inChromium('nothing is wider than a phone, and everything is reached there', async () => {
  const { page, server, people, faults } = await openedPage({ width: 390, height: 844 });
  await say(server, people.max, ['general', 'lunch'], 'Soup?');
  await enter(page, 'Mel Member');
  for (const [hash, name] of VIEWS) {
    await follow(page, hash);
    await page.getByRole('heading', { level: 1, name }).waitFor();
    const isWider = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    expect({ name, isWider }).toEqual({ name, isWider: false });
  }
  expect(await findingsOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Conversations', exact: true }).click();
  const left = page.getByRole('navigation', { name: 'Conversations' });
  await left.getByRole('link', { name: 'general' }).click();
  await left.waitFor({ state: 'hidden' });
  await page
    .getByRole('navigation', { name: 'Views' })
    .getByRole('link', { name: 'Inbox' })
    .click();
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
  expect(faults).toEqual([]);
});

inChromium(
  'the first key of a keyboard user skips to the messages; texts of 200 % fit',
  async () => {
    const { page } = await loggedIn('Mel Member', { width: 640, height: 400 });
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    await page.keyboard.press('Tab');
    const focused = page.locator(':focus');
    expect(await focused.textContent()).toBe('Skip to the messages');
    await page.keyboard.press('Enter');
    expect(await focused.getAttribute('id')).toBe('main');
    await page.evaluate("document.documentElement.style.fontSize = '200%'");
    for (const [hash] of VIEWS) {
      await follow(page, hash);
      expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
    }
  },
);

inChromium('no request leaves the server, also with pictures of people and links', async () => {
  const { page, origin, server, people, faults } = await openedPage();
  const origins = new Set<string>();
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) origins.add(new URL(request.url()).origin);
  });
  const link = 'See https://example.com/a ![picture](https://example.com/b.png)';
  await say(server, people.max, ['general', 'links'], link);
  await enter(page, 'Mel Member');
  for (const hash of ['#narrow/channel/1-general/topic/links', '#recent', '#feed']) {
    await follow(page, hash);
    await page
      .getByRole('main')
      .getByText(/links|See/)
      .first()
      .waitFor();
  }
  await page.waitForLoadState('networkidle');
  expect([...origins]).toEqual([origin]);
  expect(faults).toEqual([]);
});

inChromium('the theme that is chosen is kept, in this browser', async () => {
  const { page } = await loggedIn('Mel Member');
  await follow(page, '#settings/appearance');
  const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
  const light = await background();
  await page.getByLabel('Dark').check();
  const dark = await background();
  expect(dark).not.toBe(light);
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
  expect(await background()).toBe(dark);
  await page.getByLabel('High contrast').check();
  expect(await findingsOn(page)).toEqual([]);
});

interface Manifest {
  readonly script: string;
  readonly style: string;
  readonly parts: readonly string[];
  readonly files: Readonly<Record<string, { readonly brotli: number }>>;
}

test('the first load is at most 45 KiB as browsers get it, in 3 requests; later parts are smaller', () => {
  const file = join(inject('dist'), 'bundle', 'web', 'manifest.json');
  const { script, style, parts, files } = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  const first = ['index.html', style, script, ...parts];
  const size = (name: string) => files[name]?.brotli ?? Number.NaN;
  expect(first).toHaveLength(3);
  expect(first.reduce((sum, name) => sum + size(name), 0)).toBeLessThanOrEqual(45 * 1024);
  const later = Object.keys(files).filter((name) => !first.includes(name));
  expect(later.length).toBeGreaterThan(3);
  for (const name of later) {
    expect(size(name), `the packed size of ${name}`).toBeLessThanOrEqual(25 * 1024);
  }
});
