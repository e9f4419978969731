import type { BrowserContext, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { type ServerProcess, startProcess } from '../processes/start-process.ts';
import type { Person } from '../users.ts';
import { openBrowser } from './browser.ts';
import { enter } from './web-client.ts';

/** Less than a test has, more than any wait of a busy machine. */
const TIMEOUT_MS = 30_000;

/** Somebody at a browser of their own. */
export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
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
const EXPECTED =
  /^Failed to load resource|^WebSocket connection to '[^']*' failed|net::ERR_(?:INTERNET_DISCONNECTED|CONNECTION_REFUSED)/;

/**
 * Opens browsers that note what their pages do. When the test ends, no page may have asked another
 * host for anything, and none may have said of itself that it failed.
 */
export async function openAudience(origin: () => string): Promise<Audience> {
  const browser = await openBrowser();
  if (browser === null) throw new Error('There is no Chromium: the test should be left out');
  const elsewhere: string[] = [];
  const faults: string[] = [];
  const dialogs: string[] = [];
  onTestFinished(() => {
    expect({ elsewhere, faults, dialogs }).toEqual({ elsewhere: [], faults: [], dialogs: [] });
  });
  const watch = (page: Page) => {
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => {
      const text = message.text();
      if (message.type() === 'error' && !EXPECTED.test(text)) faults.push(text);
    });
    page.on('dialog', (dialog) => {
      if (dialog.type() === 'beforeunload') return;
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    page.on('websocket', (socket) => {
      if (new URL(socket.url()).host !== new URL(origin()).host) elsewhere.push(socket.url());
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
        if (!url.startsWith(`${origin()}/`)) elsewhere.push(url);
      });
      return { context, page: await context.newPage() };
    },
  };
}

/** A server with the demo organization, and people at their browsers. */
export interface Story extends Audience {
  readonly server: ServerProcess;
  readonly origin: string;
  /** Opens a browser, in which a person of the demo logs in by their button. */
  at(name: string, options?: VisitOptions): Promise<Visit & { readonly person: Person }>;
}

export async function openStory(): Promise<Story> {
  const server = await startProcess();
  const origin = `http://localhost:${server.port()}`;
  const audience = await openAudience(() => origin);
  return {
    ...audience,
    server,
    origin,
    async at(name, options) {
      const visit = await audience.visit(options);
      await visit.page.goto(origin);
      await enter(visit.page, name);
      const person = Object.values(server.people).find(({ fullName }) => fullName === name);
      return { ...visit, person: person ?? expect.fail(`nobody is called ${name}`) };
    },
  };
}

export const composeField = (page: Page) =>
  page.getByRole('textbox', { name: 'Message', exact: true });

/** Writes a message to the conversation that is shown. */
export async function send(page: Page, text: string): Promise<void> {
  await composeField(page).fill(text);
  await page.keyboard.press('Control+Enter');
}

export const messageWith = (page: Page, text: string) =>
  page.locator('article.feed-message').filter({ hasText: text });

/** The texts of a topic as the server has them, oldest first. */
export async function textsIn(
  server: ServerProcess,
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
