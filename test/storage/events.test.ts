import { open } from 'lmdb';
import { expect, onTestFinished, test } from 'vitest';
import { type RichMessage, richMessage } from '../../src/domain/objects.ts';
import { openRealmStore } from '../../storage/realm-store.ts';
import { temporaryFolder } from '../support/scratch.ts';

const MESSAGE: RichMessage = {
  id: 7,
  sender_id: 2,
  sender_full_name: 'Ada',
  sender_email: 'ada@example.com',
  sender_realm_str: 'test',
  client: 'website',
  timestamp: 1_700_000_000,
  type: 'stream',
  stream_id: 3,
  recipient_id: 4,
  display_recipient: 'general',
  subject: 'tea',
  topic_links: [{ text: '#1', url: 'https://example.com/1' }],
  is_me_message: true,
  reactions: [],
  submessages: [],
  content: '/me #1',
  rendered_content: '<p>#1</p>',
  avatar_url: '/avatar/2',
  uses_gravatar: true,
};

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

function openStore(path = temporaryFolder()) {
  const store = openRealmStore(path);
  onTestFinished(() => store.close());
  return store;
}
