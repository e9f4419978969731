import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import vm from 'node:vm';
import { expect, test } from 'vitest';

const FILE = join(import.meta.dirname, '../../web/app/static/service-worker.js');

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** The locks of a browser (Web Locks API), of which only exclusive ones are used. */
function locks() {
  let last: Promise<unknown> = Promise.resolve();
  return {
    request(_name: string, work: () => Promise<unknown>) {
      last = last.then(work);
      return last;
    },
  };
}

/** Runs the service worker in a scope that has of a browser only what it uses. */
function worker(pages: object[] = []) {
  const listeners = new Map<string, (event: object) => void>();
  let shown: { title: string; tag?: string; data: unknown; close(): void }[] = [];
  const windows: string[] = [];
  /** The notices that are shown soon: Chromium forgets them when it is asked meanwhile. */
  const soon = new Set<object>();
  const registration = {
    async showNotification(title: string, options: { tag: string; data: unknown }) {
      const one = {
        title,
        ...options,
        close: () => {
          shown = shown.filter((other) => other !== one);
        },
      };
      shown = [...shown.filter(({ tag }) => tag !== one.tag), one];
      soon.add(one);
      await turn();
      soon.delete(one);
    },
    async getNotifications({ tag }: { tag?: string } = {}) {
      shown = shown.filter((one) => !soon.has(one));
      await turn();
      return shown.filter((one) => tag === undefined || one.tag === tag);
    },
  };
  const clients = {
    matchAll: () => pages,
    openWindow: (url: string) => windows.push(url),
  };
  const self = {
    addEventListener: (name: string, listener: (event: object) => void) =>
      listeners.set(name, listener),
    location: { origin: 'https://chat.example.com' },
    registration,
    clients,
    navigator: { locks: locks() },
  };
  vm.runInNewContext(readFileSync(FILE, 'utf8'), { self, URL });
  const tell = async (name: string, event: object) => {
    let work: unknown;
    listeners.get(name)?.({
      ...event,
      waitUntil: (given: unknown) => {
        work = given;
      },
    });
    await work;
  };
  return {
    windows,
    showByPage: registration.showNotification,
    titles: () => shown.map(({ title }) => title),
    push: (notice: unknown) => tell('push', { data: { json: () => notice } }),
    click: () => tell('notificationclick', { notification: shown[0] }),
  };
}

const MESSAGE = {
  type: 'message',
  message_id: 7,
  sender_full_name: 'Max',
  channel_id: 1,
  channel_name: 'general',
  topic: 'tea',
  content: 'soup',
};

test('a push is shown, and closed when its message was read elsewhere', async () => {
  const { push, titles } = worker();
  await push(MESSAGE);
  expect(titles()).toEqual(['Max in general › tea']);
  await push({ type: 'remove', message_ids: [8] });
  expect(titles()).toHaveLength(1);
  await push({ type: 'remove', message_ids: [7] });
  expect(titles()).toEqual([]);
});

test('a click opens the conversation', async () => {
  const { push, click, titles, windows } = worker();
  await push(MESSAGE);
  await click();
  expect(titles()).toEqual([]);
  expect(windows).toEqual(['https://chat.example.com/#narrow/channel/1/near/7']);
});

test('a page that has the focus tells of messages itself', async () => {
  const { push, titles } = worker([{ focused: true }]);
  await push(MESSAGE);
  expect(titles()).toEqual([]);
  await push({ type: 'test', realm_name: 'Demo' });
  expect(titles()).toEqual(['Demo']);
});

test('a message that an open page has shown, or one before it, is not shown again', async () => {
  const { push, titles, showByPage } = worker();
  await showByPage('of the page', { tag: 'topic 1 tea', data: { messageId: 7 } });
  await push(MESSAGE);
  expect(titles()).toEqual(['of the page']);
  await push({ ...MESSAGE, message_id: 8 });
  expect(titles()).toEqual(['Max in general › tea']);
});

test('of pushes that come together none is forgotten', async () => {
  const { push, titles } = worker();
  const topics = ['tea', 'soup', 'cake'];
  await Promise.all([
    ...topics.map((topic, index) => push({ ...MESSAGE, topic, message_id: 10 + index })),
    push({ type: 'remove', message_ids: [11] }),
  ]);
  expect(titles()).toEqual(['Max in general › tea', 'Max in general › cake']);
});
