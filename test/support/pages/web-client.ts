import type { Page } from 'playwright-core';
import type { Client } from '../client.ts';
import { type DemoPlace, startDemoHere } from '../people/demo-server.ts';
import type { Person } from '../users.ts';
import { openTab } from './browser.ts';
import { byPointer } from './hand.ts';

type TabOptions = Parameters<typeof openTab>[0];

/** Starts a server with the demo realm, and opens its page, where nobody is logged in. */
export const openedPage = async (options?: TabOptions) => openedAt(await startDemoHere(), options);

/** The same, with somebody of the demo logged in. */
export const loggedIn = async (name: string, options?: TabOptions) =>
  loggedInAt(await startDemoHere(), name, options);

/** The same at a server that runs, like one in a process that can be killed. */
export async function loggedInAt<Server extends DemoPlace>(
  server: Server,
  name: string,
  options?: TabOptions,
) {
  const opened = await openedAt(server, options);
  await enter(opened.page, name);
  return opened;
}

async function openedAt<Server extends DemoPlace>(server: Server, options: TabOptions = {}) {
  const origin = `http://localhost:${server.port()}`;
  const tab = await openTab(options);
  await tab.page.goto(origin);
  await tab.page.getByRole('heading', { name: 'Log in' }).waitFor();
  return { ...tab, server, origin, people: peopleOf(server) };
}

/** Logs in by the button of a person of the demo. */
export async function enter(page: Page, name: string, hand = byPointer(page)): Promise<void> {
  await hand.press(page.getByRole('button', { name }));
  // The left column is hidden where there is room for one.
  await page.locator('nav.left').waitFor({ state: 'attached' });
  await page.getByText('live', { exact: true }).first().waitFor({ state: 'attached' });
}

function peopleOf({ people }: DemoPlace) {
  const { mel, max, ona, ada, gus } = people;
  if (!mel || !max || !ona || !ada || !gus) throw new Error('The demo realm has these people');
  return { mel, max, ona, ada, gus };
}

/** Makes a channel with some people in it, by default only who makes it; returns its id. */
export async function made(
  server: Pick<Client, 'post'>,
  by: Person,
  name: string,
  params: object = {},
) {
  const { body } = await server.post(by, '/channels/create', {
    name,
    subscribers: [by.id],
    ...params,
  });
  return Number(body['id']);
}

/** Sends a message to a topic. */
export const say = (
  server: Pick<Client, 'post'>,
  as: Person,
  [channel, topic]: readonly [channel: string, topic: string],
  content: string,
) => server.post(as, '/messages', { type: 'stream', to: channel, topic, content });

export const write = (server: DemoPlace, as: Person, to: readonly Person[], content: string) =>
  server.post(as, '/messages', { type: 'direct', to: to.map(({ id }) => id), content });

/**
 * Goes to an address as a link from elsewhere does, and waits until the page has been there for a
 * frame: of two addresses within one task, a page only sees the second. The view of before, and its
 * field, may stay for 50 ms until messages come; a timer of the page that was set later ends later.
 */
export const follow = (page: Page, hash: string) =>
  page.evaluate(`new Promise((done) => {
    const isThere = location.hash === ${JSON.stringify(hash)};
    const shown = () => setTimeout(() => requestAnimationFrame(() => setTimeout(done)), 51);
    if (isThere) return shown();
    addEventListener('hashchange', shown, { once: true });
    location.hash = ${JSON.stringify(hash)};
  })`);

export const titleOf = (page: Page) => page.getByRole('heading', { level: 1 }).textContent();
