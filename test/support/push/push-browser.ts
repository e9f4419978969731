import { join } from 'node:path';
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Page,
  type Worker,
} from 'playwright-core';
import { expect, inject, onTestFinished } from 'vitest';
import { pathOf } from '../pages/browser.ts';
import { givePasswords, PASSWORD } from '../people/session-browser.ts';
import { startServer, type TestServer } from '../start-server.ts';
import type { Person } from '../users.ts';
import { browserKeys, startPushService } from './browser.ts';
import { settled } from './settle.ts';

/** Debian's Chromium with its windows: the one without them has neither notices nor pushes. */
export const FULL_CHROMIUM = pathOf('chromium');

const TIMEOUT_MS = 30_000;

let started: Promise<Browser> | undefined;

function browser(): Promise<Browser> {
  started ??= chromium.launch({
    executablePath: FULL_CHROMIUM ?? expect.fail('there is no Chromium'),
    timeout: TIMEOUT_MS,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  return started;
}

/**
 * Stands for the part of a browser that asks a push service for a subscription, which needs
 * Google's. All else is the browser's own.
 */
const SUBSCRIBING = (given: { endpoint: string; p256dh: string; auth: string }) => `{
  const NAME = 'test.subscription';
  const read = () => JSON.parse(localStorage.getItem(NAME));
  const bytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
  const made = ({ key, count }) => ({
    endpoint: ${JSON.stringify(given.endpoint)} + count,
    options: { userVisibleOnly: true, applicationServerKey: bytes(key).buffer },
    toJSON() {
      return { endpoint: this.endpoint, keys: ${JSON.stringify({ p256dh: given.p256dh, auth: given.auth })} };
    },
    async unsubscribe() {
      localStorage.removeItem(NAME);
      return true;
    },
  });
  PushManager.prototype.subscribe = async ({ applicationServerKey: key }) => {
    const count = Number(localStorage.getItem('test.count') ?? 0) + 1;
    localStorage.setItem('test.count', String(count));
    localStorage.setItem(NAME, JSON.stringify({ key, count }));
    return made({ key, count });
  };
  PushManager.prototype.getSubscription = async () => {
    const kept = read();
    return kept === null ? null : made(kept);
  };
  localStorage.setItem('confab.settings', '{"notifications":true}');
  document.hasFocus = () => localStorage.getItem('test.looks') !== 'no';
}`;

/** Pages of one browser whose pushes the server sends to a push service of the test. */
export async function openPushBrowser() {
  const keys = browserKeys();
  const service = await startPushService(keys);
  const server = await startServer({
    env: {
      CONFAB_WEB_DEV: join(inject('dist'), 'bundle', 'web'),
      CONFAB_WEB_PUSH_PRIVATE_ADDRESSES: '1',
    },
    channels: ['general'],
  });
  const { mel, max } = server.people;
  await givePasswords(server, mel, max);
  const context = await (await browser()).newContext();
  context.setDefaultTimeout(TIMEOUT_MS);
  onTestFinished(() => context.close());
  const { origin } = new URL(server.url);
  await context.grantPermissions(['notifications'], { origin });
  const { p256dh, auth } = keys;
  await context.addInitScript(SUBSCRIBING({ endpoint: `${service.origin}/s/`, p256dh, auth }));
  const postman = await openPostman(context, origin);
  let delivered = 0;
  return {
    server,
    service,
    context,
    keys,
    mel,
    max,
    logIn: (page: Page, person: Person) => logIn(page, server, person),
    /** Has the server send what it has to, and hands it to the service worker. */
    async deliver(): Promise<void> {
      await settled(server);
      expect(service.faults).toEqual([]);
      for (const { notice } of service.pushed.slice(delivered)) await postman.deliver(notice);
      delivered = service.pushed.length;
    },
    /** Hands over one more push, and waits until it is shown. */
    async deliverTest(): Promise<void> {
      await postman.deliver({ type: 'test', realm_name: 'Test' });
      const worker = await workerOf(context);
      await expect.poll(() => notices(worker)).toContainEqual(TEST);
      await worker.evaluate(CLOSE_TEST);
    },
    /** Says whether somebody looks at the page: pages of tests have the focus, all of them. */
    async look(page: Page, isLookedAt: boolean): Promise<void> {
      await page.evaluate(`localStorage.setItem('test.looks', '${isLookedAt ? 'yes' : 'no'}')`);
      const worker = await workerOf(context);
      await worker.evaluate(
        `Object.defineProperty(WindowClient.prototype, 'focused', { configurable: true, get: () => ${isLookedAt} })`,
      );
    },
    shown: async () => notices(await workerOf(context)),
    click: async () => click(await workerOf(context)),
    worker: () => workerOf(context),
  };
}

async function logIn(page: Page, { url }: TestServer, person: Person): Promise<void> {
  await page.goto(`${url}/#inbox`);
  await page.getByLabel('Email address').fill(person.email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.locator('.own').getByText('live', { exact: true }).waitFor();
}

/** Hands pushes to the service worker, as the browser does when a push service has sent one. */
async function openPostman(context: BrowserContext, origin: string) {
  // This page belongs to nobody's origin, so that it is no open page of the server.
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  let registrationId = '';
  session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    for (const one of registrations) {
      if (one.scopeURL === `${origin}/` && !one.isDeleted) registrationId = one.registrationId;
    }
  });
  await session.send('ServiceWorker.enable');
  return {
    async deliver(notice: object) {
      await expect.poll(() => registrationId).not.toBe('');
      const data = JSON.stringify(notice);
      await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
    },
  };
}

async function workerOf(context: BrowserContext): Promise<Worker> {
  const [worker] = context.serviceWorkers();
  return worker ?? (await context.waitForEvent('serviceworker'));
}

export interface ShownNotice {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  /** The side that has shown it. */
  readonly by: 'page' | 'push';
}

const TEST: ShownNotice = {
  title: 'Test',
  body: 'Notices reach this browser.',
  tag: 'test',
  by: 'push',
};

const CLOSE_TEST = `self.registration.getNotifications({ tag: 'test' }).then(([one]) => one.close())`;

/** It waits for its turn as the code does: Chromium forgets what it is about to show when asked. */
const notices = (worker: Worker): Promise<ShownNotice[]> =>
  worker.evaluate(
    `navigator.locks.request('confab.notices', () => self.registration.getNotifications()).then((all) =>
      all.map(({ title, body, tag, icon }) => ({ title, body, tag, by: icon === '' ? 'page' : 'push' })))`,
  );

/**
 * Has the service worker handle a click on the only notice, and returns the addresses of windows
 * that it opens. A browser lets it open and focus windows after a real click alone, so these two
 * only say that they were called; it goes to an address in a page itself.
 */
const click = (worker: Worker): Promise<string[]> =>
  worker.evaluate(`(async () => {
    const windows = [];
    self.clients.openWindow = async (url) => windows.push(url);
    WindowClient.prototype.focus = async function () { return this; };
    const [notification] = await self.registration.getNotifications();
    const event = new NotificationEvent('notificationclick', { notification });
    let work;
    event.waitUntil = (given) => { work = given; };
    self.dispatchEvent(event);
    await work;
    return windows;
  })()`);
