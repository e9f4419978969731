import type { BrowserContext, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import type { Client } from '../client.ts';
import { type DemoPlace, startDemoHere } from '../people/demo-server.ts';
import type { Person } from '../users.ts';
import { type BrowserName, openOne } from './browser.ts';
import { byKeys, byPointer, type Hand } from './hand.ts';
import { enter } from './web-client.ts';

/** Less than a test has, more than any wait of a busy machine. */
const TIMEOUT_MS = 30_000;

/** Somebody at a browser of their own. */
export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The hand that they act with. */
  readonly hand: Hand;
  /** Opens a further tab of the same browser. */
  tab(url: string): Promise<Visit>;
}

interface VisitOptions {
  readonly colorScheme?: 'light' | 'dark';
}

/** Browsers of several people, and all that their pages asked for, said and failed at. */
export interface Audience {
  /** Opens a browser without an account, on an empty page. */
  visit(options?: VisitOptions): Promise<Visit>;
  /** Everything that was asked for outside of the origin. */
  readonly elsewhere: readonly string[];
  /** The errors of pages, and breaches of their policy. */
  readonly faults: readonly string[];
  /** The dialogs that scripts opened. */
  readonly dialogs: readonly string[];
}

/** A server that is down is told of by browsers, as is each answer with a status of 400 or more. */
const EXPECTED = new RegExp(
  [
    '^Failed to load resource',
    // Browsers say so of plain HTTP from another machine.
    '^The Cross-Origin-Opener-Policy header has been ignored',
    "^WebSocket connection to '[^']*' failed",
    'net::ERR_(?:INTERNET_DISCONNECTED|CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE)',
    // Firefox says it in its own words, and asks for an icon where a page names none.
    'resource \\(img-src\\) at \\S+/favicon\\.ico because it violates',
    'can’t establish a connection to the server at',
    'The connection to \\S+ was interrupted',
  ].join('|'),
);

/**
 * Says so when anything but a key comes to the page. A browser without windows reports that its
 * pointer, which never moved, is in the corner.
 */
const ONLY_KEYS = `for (const name of ['pointerdown', 'pointermove', 'mousedown', 'mousemove', 'wheel', 'touchstart']) {
  addEventListener(name, ({ clientX, clientY }) => {
    if (clientX !== 0 || clientY !== 0) console.error('not by a key: ' + name);
  }, { capture: true, passive: true });
}`;

export interface AudienceOptions {
  /** Chromium by default. */
  readonly browserName?: BrowserName | undefined;
  /** True where no page may ever see a pointer. */
  readonly isByKeys?: boolean | undefined;
  /** Further addresses of the server. */
  readonly others?: readonly string[] | undefined;
}

/**
 * Opens browsers that note what their pages do. When the test ends, no page may have asked another
 * host for anything, and none may have said of itself that it failed.
 */
export async function openAudience(
  origin: () => string,
  { browserName, isByKeys = false, others = [] }: AudienceOptions = {},
): Promise<Audience> {
  const browser = await openOne({ browserName });
  const isOwn = (url: string) => {
    const { host } = new URL(url);
    return [origin(), ...others].some((one) => host === new URL(one).host);
  };
  const elsewhere: string[] = [];
  const faults: string[] = [];
  const dialogs: string[] = [];
  onTestFinished(() => {
    expect({ elsewhere, faults, dialogs }).toEqual({ elsewhere: [], faults: [], dialogs: [] });
  });
  const watch = (page: Page) => {
    const note = (text: string) => {
      if (!EXPECTED.test(text)) faults.push(text);
    };
    // Firefox says in this way what Chromium says on the console.
    page.on('pageerror', (error) => note(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') note(message.text());
    });
    page.on('dialog', (dialog) => {
      if (dialog.type() === 'beforeunload') return;
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    page.on('websocket', (socket) => {
      if (!isOwn(socket.url())) elsewhere.push(socket.url());
    });
  };
  return {
    elsewhere,
    faults,
    dialogs,
    async visit({ colorScheme = 'light' } = {}) {
      const context = await browser.newContext({
        colorScheme,
        viewport: { width: 1280, height: 800 },
      });
      context.setDefaultTimeout(TIMEOUT_MS);
      context.on('page', watch);
      context.on('request', (request) => {
        const url = request.url();
        if (!/^(?:data|blob|about):/.test(url) && !isOwn(url)) elsewhere.push(url);
      });
      if (isByKeys) await context.addInitScript(ONLY_KEYS);
      const tabOf = (page: Page): Visit => ({
        context,
        page,
        hand: isByKeys ? byKeys(page) : byPointer(page),
        async tab(url) {
          const next = await context.newPage();
          await next.goto(url);
          return tabOf(next);
        },
      });
      return tabOf(await context.newPage());
    },
  };
}

/** Somebody who is logged in. */
export interface Participant extends Visit {
  readonly person: Person;
}

/** A server with the demo organization, and people at their browsers. */
export interface Story<Server extends DemoPlace = DemoPlace> extends Audience {
  readonly server: Server;
  readonly origin: string;
  /** Opens a browser, in which a person of the demo logs in by their button. */
  at(name: string, options?: VisitOptions & { readonly url?: string }): Promise<Participant>;
  /** All who came, and those who joined later. */
  readonly participants: Participant[];
}

export const openStory = async (options?: AudienceOptions): Promise<Story> =>
  storyAt(await startDemoHere(), options);

/** A story at a server that runs, like one in a process that can be killed. */
export async function storyAt<Server extends DemoPlace>(
  server: Server,
  options: AudienceOptions = {},
): Promise<Story<Server>> {
  const origin = `http://localhost:${server.port()}`;
  const proxies: string[] = [];
  const audience = await openAudience(() => origin, { ...options, others: proxies });
  const participants: Participant[] = [];
  return {
    ...audience,
    server,
    origin,
    participants,
    async at(name, { url = origin, ...rest } = {}) {
      proxies.push(url);
      const visit = await audience.visit(rest);
      await visit.page.goto(url);
      await enter(visit.page, name, visit.hand);
      const person = Object.values(server.people).find(({ fullName }) => fullName === name);
      const one = { ...visit, person: person ?? expect.fail(`nobody is called ${name}`) };
      participants.push(one);
      return one;
    },
  };
}

export const composeField = (page: Page) =>
  page.getByRole('textbox', { name: 'Message', exact: true });

/** Writes a message to the conversation that is shown. */
export async function send({ page, hand }: Visit, text: string): Promise<void> {
  await hand.fill(composeField(page), text);
  await page.keyboard.press('Control+Enter');
}

export const messageWith = (page: Page, text: string) =>
  page.locator('article.feed-message').filter({ hasText: text });

/** The texts of a topic as the server has them, oldest first. */
export async function textsIn(
  server: Pick<Client, 'get'>,
  as: Person,
  [channel, topic]: readonly [channel: string, topic: string],
): Promise<string[]> {
  const { body } = await server.get(as, '/messages', {
    anchor: 'newest',
    num_before: 1_000,
    num_after: 0,
    apply_markdown: false,
    narrow: [
      { operator: 'channel', operand: channel },
      { operator: 'topic', operand: topic },
    ],
  });
  return (body.messages as { content: string }[]).map(({ content }) => content);
}

/** The texts that the feed shows, without those that wait. */
export const shownTexts = (page: Page): Promise<string[]> =>
  page.locator('article.feed-message .body').allTextContents();
