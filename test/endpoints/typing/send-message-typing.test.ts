import { expect, test } from 'vitest';
import { TYPING_SUBSCRIBERS_MAX } from '../../../src/domain/limits/messages.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const SUCCESS = { result: 'success', msg: '' };
const IN_TEA = { type: 'channel', to: 'general', topic: 'tea', content: 'hi' };

const type = (server: TestServer, messageId: number, op = 'start', as = server.people.mel) =>
  server.post(as, `/messages/${messageId}/typing`, { op });

async function sent(server: TestServer, as: Person, params: object = IN_TEA): Promise<number> {
  return (await server.post(as, '/messages', { ...params })).body.id;
}

const told = (server: TestServer, op: string, messageId: number, recipient: object) => ({
  id: expect.any(Number),
  type: 'typing_edit_message',
  op,
  sender_id: server.people.mel.id,
  message_id: messageId,
  recipient,
});

test('the people of a conversation are told that a message of it is being changed', async () => {
  const server = await startServer();
  const { mel, max, gus, mia } = server.people;
  const direct = { type: 'direct', to: [gus.id, max.id], content: 'hi' };
  const messageId = await sent(server, mel, direct);
  const queues = await Promise.all([mel, max, gus].map((person) => server.register(person)));
  const other = await server.register(mia);
  expect((await type(server, messageId)).body).toEqual(SUCCESS);
  expect((await type(server, messageId, 'stop')).body).toEqual(SUCCESS);
  const user_ids = [mel.id, max.id, gus.id].sort((one, another) => one - another);
  const recipient = { type: 'direct', user_ids };
  for (const queue of queues) {
    expect(await queue.now()).toEqual([
      told(server, 'start', messageId, recipient),
      told(server, 'stop', messageId, recipient),
    ]);
  }
  expect(await other.now()).toEqual([]);
});

test('in a channel its subscribers are told who want to know, and the topic as they know it', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, mia, gus } = server.people;
  const messageId = await sent(server, mel, { ...IN_TEA, topic: '' });
  await server.delete(mia, '/users/me/subscriptions', { subscriptions: ['general'] });
  await server.patch(gus, '/settings', { receives_typing_notifications: false });
  const capabilities = { notification_settings_null: true, empty_topic_name: true };
  const plain = await server.register(max);
  const modern = await server.register(max, { client_capabilities: capabilities });
  const outside = await server.register(mia);
  const unwilling = await server.register(gus);
  expect((await type(server, messageId)).body).toEqual(SUCCESS);
  const recipient = { type: 'channel', channel_id: 1, topic: '' };
  expect(await modern.now()).toEqual([told(server, 'start', messageId, recipient)]);
  expect(await plain.now()).toEqual([
    told(server, 'start', messageId, { ...recipient, topic: 'general chat' }),
  ]);
  expect(await outside.now()).toEqual([]);
  expect(await unwilling.now()).toEqual([]);
});

test('of a message that came before them nobody is told where history is protected', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  const closed = { subscriptions: [{ name: 'closed' }], invite_only: true };
  await server.post(mel, '/users/me/subscriptions', closed);
  const before = await sent(server, mel, { ...IN_TEA, to: 'closed' });
  await server.post(mel, '/users/me/subscriptions', { ...closed, principals: [max.id] });
  const after = await sent(server, mel, { ...IN_TEA, to: 'closed' });
  const queue = await server.register(max, { event_types: ['typing_edit_message'] });
  await type(server, before);
  await type(server, after);
  expect((await queue.now()).map((event) => event['message_id'])).toEqual([after]);
});

test('in a channel of 100 subscribers all are told, in a larger one nobody is', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const messageId = await sent(server, mel);
  const queue = await server.register(max);
  const count = (subscriberCount: number) =>
    server.perform((tx) => {
      const channel = tx.channels.get([1]) ?? expect.fail('general is there');
      tx.channels.put([1], { ...channel, subscriberCount });
    });
  await count(TYPING_SUBSCRIBERS_MAX);
  expect((await type(server, messageId)).body).toEqual(SUCCESS);
  expect(await queue.now()).toMatchObject([{ type: 'typing_edit_message' }]);
  await count(TYPING_SUBSCRIBERS_MAX + 1);
  expect((await type(server, messageId)).body).toEqual(SUCCESS);
  expect(await queue.now()).toEqual([]);
});

test('4: it changes no snapshot', async () => {
  const server = await startServer({ channels: ['general'] });
  const messageId = await sent(server, server.people.mel);
  await expectExactAfter(server, async () => {
    await type(server, messageId);
    await type(server, messageId, 'stop');
  });
});

test('only the author of a message is told of as changing it, and not who keeps their typing secret', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const messageId = await sent(server, mel);
  const direct = await sent(server, mel, { type: 'direct', to: [max.id], content: 'hi' });
  const queue = await server.register(max, { event_types: ['typing_edit_message'] });
  const refused = async (reply: ReturnType<typeof type>, msg: string) => {
    const { status, body } = await reply;
    expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
  };
  const notYours = "You don't have permission to edit this message";
  await refused(type(server, messageId, 'start', max), notYours);
  await refused(type(server, direct, 'start', server.people.ona), 'Invalid message(s)');
  await refused(type(server, 999), 'Invalid message(s)');
  await refused(type(server, messageId, 'pause'), 'Invalid op');
  await server.patch(mel, '/settings', {
    send_private_typing_notifications: false,
    send_stream_typing_notifications: false,
  });
  const secretive = 'User has disabled typing notifications for';
  await refused(type(server, messageId), `${secretive} channel messages`);
  await refused(type(server, direct), `${secretive} direct messages`);
  const none = await server.post(mel, `/messages/${messageId}/typing`);
  expect(none.body).toMatchObject({ code: 'REQUEST_VARIABLE_MISSING', var_name: 'op' });
  expect(await queue.now()).toEqual([]);
});
