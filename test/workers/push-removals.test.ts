import { expect, test } from 'vitest';
import { PUSHED_MESSAGES_PER_USER_MAX } from '../../src/domain/limits/outbox.ts';
import * as pushes from '../../src/operations/posting/pushes.ts';
import {
  IN_GENERAL,
  messagesIn,
  send,
  TOKEN,
  withToken,
} from '../support/notifications/push-notices.ts';
import { DEVICE_TOLD, REALM_TOLD, settle, withDevice } from '../support/notifications/pushing.ts';
import type { TestServer } from '../support/start-server.ts';
import type { Person } from '../support/users.ts';

test('a message that was read, deleted or hidden before its push was delivered is not pushed', async () => {
  const { as: mel, ...pushing } = await withDevice();
  const { server, bouncer } = pushing;
  const { max } = server.people;
  const direct = { type: 'direct', to: [mel.id], content: 'quick' };
  const read = await send(server, max, direct);
  await server.post(mel, '/messages/flags', { messages: [read], op: 'add', flag: 'read' });
  const deleted = await send(server, max, { ...IN_GENERAL, content: '@**Mel Member**' });
  await server.delete(server.people.ona, `/messages/${deleted}`);
  expect(await settle(pushing)).toEqual({ told: [], waiting: [] });
  expect(bouncer.heard).toHaveLength(1);
});

/** The ways in which a pushed message of general to mel is to be removed from devices. */
const WAYS: readonly [string, (server: TestServer, mel: Person, id: number) => Promise<unknown>][] =
  [
    [
      'read',
      (server, mel, id) =>
        server.post(mel, '/messages/flags', { messages: [id], op: 'add', flag: 'read' }),
    ],
    [
      'read with its topic',
      (server, mel) => server.post(mel, '/mark_topic_as_read', { stream_id: 1, topic_name: 'tea' }),
    ],
    [
      'read with its channel',
      (server, mel) => server.post(mel, '/mark_stream_as_read', { stream_id: 1 }),
    ],
    ['read with everything', (server, mel) => server.post(mel, '/mark_all_as_read')],
    ['deleted', (server, _, id) => server.delete(server.people.ona, `/messages/${id}`)],
    [
      'deleted with its topic',
      (server) => server.post(server.people.ona, '/streams/1/delete_topic', { topic_name: 'tea' }),
    ],
    [
      'read with the channel that was left',
      (server, mel) =>
        server.delete(mel, '/users/me/subscriptions', { subscriptions: ['general'] }),
    ],
    [
      'moved to a hidden channel',
      async (server, _, id) => {
        const { ona } = server.people;
        const subscriptions = [{ name: 'secret' }];
        await server.post(ona, '/users/me/subscriptions', { subscriptions, invite_only: true });
        await server.patch(ona, `/messages/${id}`, { stream_id: 2 });
      },
    ],
  ];

test.each(WAYS)('a message is removed from devices once when it is %s', async (_, go) => {
  const { as: mel, ...pushing } = await withDevice();
  const { server } = pushing;
  const id = await send(server, server.people.max, { ...IN_GENERAL, content: '@**Mel Member**' });
  expect(messagesIn(await settle(pushing))).toEqual([id]);
  await go(server, mel, id);
  const notice = { ...REALM_TOLD, type: 'remove', user_id: mel.id, message_ids: [id] };
  expect((await settle(pushing)).told).toEqual([
    {
      realm_url: REALM_TOLD.realm_url,
      devices: [{ ...DEVICE_TOLD, priority: 'normal', notice }],
      tokens: [],
    },
  ]);
  await server.post(mel, '/mark_all_as_read');
  expect((await settle(pushing)).told).toEqual([]);
  expect(server.bugs).toEqual([]);
});

test('a message that was moved and can still be read stays on the devices', async () => {
  const { as: mel, ...pushing } = await withDevice();
  const { server } = pushing;
  const { ona, max } = server.people;
  await server.post(ona, '/users/me/subscriptions', {
    subscriptions: [{ name: 'open' }],
    principals: [ona.id, mel.id],
  });
  await settle(pushing);
  const id = await send(server, max, { ...IN_GENERAL, content: '@**Mel Member**' });
  await settle(pushing);
  const move = { stream_id: 2, send_notification_to_new_thread: false };
  await server.patch(ona, `/messages/${id}`, move);
  expect((await settle(pushing)).told).toEqual([]);
});

test('a bounded number of pushed messages is remembered for each user', async () => {
  const { as: mel, ...pushing } = await withToken();
  const { server } = pushing;
  const ids = Array.from({ length: PUSHED_MESSAGES_PER_USER_MAX + 1 }, (_, index) => index + 1);
  await server.perform((tx) => {
    for (const id of ids) pushes.note(tx, mel.id, id);
  });
  await server.post(mel, '/mark_all_as_read');
  const { told } = await settle(pushing);
  expect(told.flatMap(({ tokens }) => tokens.map(({ notice }) => notice.message_ids))).toEqual([
    ids.slice(1),
  ]);
});

test('a device whose token was removed gets no push, not even one that is under way', async () => {
  const { as: mel, ...pushing } = await withToken();
  const { server, bouncer } = pushing;
  await send(server, server.people.max, { type: 'direct', to: [mel.id], content: 'x' });
  await server.delete(mel, '/users/me/apns_device_token', { token: TOKEN.token });
  await settle(pushing);
  await send(server, server.people.max, { type: 'direct', to: [mel.id], content: 'x' });
  await settle(pushing);
  expect(bouncer.heard).toEqual([]);
});

test('devices of a deactivated user get no pushes', async () => {
  const { as: mel, ...pushing } = await withToken();
  const { server, bouncer } = pushing;
  await server.perform((tx) => {
    const row = tx.users.get([mel.id]) ?? expect.fail('mel is there');
    tx.users.put([mel.id], { ...row, isActive: false });
  });
  const everyone = { ...IN_GENERAL, content: '@**all**' };
  await send(server, server.people.ona, everyone);
  await settle(pushing);
  expect(bouncer.heard).toEqual([]);
});

test('recipients that were still to be found when the server stopped are found after the start', async () => {
  const { as: mel, ...pushing } = await withDevice();
  const { server } = pushing;
  const id = await send(server, server.people.max, { type: 'direct', to: [mel.id], content: 'x' });
  await server.restart();
  expect(messagesIn(await settle(pushing))).toEqual([id]);
});
