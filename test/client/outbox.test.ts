import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FullError, indexedDbOutbox, memoryOutbox, type OutboxStorage } from '@confab/client';
import { fileOutbox } from '@confab/client/file';
import { expect, test } from 'vitest';
import { openProxy } from '../support/client-library/cutting-proxy.ts';
import { fakeBrowser } from '../support/client-library/fake-browser.ts';
import { openChat, reaches } from '../support/client-library/open-chat.ts';
import { temporaryFolder } from '../support/scratch.ts';
import { startServer, type TestServer } from '../support/start-server.ts';

const TO = { type: 'channel', to: 'general', topic: 'hello' } as const;
const HOUR_MS = 3_600_000;

async function start() {
  const server = await startServer({ channels: ['general'] });
  const proxy = await openProxy(() => Number(new URL(server.url).port));
  return { server, proxy, mel: server.people.mel };
}

/** The contents of all messages in the channel. */
async function stored({ get, people }: TestServer): Promise<string[]> {
  const { body } = await get(people.ona, '/messages', {
    anchor: 'oldest',
    num_before: 0,
    num_after: 5_000,
    apply_markdown: false,
  });
  return (body.messages as { content: string }[]).map(({ content }) => content);
}

const numbered = (count: number, name = 'm') =>
  Array.from({ length: count }, (_, index) => `${name}${index}`);

/** A storage, as a client finds it after each start. */
const STORAGES: readonly { kind: string; open: () => () => OutboxStorage }[] = [
  {
    kind: 'memory',
    open: () => {
      const storage = memoryOutbox();
      return () => storage;
    },
  },
  {
    kind: 'IndexedDB',
    open: () => {
      const browser = fakeBrowser();
      return () => indexedDbOutbox('mel', browser.tab());
    },
  },
  {
    kind: 'files',
    open: () => {
      const folder = temporaryFolder();
      return () => fileOutbox(folder);
    },
  },
];

test('keeps the order of each conversation', async () => {
  const { server, mel } = await start();
  const { chat } = openChat(server, mel);
  const entries = numbered(60).map((content, index) =>
    chat.send({ ...TO, topic: `topic ${index % 3}`, content }),
  );
  await Promise.all(entries.map(({ sent }) => sent));
  const all = await stored(server);
  for (const rest of [0, 1, 2]) {
    const ofTopic = (content: string) => Number(content.slice(1)) % 3 === rest;
    expect(all.filter(ofTopic)).toEqual(numbered(60).filter(ofTopic));
  }
  expect(chat.outbox.entries()).toEqual([]);
});

test.each(STORAGES)('$kind: messages outlive a client and a network', async ({ open }) => {
  const { server, proxy, mel } = await start();
  const storage = open();
  proxy.close(true);
  const before = openChat(proxy, mel, { outbox: storage() });
  const entries = numbered(5).map((content) => before.chat.send({ ...TO, content }));
  expect(before.chat.status.waiting).toBe(5);
  await Promise.all(entries.map(({ kept }) => kept));
  before.chat.close();
  await expect(entries[0]?.sent).rejects.toThrow('closed');

  const after = openChat(proxy, mel, { outbox: storage() });
  await expect
    .poll(() => after.chat.outbox.entries().map(({ key }) => key))
    .toEqual(entries.map(({ key }) => key));
  after.chat.send({ ...TO, content: 'last' });
  proxy.close(false);
  await expect.poll(() => after.chat.status).toMatchObject({ waiting: 0, state: 'live' });
  expect(await stored(server)).toEqual([...numbered(5), 'last']);
  await expect.poll(() => storage().load()).toEqual([]);
});

test('nothing is lost or doubled over connections that break at any moment', async () => {
  const { server, proxy, mel } = await start();
  const { chat, contents } = openChat(proxy, mel);
  await reaches(chat, 'live');
  let count = 0;
  // Requests and answers alike are lost with a connection.
  const cutting = setInterval(() => (count++ % 2 === 0 ? proxy.cut() : proxy.delay(count % 7)), 40);
  const entries = numbered(50).map((content) => chat.send({ ...TO, content }));
  await Promise.all(entries.map(({ sent }) => sent));
  clearInterval(cutting);
  expect(await stored(server)).toEqual(numbered(50));
  await expect.poll(contents).toEqual(numbered(50));
});

test('a refused message keeps the words of the server, and those behind it go on', async () => {
  const { server, mel } = await start();
  const storage = memoryOutbox();
  const { chat } = openChat(server, mel, { outbox: storage });
  const first = chat.send({ ...TO, to: 'nowhere', content: 'a' });
  const second = chat.send({ ...TO, to: 'nowhere', content: 'b' });
  const third = chat.send({ ...TO, content: 'c' });
  await expect(first.sent).rejects.toMatchObject({ code: 'STREAM_DOES_NOT_EXIST' });
  await expect(second.sent).rejects.toThrow('nowhere');
  await third.sent;
  expect(first).toMatchObject({ state: 'refused', refusal: { status: 400 } });
  chat.outbox.discard(second.key);
  await expect.poll(() => storage.load()).toHaveLength(1);
  chat.close();

  const again = openChat(server, mel, { outbox: storage });
  await expect
    .poll(() => again.chat.outbox.entries())
    .toMatchObject([
      { key: first.key, state: 'refused', refusal: { code: 'STREAM_DOES_NOT_EXIST' } },
    ]);
  expect(again.chat.status.waiting).toBe(0);
  await server.post(server.people.ona, '/users/me/subscriptions', {
    subscriptions: [{ name: 'nowhere' }],
  });
  again.chat.outbox.retry(first.key);
  await expect.poll(() => again.chat.outbox.entries()).toEqual([]);
  expect(await stored(server)).toEqual(expect.arrayContaining(['a', 'c']));
  expect(await stored(server)).not.toContain('b');
});

test('a message that is nearly a day old waits for its author', async () => {
  const { server, proxy, mel } = await start();
  let now = Date.now();
  const outbox = memoryOutbox();
  proxy.close(true);
  const { chat } = openChat(proxy, mel, { outbox, now: () => now });
  const old = chat.send({ ...TO, content: 'old' });
  now += 2 * HOUR_MS;
  const young = chat.send({ ...TO, content: 'young' });
  now += 21.5 * HOUR_MS;
  proxy.close(false);
  await young.sent;
  await expect(old.sent).rejects.toThrow('too long');
  expect(chat.outbox.entries()).toMatchObject([{ key: old.key, state: 'expired' }]);
  expect(await stored(server)).toEqual(['young']);
  chat.outbox.retry(old.key);
  expect(chat.outbox.entries()).toMatchObject([{ state: 'pending' }]);
  await expect.poll(() => stored(server)).toEqual(['young', 'old']);
});

test('the same key is one entry', async () => {
  const { server, mel } = await start();
  const { chat } = openChat(server, mel);
  const one = chat.send({ ...TO, content: 'x' }, { key: 'build 5' });
  expect(chat.send({ ...TO, content: 'x' }, { key: 'build 5' })).toBe(one);
  const { id } = await one.sent;
  // The server knows it when the client does not any more.
  expect(await chat.send({ ...TO, content: 'x' }, { key: 'build 5' }).sent).toEqual({ id });
  expect(await stored(server)).toEqual(['x']);
});

test('an outbox is bounded in entries and in characters', async () => {
  const { proxy, mel } = await start();
  proxy.close(true);
  const { chat } = openChat(proxy, mel);
  for (const content of numbered(1_000)) chat.send({ ...TO, content });
  expect(() => chat.send({ ...TO, content: 'x' })).toThrow(FullError);
  const [first] = chat.outbox.entries();
  chat.outbox.discard(String(first?.key));
  chat.send({ ...TO, content: 'x' });
  const other = openChat(proxy, mel);
  const content = 'x'.repeat(999_000);
  for (let count = 0; count < 8; count += 1) other.chat.send({ ...TO, content });
  expect(() => other.chat.send({ ...TO, content })).toThrow(FullError);
});

test('waits as the limits of the server say, with all conversations', async () => {
  const server = await startServer({
    channels: ['general'],
    env: { CONFAB_SENDS_PER_MINUTE: '60' },
  });
  const { chat } = openChat(server, server.people.mel);
  for (const content of numbered(64)) chat.send({ ...TO, topic: content, content });
  await expect.poll(() => chat.status.waiting).toBe(4);
  const ticking = setInterval(() => server.clock.advance(200), 20);
  await expect.poll(() => chat.status.waiting).toBe(0);
  clearInterval(ticking);
  expect((await stored(server)).sort()).toEqual(numbered(64).sort());
});

test('of two tabs one sends, and both show what waits and what was sent', async () => {
  const { server, proxy, mel } = await start();
  const browser = fakeBrowser();
  const tab = browser.tab();
  proxy.close(true);
  const first = openChat(proxy, mel, { outbox: indexedDbOutbox('mel', tab) });
  const second = openChat(proxy, mel, { outbox: indexedDbOutbox('mel', browser.tab()) });
  const one = first.chat.send({ ...TO, content: 'one' });
  await expect.poll(() => second.chat.status.waiting).toBe(1);
  const two = second.chat.send({ ...TO, content: 'two' });
  await expect.poll(() => first.chat.status.waiting).toBe(2);
  const three = second.chat.send({ ...TO, content: 'three' });
  await expect.poll(() => first.chat.status.waiting).toBe(3);
  second.chat.outbox.discard(two.key);
  await expect.poll(() => first.chat.status.waiting).toBe(2);
  proxy.close(false);
  const sent = await Promise.all([one.sent, three.sent]);
  expect(second.chat.outbox.entries()).toEqual([]);
  expect(first.chat.outbox.entries()).toEqual([]);
  expect(await stored(server)).toEqual(['one', 'three']);

  // The tab that sends crashes, and the other one takes over.
  proxy.close(true);
  proxy.cut();
  await reaches(first.chat, 'reconnecting');
  const four = second.chat.send({ ...TO, content: 'four' });
  await four.kept;
  tab.crash();
  proxy.close(false);
  expect((await four.sent).id).toBeGreaterThan(Number(sent[1]?.id));
  expect(await stored(server)).toEqual(['one', 'three', 'four']);
  expect(browser.stored()).toEqual([]);
});

test('goes on from memory when the storage fails, and says so', async () => {
  const { server, mel } = await start();
  const browser = fakeBrowser();
  browser.fillDisk();
  const { chat } = openChat(server, mel, { outbox: indexedDbOutbox('mel', browser.tab()) });
  const errors: unknown[] = [];
  chat.on('error', (error) => errors.push(error));
  const entry = chat.send({ ...TO, content: 'x' });
  await expect(entry.kept).rejects.toThrow('full');
  await entry.sent;
  expect(errors.map(String)).toContain('Error: the disk is full');
});

test('files that are no entries are left alone, and those of a killed write removed', async () => {
  const { server, mel } = await start();
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'notes.json'), '{"half":');
  writeFileSync(join(folder, 'README'), 'hello');
  writeFileSync(join(folder, 'old.tmp'), '{');
  utimesSync(join(folder, 'old.tmp'), 0, 0);
  const storage = fileOutbox(folder);
  const { chat } = openChat(server, mel, { outbox: storage });
  await chat.send({ ...TO, content: 'x' }).sent;
  await expect.poll(() => readdirSync(folder).sort()).toEqual(['README', 'notes.json']);
});
