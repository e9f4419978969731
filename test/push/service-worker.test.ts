import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import vm from 'node:vm';
import { expect, test } from 'vitest';

const FILE = join(import.meta.dirname, '../../web/app/static/service-worker.js');

/** Runs the service worker in a scope that has of a browser only what it uses. */
function worker(pages: object[] = []) {
  const listeners = new Map<string, (event: object) => void>();
  let shown: { title: string; tag?: string; data: unknown; close(): void }[] = [];
  const windows: string[] = [];
  const registration = {
    showNotification(title: string, options: { tag: string; data: unknown }) {
      const one = {
        title,
        ...options,
        close: () => {
          shown = shown.filter((other) => other !== one);
        },
      };
      shown = [...shown.filter(({ tag }) => tag !== one.tag), one];
    },
    getNotifications: ({ tag }: { tag?: string } = {}) =>
      shown.filter((one) => tag === undefined || one.tag === tag),
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
  showByPage('of the page', { tag: 'topic 1 tea', data: { messageId: 7 } });
  await push(MESSAGE);
  expect(titles()).toEqual(['of the page']);
  await push({ ...MESSAGE, message_id: 8 });
  expect(titles()).toEqual(['Max in general › tea']);
});
