import { expect, test } from 'vitest';
import { CHROMIUM } from '../../support/pages/browser.ts';
import { enter, follow, loggedIn, loggedInAt, say } from '../../support/pages/web-client.ts';
import { startProcess } from '../../support/processes/start-process.ts';

const inChromium = test.skipIf(CHROMIUM === null);

const TOPIC = '#narrow/channel/1-general/topic/plans';

/** Counts what the outbox has in the storage of the browser. */
const STORED = `(async () => {
  const done = (request) => new Promise((resolve) => {
    request.onsuccess = () => resolve(request.result);
  });
  const names = (await indexedDB.databases()).map(({ name }) => name);
  const database = await done(indexedDB.open(names.find((name) => name.startsWith('confab-outbox'))));
  const entries = database.transaction('entries').objectStore('entries');
  return done(entries.count()).finally(() => database.close());
})()`;

const writeHere = async (page: Awaited<ReturnType<typeof loggedIn>>['page'], text: string) => {
  await page.getByRole('textbox', { name: /Message/ }).fill(text);
  await page.keyboard.press('Control+Enter');
};

inChromium(
  'what is sent while the server is away waits, is told of, and is sent once',
  async () => {
    const { page, server, people, faults } = await loggedInAt(await startProcess(), 'Mel Member');
    await say(server, people.max, ['general', 'plans'], 'Who is in?');
    await follow(page, TOPIC);
    await page.getByRole('article').getByText('Who is in?').waitFor();
    await server.end('SIGKILL');
    const state = page.locator('.own').getByRole('status');
    await state.getByText(/reconnecting/).waitFor();
    await writeHere(page, 'I am in');
    await page.getByText('I am in').waitFor();
    await state.getByText(/1 message waiting/).waitFor();
    await server.start();
    await page.getByRole('article').getByText('I am in').waitFor();
    await expect.poll(() => state.textContent()).toBe('live');
    const { body } = await server.get(people.max, '/messages', {
      anchor: 'newest',
      num_before: 10,
      num_after: 0,
      narrow: [{ operator: 'topic', operand: 'plans' }],
    });
    expect(body.messages.map(({ content }: { content: string }) => content)).toEqual([
      '<p>Who is in?</p>',
      '<p>I am in</p>',
    ]);
    // The browser itself says that the server is away.
    const others = faults.filter((fault) => !fault.includes('ERR_CONNECTION_REFUSED'));
    expect(others).toEqual([]);
  },
);

inChromium('a message that waits survives that its tab is closed', async () => {
  const started = await startProcess();
  const { page, context, origin, server, people } = await loggedInAt(started, 'Mel Member');
  await say(server, people.max, ['general', 'plans'], 'Who is in?');
  await follow(page, TOPIC);
  await page.getByRole('article').getByText('Who is in?').waitFor();
  await server.end('SIGKILL');
  await page
    .locator('.own')
    .getByText(/reconnecting/)
    .waitFor();
  await writeHere(page, 'I am in as well');
  await page
    .locator('.own')
    .getByText(/1 message waiting/)
    .waitFor();
  // The words are there before the browser has stored it.
  await expect.poll(() => page.evaluate(STORED)).toBe(1);
  await page.close();
  await server.start();
  const later = await context.newPage();
  await later.goto(`${origin}/${TOPIC}`);
  await later.getByRole('article').getByText('I am in as well').waitFor();
});

inChromium('two tabs of one account show the same, and one logs the other out', async () => {
  const { page, context, origin, server, people } = await loggedIn('Mel Member');
  const other = await context.newPage();
  await other.goto(origin);
  await other.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
  await say(server, people.max, ['general', 'plans'], 'Who is in?');
  await other.getByRole('main').getByRole('link', { name: 'plans 1 unread' }).waitFor();
  await follow(page, TOPIC);
  // The other tab hears of what is read.
  await other.getByRole('heading', { name: 'You have read everything' }).waitFor();
  await writeHere(page, 'From the first tab');
  await follow(other, TOPIC);
  // Tabs share what waits, so that for a moment a message may be in the other tab's outbox as well.
  await expect.poll(() => other.getByText('From the first tab').count()).toBe(1);
  await writeHere(other, 'From the second tab');
  await expect.poll(() => page.getByText('From the second tab').count()).toBe(1);
  await expect.poll(() => page.getByRole('article').count()).toBe(3);
  await other.getByRole('button', { name: 'Menu' }).click();
  await other.getByRole('menuitem', { name: 'Log out' }).click();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
});

inChromium(
  'a message that mentions somebody, a new topic and a direct message arrive',
  async () => {
    const { page, browser, origin } = await loggedIn('Mel Member');
    const max = await (await browser.newContext()).newPage();
    await max.goto(origin);
    await enter(max, 'Max Member');
    await follow(page, '#narrow/channel/1-general/topic/a new topic'.replaceAll(' ', '.20'));
    await writeHere(page, 'See this, @**Max Member**');
    await max.getByRole('link', { name: 'Mentions 1 unread' }).first().click();
    await max.getByRole('article').getByText('See this').waitFor();
    await follow(max, '#narrow/dm/4-Mel-Member');
    await writeHere(max, 'I have seen it');
    await page
      .getByRole('navigation')
      .getByRole('link', { name: /Max Member.* 1 unread/ })
      .click();
    await page.getByRole('article').getByText('I have seen it').waitFor();
  },
);
