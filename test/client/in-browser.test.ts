import { resolve } from 'node:path';
import type { Chat } from '@confab/client';
import type { BrowserContext, Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { CHROMIUM, openTab } from '../support/pages/browser.ts';
import { type ServerProcess, startProcess } from '../support/processes/start-process.ts';

const inChromium = test.skipIf(CHROMIUM === null);

const ENTRY = resolve(import.meta.dirname, '../../client/src/index.ts');

/** The library, and what the tests do with it in a page. */
interface Global {
  chat: Chat;
  states: string[];
  contents: string[];
}

const SCRIPT = `
import { connect, indexedDbOutbox } from 'library.js';
const { email, key } = JSON.parse(sessionStorage.getItem('credentials'));
const chat = connect({
  url: location.origin,
  credentials: { email, key },
  outbox: indexedDbOutbox(email),
  register: { event_types: ['message'], fetch_event_types: [] },
});
Object.assign(globalThis, { chat, states: [], contents: [] });
chat.on('status', ({ state }) => states.push(state));
chat.on('event', (event) => contents.push(event.message.content));
`;

let library: Promise<string> | undefined;

/** Shows pages with the library under the address of the server, also while that is away. */
async function serveLibrary(context: BrowserContext) {
  library ??= (async () => {
    const bundle = await rolldown({ input: ENTRY, platform: 'browser' });
    const { output } = await bundle.generate({ format: 'esm' });
    await bundle.close();
    return output[0].code;
  })();
  const code = await library;
  const script = SCRIPT.replace('library.js', './library.js');
  const html = `<!doctype html><title>A page</title><script type="module">${script}</script>`;
  await context.route('**/page/index.html', (route) =>
    route.fulfill({ contentType: 'text/html', body: html }),
  );
  await context.route('**/page/library.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: code }),
  );
}

async function openPage(page: Page, server: ServerProcess) {
  const ada = server.people['ada'];
  const credentials = JSON.stringify({ email: ada?.email, key: ada?.apiKey });
  await page.addInitScript((text) => sessionStorage.setItem('credentials', text), credentials);
  await page.goto(`http://127.0.0.1:${server.port()}/page/index.html`);
  await page.waitForFunction(() => 'chat' in globalThis);
}

const isLive = (page: Page) =>
  page.waitForFunction(() => (globalThis as unknown as Global).chat.status.state === 'live');

const send = (page: Page, content: string) =>
  page.evaluate(async (text) => {
    const { chat } = globalThis as unknown as Global;
    const message = { type: 'channel', to: 'general', topic: 'browser', content: text } as const;
    await chat.send(message).kept;
  }, content);

const waits = (page: Page, count: number) =>
  page.waitForFunction(
    (wanted) => (globalThis as unknown as Global).chat.status.waiting === wanted,
    count,
  );

async function stored(server: ServerProcess): Promise<string[]> {
  const { body } = await server.get(server.people['ada'] ?? null, '/messages', {
    anchor: 'newest',
    num_before: 100,
    num_after: 0,
    apply_markdown: false,
    narrow: [{ operator: 'topic', operand: 'browser' }],
  });
  return (body.messages as { content: string }[]).map(({ content }) => content);
}

inChromium(
  'messages outlive a server that is killed and a page that is loaded again, in two tabs',
  async () => {
    const server = await startProcess();
    const { context, page, faults } = await openTab();
    await serveLibrary(context);
    await openPage(page, server);
    const other = await context.newPage();
    await openPage(other, server);
    await isLive(page);
    await isLive(other);
    await send(page, 'one');
    await send(other, 'two');
    await waits(page, 0);
    await waits(other, 0);

    await server.end('SIGKILL');
    await send(page, 'three');
    await send(other, 'four');
    await waits(page, 2);
    await page.reload();
    await page.waitForFunction(() => 'chat' in globalThis);
    await waits(page, 2);
    await page.close(); // if it was the sender, the other tab takes over
    await server.start();
    await waits(other, 0);
    await send(other, 'five');
    await waits(other, 0);
    expect(await stored(server)).toEqual(['one', 'two', 'three', 'four', 'five']);
    await other.waitForFunction(() => (globalThis as unknown as Global).contents.length === 5);
    const seen = await other.evaluate(() => (globalThis as unknown as Global).contents);
    expect(seen).toEqual(['one', 'two', 'three', 'four', 'five'].map((text) => text));
    const states = await other.evaluate(() => (globalThis as unknown as Global).states);
    expect(states).toContain('caught-up');
    expect(states).not.toContain('started-anew');
    // The socket that could not be opened is said on the console of the browser.
    expect(faults.filter((fault) => !/WebSocket|ERR_CONNECTION/.test(fault))).toEqual([]);
  },
);

inChromium(
  'a browser without a network is offline, and is back as soon as it has one',
  async () => {
    const server = await startProcess();
    const { context, page } = await openTab();
    await serveLibrary(context);
    await openPage(page, server);
    await isLive(page);
    await context.setOffline(true);
    await send(page, 'offline');
    await server.end('SIGKILL'); // emulated loss of a network leaves sockets open
    await page.waitForFunction(
      () => (globalThis as unknown as Global).chat.status.state === 'offline',
    );
    await server.start();
    await context.setOffline(false);
    await waits(page, 0);
    await isLive(page);
    expect(await stored(server)).toEqual(['offline']);
  },
);
