import { expect, test } from 'vitest';
import { startServer, type TestServer } from '../../support/start-server.ts';

const GENERAL = 1;
const LATER = Date.UTC(2026, 5, 1) / 1000;

/** Every request that names a topic which need not exist, and what it makes of the name. */
const WRITERS = [
  {
    how: 'sent',
    write: async (server: TestServer, topic: string) => {
      const message = { type: 'channel', to: 'general', topic, content: 'soup?' };
      return server.post(server.people.mel, '/messages', message);
    },
    written: async (server: TestServer) => (await newest(server)).subject,
  },
  {
    how: 'edited',
    write: async (server: TestServer, topic: string) => {
      const { mel } = server.people;
      const message = { type: 'channel', to: 'general', topic: 'begun', content: 'soup?' };
      const { body } = await server.post(mel, '/messages', message);
      return server.patch(mel, `/messages/${body.id}`, {
        topic,
        send_notification_to_new_thread: false,
      });
    },
    written: async (server: TestServer) => (await newest(server)).subject,
  },
  {
    how: 'scheduled',
    write: (server: TestServer, topic: string) => schedule(server, topic),
    written: async (server: TestServer) => (await scheduled(server)).topic,
  },
  {
    how: 'scheduled anew',
    write: async (server: TestServer, topic: string) => {
      const { body } = await schedule(server, 'begun');
      const path = `/scheduled_messages/${body.scheduled_message_id}`;
      return server.patch(server.people.mel, path, { topic });
    },
    written: async (server: TestServer) => (await scheduled(server)).topic,
  },
  {
    how: 'decided about',
    write: (server: TestServer, topic: string) => {
      const decision = { stream_id: GENERAL, topic, visibility_policy: 3 };
      return server.post(server.people.mel, '/user_topics', decision);
    },
    written: async (server: TestServer) => {
      const { user_topics } = (await server.post(server.people.mel, '/register')).body;
      return user_topics[0].topic_name;
    },
  },
  {
    how: 'muted',
    write: (server: TestServer, topic: string) => {
      const mute = { stream_id: GENERAL, topic, op: 'add' };
      return server.patch(server.people.mel, '/users/me/subscriptions/muted_topics', mute);
    },
    written: async (server: TestServer) => {
      const { user_topics } = (await server.post(server.people.mel, '/register')).body;
      return user_topics[0].topic_name;
    },
  },
  {
    how: 'typed in',
    write: (server: TestServer, topic: string) => {
      const typing = { type: 'channel', op: 'start', stream_id: GENERAL, topic };
      return server.post(server.people.mel, '/typing', typing);
    },
  },
];

async function newest(server: TestServer) {
  const window = { anchor: 'newest', num_before: 1, num_after: 0 };
  const { body } = await server.get(server.people.mel, '/messages', window);
  return body.messages[0];
}

const schedule = (server: TestServer, topic: string) =>
  server.post(server.people.mel, '/scheduled_messages', {
    type: 'channel',
    to: GENERAL,
    topic,
    content: 'soup?',
    scheduled_delivery_timestamp: LATER,
  });

const scheduled = async (server: TestServer) =>
  (await server.get(server.people.mel, '/scheduled_messages')).body.scheduled_messages[0];

test.each(WRITERS)('1.1: white space around a topic is nothing: $how', async (writer) => {
  for (const topic of ['lunch', ' lunch ', 'lunch\n', '\r\n\tlunch\u2028']) {
    const server = await startServer({ channels: ['general'] });
    expect(await writer.write(server, topic), JSON.stringify(topic)).toMatchObject({ status: 200 });
    if (writer.written !== undefined) expect(await writer.written(server)).toBe('lunch');
  }
});

test.each(WRITERS)('1.1: what nobody sees is in no topic: $how', async ({ write }) => {
  const server = await startServer({ channels: ['general'] });
  for (const topic of [
    'a\nb',
    'a\tb',
    'a\0',
    '\u0007a',
    'a\u0085b',
    'a\ufffe',
    `${'x'.repeat(60)}\0`,
  ]) {
    expect(await write(server, topic), JSON.stringify(topic)).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST', msg: expect.stringMatching(/topic/) },
    });
  }
  expect(server.bugs).toEqual([]);
});
