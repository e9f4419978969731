import { expect, test } from 'vitest';
import type { QueueFilter } from '../../../src/domain/wire/events/log-entry.ts';
import type { TestQueue } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

/** Logs one event for each kind of queue, for one user and for a channel, among messages. */
async function logFiltered(server: TestServer, channelId: number) {
  const { mel, ona } = server.people;
  const send = (content: string) =>
    server.post(ona, '/messages', { type: 'channel', to: channelId, topic: 't', content });
  await send('before');
  await server.perform((tx) => {
    const emit = (user: string, queues?: QueueFilter) =>
      tx.emit({
        event: { type: 'user_settings', op: 'update', property: 'timezone', value: user },
        audience: { users: [mel.id] },
        queues,
      });
    emit('all');
    emit('has', { has: 'user_settings_object' });
    emit('lacks', { lacks: 'user_settings_object' });
    emit('unless', { unlessNamed: 'user_settings' });
    emit('unheard', { unlessHeard: 'delete_message' });
    const remove = (messageId: number, queues?: QueueFilter) =>
      tx.emit({
        event: {
          type: 'delete_message',
          message_type: 'stream',
          message_id: messageId,
          stream_id: channelId,
          topic: 't',
        },
        audience: { channelId },
        queues,
      });
    remove(1);
    remove(2, { has: 'user_settings_object' });
    remove(3, { lacks: 'user_settings_object' });
  });
  // This event is alone in its commit, so that no filtered one is with it.
  await server.perform((tx) =>
    tx.emit({
      event: {
        type: 'delete_message',
        message_type: 'stream',
        message_id: 4,
        stream_id: channelId,
        topic: 't',
      },
      audience: { channelId },
    }),
  );
  await send('after');
}

const KINDS = {
  capable: {
    client_capabilities: { notification_settings_null: true, user_settings_object: true },
  },
  older: {},
  naming: { event_types: ['user_settings', 'message', 'delete_message'] },
  messagesAlone: { event_types: ['message'] },
  withoutDeletions: { event_types: ['user_settings', 'message'] },
} as const;

const EXPECTED: Record<keyof typeof KINDS, readonly unknown[]> = {
  capable: ['before', 'all', 'has', 'unless', 1, 2, 4, 'after'],
  older: ['before', 'all', 'lacks', 'unless', 1, 3, 4, 'after'],
  naming: ['before', 'all', 'lacks', 1, 3, 4, 'after'],
  messagesAlone: ['before', 'after'],
  withoutDeletions: ['before', 'all', 'lacks', 'unheard', 'after'],
};

const taken = async (queue: TestQueue) =>
  (await queue.now())
    .filter(({ type, op }) => type !== 'heartbeat' && `${type} ${op}` !== 'stream update')
    .map((event) => event['value'] ?? event['message_id'] ?? event['message']?.content);

test.each(['live', 'caught up', 'after a restart'] as const)(
  'an event for some kinds of queue reaches those alone, in order: %s',
  async (how) => {
    const server = await startServer({ channels: ['general'] });
    const { body } = await server.get(server.people.ona, '/users/me/subscriptions');
    const channelId = body.subscriptions[0].stream_id as number;
    const queues = await Promise.all(
      Object.entries(KINDS).map(
        async ([kind, params]) => [kind, await server.register(server.people.mel, params)] as const,
      ),
    );
    // A parked poll makes a queue live.
    if (how === 'live') for (const [, queue] of queues) await queue.now();
    await logFiltered(server, channelId);
    if (how === 'after a restart') await server.restart();
    const got = Object.fromEntries(
      await Promise.all(
        queues.map(async ([kind, queue]) => [
          kind,
          (await taken(queue)).filter((one) => one !== undefined),
        ]),
      ),
    );
    expect(got).toEqual(EXPECTED);
    expect(server.bugs).toEqual([]);
  },
);

test('sockets of every kind that are open get theirs alone', async () => {
  const server = await startServer({ channels: ['general'] });
  const { body } = await server.get(server.people.ona, '/users/me/subscriptions');
  const channelId = body.subscriptions[0].stream_id as number;
  const sockets = await Promise.all(
    Object.entries(KINDS).map(async ([kind, params]) => {
      const socket = await server.socket(server.people.mel);
      socket.send({ type: 'register', params });
      await socket.frame('registered');
      return [kind as keyof typeof KINDS, socket] as const;
    }),
  );
  await logFiltered(server, channelId);
  for (const [kind, socket] of sockets) {
    const values: unknown[] = [];
    while (values.at(-1) !== 'after') {
      const frame = await socket.frame('events');
      for (const event of frame['events']) {
        if (event.type === 'stream') continue;
        values.push(event.value ?? event.message_id ?? event.message.content);
      }
    }
    expect([kind, values]).toEqual([kind, EXPECTED[kind]]);
    socket.close();
  }
});
