import { expect, test } from 'vitest';
import { startServer, type TestServer } from '../../support/start-server.ts';

const PATH = '/users/me/subscriptions/muted_topics';
const SUCCESS = { result: 'success', msg: '' };

const policies = async ({ register, people }: TestServer) =>
  (await register(people.mel)).state.user_topics.map(
    (entry: { topic_name: string; visibility_policy: number }) => [
      entry.topic_name,
      entry.visibility_policy,
    ],
  );

test.each([{ stream: 'General' }, { stream_id: 1 }])(
  'a topic of the channel %o is muted and unmuted, any number of times',
  async (channel) => {
    const server = await startServer({ channels: ['general'] });
    const { mel } = server.people;
    const mute = (op: string) => server.patch(mel, PATH, { ...channel, topic: 'Lunch', op });
    expect((await mute('remove')).body).toEqual(SUCCESS);
    const queue = await server.register(mel, { event_types: ['user_topic'] });
    expect((await mute('add')).body).toEqual(SUCCESS);
    expect((await mute('add')).body).toEqual(SUCCESS);
    expect(await policies(server)).toEqual([['Lunch', 1]]);
    expect((await mute('remove')).body).toEqual(SUCCESS);
    expect((await mute('remove')).body).toEqual(SUCCESS);
    expect(await policies(server)).toEqual([]);
    const events = await queue.now();
    expect(events.map((event) => event['visibility_policy'])).toEqual([1, 0]);
  },
);

test('what is followed is not forgotten by taking back a mute', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const lunch = { stream_id: 1, topic: 'lunch' };
  await server.post(mel, '/user_topics', { ...lunch, visibility_policy: 3 });
  expect((await server.patch(mel, PATH, { ...lunch, op: 'remove' })).status).toBe(200);
  expect(await policies(server)).toEqual([['lunch', 3]]);
});

const COMBINATION = { code: 'BAD_REQUEST', parameters: 'stream_id, stream' };

test.each([
  {
    why: 'both names of a channel',
    params: { stream: 'general', stream_id: 1 },
    body: COMBINATION,
  },
  { why: 'no channel', params: {}, body: COMBINATION },
  { why: 'an unknown name', params: { stream: 'x' }, body: { msg: 'Invalid channel ID' } },
  { why: 'an unknown id', params: { stream_id: 9 }, body: { msg: 'Invalid channel ID' } },
  {
    why: 'an unknown id to take it back for',
    params: { stream_id: 9, op: 'remove' },
    body: { msg: 'Invalid channel ID' },
  },
  { why: 'an id that is none', params: { stream_id: 'x' }, body: { msg: /^stream_id is not/ } },
  {
    why: 'no topic',
    params: { stream_id: 1, topic: undefined },
    body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'topic' },
  },
  {
    why: 'a topic too long',
    params: { stream_id: 1, topic: 'x'.repeat(61), op: 'remove' },
    body: { msg: /^topic is too long/ },
  },
  {
    why: 'no operation',
    params: { stream_id: 1, op: undefined },
    body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'op' },
  },
  {
    why: 'another operation',
    params: { stream_id: 1, op: 'mute' },
    body: { msg: 'Invalid op' },
  },
])('is refused: $why', async ({ params, body }) => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const reply = await server.patch(mel, PATH, { topic: 'lunch', op: 'add', ...params });
  const { msg, ...fields } = { code: 'BAD_REQUEST', msg: /./, ...body };
  expect(reply).toMatchObject({ status: 400, body: { result: 'error', ...fields } });
  expect(reply.body.msg).toMatch(msg);
  expect(await policies(server)).toEqual([]);
});
