import { expect, test } from 'vitest';
import { startServer, type TestServer } from '../../support/start-server.ts';

async function sent(server: TestServer, params: Record<string, unknown>): Promise<number> {
  const { body } = await server.post(server.people.max, '/messages', params);
  return body.id ?? expect.fail(JSON.stringify(body));
}

const IN_GENERAL = { type: 'channel', to: 'general', topic: '', content: '*a*' };

test('2.1: a message is what a list has of it, and comes with its text as it was written', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const id = await sent(server, IN_GENERAL);
  await server.post(mel, '/messages/flags', { messages: [id], op: 'add', flag: 'starred' });
  const { body } = await server.get(mel, `/messages/${id}`);
  const list = await server.get(mel, '/messages', { anchor: id, client_gravatar: false });
  expect(body).toEqual({
    result: 'success',
    msg: '',
    message: list.body.messages[0],
    raw_content: '*a*',
  });
  expect(body.message).toMatchObject({
    content: '<p><em>a</em></p>',
    content_type: 'text/html',
    subject: 'general chat',
    flags: ['starred'],
  });
});

test('2.1: it comes as it was written, and its empty topic by no name, for those who ask', async () => {
  const server = await startServer({ channels: ['general'] });
  const id = await sent(server, IN_GENERAL);
  const params = { apply_markdown: false, allow_empty_topic_name: true };
  const { body } = await server.get(server.people.mel, `/messages/${id}`, params);
  expect(body).toMatchObject({
    message: { content: '*a*', content_type: 'text/x-markdown', subject: '' },
    raw_content: '*a*',
  });
});

test('2.1: what is not there and what one may not read are refused alike', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, ona, gus, bot } = server.people;
  const direct = await sent(server, { type: 'direct', to: [ona.id], content: 'psst' });
  const hidden = { subscriptions: [{ name: 'secret' }], invite_only: true };
  await server.post(server.people.max, '/users/me/subscriptions', hidden);
  const secret = await sent(server, { ...IN_GENERAL, to: 'secret' });
  for (const id of [direct, secret, 9999, 0, -1, '9007199254740991']) {
    for (const person of [mel, gus, bot]) {
      const { status, body } = await server.get(person, `/messages/${id}`);
      expect([status, body]).toEqual([
        400,
        { result: 'error', msg: 'Invalid message(s)', code: 'BAD_REQUEST' },
      ]);
    }
  }
  expect((await server.get(ona, `/messages/${direct}`)).status).toBe(200);
});

test.each([
  { path: '/messages/x', params: {}, msg: 'message_id is not an integer' },
  { path: '/messages/9007199254740993', params: {}, msg: 'message_id is not an integer' },
  {
    path: '/messages/1',
    params: { apply_markdown: 'yes' },
    msg: 'apply_markdown is not a boolean',
  },
  {
    path: '/messages/1',
    params: { allow_empty_topic_name: 1 },
    msg: 'allow_empty_topic_name is not a boolean',
  },
])('is refused: $msg', async ({ path, params, msg }) => {
  const server = await startServer();
  expect(await server.get(server.people.mel, path, params)).toMatchObject({
    status: 400,
    body: { result: 'error', code: 'BAD_REQUEST', msg },
  });
});
