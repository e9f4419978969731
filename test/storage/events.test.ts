import { open } from 'lmdb';
import { expect, onTestFinished, test } from 'vitest';
import { ownFlagsOf } from '../../src/domain/wire/events/event-flags.ts';
import { type RichMessage, richMessage } from '../../src/domain/wire/message-objects.ts';
import { openRealmStore } from '../../storage/store.ts';
import { MESSAGE } from '../support/markdown/rich-message.ts';
import { temporaryFolder } from '../support/scratch.ts';

test('a message comes out of the log with every field that it went in with', async () => {
  expect(Object.keys(MESSAGE).sort()).toEqual(Object.keys(richMessage.shape).sort());
  const store = openStore();
  await store.commit(
    () => [(tx) => tx.emit({ event: { type: 'message', message: MESSAGE }, audience: {} })],
    () => 0,
  );
  expect(store.reader.events.get([1])?.event).toEqual({ type: 'message', message: MESSAGE });
});

test('a message to people has no channel', async () => {
  const store = openStore();
  const { stream_id, ...direct } = MESSAGE;
  const message: RichMessage = { ...direct, type: 'private', display_recipient: [] };
  await store.commit(
    () => [(tx) => tx.emit({ event: { type: 'message', message }, audience: {} })],
    () => 0,
  );
  const event = store.reader.events.get([1])?.event;
  expect(JSON.stringify(event)).not.toContain('stream_id');
  expect(event).toEqual({ type: 'message', message });
});

test('what was logged with the names of its fields is read as it was', async () => {
  const path = temporaryFolder();
  const event = { type: 'message', message: MESSAGE };
  const env = open<unknown, string>({ path, maxDbs: 128 });
  const options = { name: 'events', encoding: 'msgpack' as const, useRecords: false };
  env.openDB<unknown[], number[]>(options).putSync([1], [1, 0, event, { channelId: 3 }]);
  await env.close();
  expect(openStore(path).reader.events.get([1])).toMatchObject({ id: 1, event });
});

test('flags come out of the log as they went in, with those who have the same ones together', async () => {
  const store = openStore();
  const flags = {
    shared: ['stream_wildcard_mentioned'],
    own: [
      { flags: ['mentioned'], userIds: [2, 3, 500] },
      { flags: [], userIds: [4] },
    ],
  };
  const event = { type: 'message', message: MESSAGE } as const;
  await store.commit(
    () => [(tx) => tx.emit({ event, audience: {}, flags })],
    () => 0,
  );
  expect(store.reader.events.get([1])?.flags).toEqual(flags);
});

test('flags that were logged by user are read by what they are', async () => {
  const path = temporaryFolder();
  const byUser = { 2: ['mentioned'], 3: ['read'], 5: ['mentioned'] };
  const env = open<unknown, string>({ path, maxDbs: 128 });
  const options = { name: 'events', encoding: 'msgpack' as const, useRecords: false };
  const flags = { shared: ['wildcard_mentioned'], byUser };
  env.openDB<unknown[], number[]>(options).putSync([1], [1, 0, { type: 'x' }, {}, flags]);
  await env.close();
  expect(openStore(path).reader.events.get([1])?.flags).toEqual({
    shared: ['wildcard_mentioned'],
    own: [
      { flags: ['mentioned'], userIds: [2, 5] },
      { flags: ['read'], userIds: [3] },
    ],
  });
});

test('those who have the same flags are found in whatever order they were stored', async () => {
  const path = temporaryFolder();
  const env = open<unknown, string>({ path, maxDbs: 128 });
  const options = { name: 'events', encoding: 'msgpack' as const, useRecords: false };
  const stored = [[], [[['mentioned'], [500, 2, 30]]]];
  env.openDB<unknown[], number[]>(options).putSync([1], [1, 0, { type: 'x' }, {}, stored]);
  await env.close();
  const flags = openStore(path).reader.events.get([1])?.flags;
  expect([2, 30, 500, 3].map((userId) => flags && ownFlagsOf(flags, userId))).toEqual([
    ['mentioned'],
    ['mentioned'],
    ['mentioned'],
    null,
  ]);
});

function openStore(path = temporaryFolder()) {
  const store = openRealmStore(path);
  onTestFinished(() => store.close());
  return store;
}
