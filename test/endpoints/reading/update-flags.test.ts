import { expect, test } from 'vitest';
import { MESSAGES_PER_FETCH_MAX } from '../../../src/domain/limits/messages.ts';
import { expectExactAfter, MODERN } from '../../support/applying/follow.ts';
import type { Params } from '../../support/client.ts';
import { sendMany } from '../../support/messages/many-messages.ts';
import { startServer } from '../../support/start-server.ts';

/** A channel in which Mel has four unread messages. */
async function openChannel() {
  const server = await startServer({ channels: ['general'] });
  const ids: number[] = [];
  for (const topic of ['a', 'a', 'b', 'a']) {
    const message = { type: 'channel', to: 'general', topic, content: 'hi' };
    const { body } = await server.post(server.people.ada, '/messages', message);
    ids.push(Number(body['id']));
  }
  return { server, ids };
}

const RANGE = { anchor: 'newest', num_before: 10, num_after: 0, op: 'add', flag: 'read' };

test('1.9 a range of a narrow is flagged, and what was done is told', async () => {
  const { server, ids } = await openChannel();
  const { mel } = server.people;
  const queue = await server.register(mel);
  const narrow = [{ operator: 'topic', operand: 'A' }];
  const request = { ...RANGE, anchor: 'oldest', num_before: 0, num_after: 2, narrow };
  await expectExactAfter(server, async () => {
    const { status, body } = await server.post(mel, '/messages/flags/narrow', request);
    expect([status, body]).toEqual([
      200,
      {
        result: 'success',
        msg: '',
        processed_count: 2,
        updated_count: 2,
        first_processed_id: ids[0],
        last_processed_id: ids[1],
        found_oldest: true,
        found_newest: false,
      },
    ]);
  });
  expect(await queue.now()).toEqual([
    {
      id: expect.any(Number),
      type: 'update_message_flags',
      op: 'add',
      operation: 'add',
      flag: 'read',
      messages: [ids[0], ids[1]],
      all: false,
    },
  ]);
  const again = await server.post(mel, '/messages/flags/narrow', request);
  expect(again.body).toMatchObject({ processed_count: 2, updated_count: 0 });
  const none = { ...request, narrow: [['topic', 'nowhere']] };
  expect((await server.post(mel, '/messages/flags/narrow', none)).body).toMatchObject({
    processed_count: 0,
    first_processed_id: null,
    last_processed_id: null,
    found_oldest: true,
    found_newest: true,
  });
  expect(await queue.now()).toEqual([]);
});

test('marking unread passes over channels that one left, and names them', async () => {
  const { server, ids } = await openChannel();
  const { mel } = server.people;
  await server.delete(mel, '/users/me/subscriptions', { subscriptions: ['general'] });
  const narrow = [['channel', 'general']];
  const range = { ...RANGE, op: 'remove', narrow };
  expect((await server.post(mel, '/messages/flags/narrow', range)).body).toMatchObject({
    updated_count: 0,
    ignored_because_not_subscribed_channels: [1],
  });
  const byId = { messages: [ids[0]], op: 'remove', flag: 'read' };
  expect((await server.post(mel, '/messages/flags', byId)).body).toMatchObject({
    messages: [ids[0]],
    ignored_because_not_subscribed_channels: [1],
  });
  const added = await server.post(mel, '/messages/flags', { ...byId, op: 'add' });
  expect(added.body).not.toHaveProperty('ignored_because_not_subscribed_channels');
});

test('what is in an archived channel stays read, whatever the client knows of such channels', async () => {
  const { server, ids } = await openChannel();
  const { mel, ona } = server.people;
  await server.delete(ona, '/streams/1');
  const change = { messages: ids, op: 'remove', flag: 'read' };
  const { archived_channels: _, ...older } = MODERN.client_capabilities;
  for (const options of [MODERN, { ...MODERN, client_capabilities: older }]) {
    const queue = await server.register(mel, options);
    await expectExactAfter(
      server,
      async () => {
        expect((await server.post(mel, '/messages/flags', change)).body).toMatchObject({
          messages: ids,
          ignored_because_not_subscribed_channels: [],
        });
      },
      { people: [mel], options },
    );
    expect(await queue.now()).toEqual([]);
    const { state } = await server.register(mel, options);
    expect(state.unread_msgs).toMatchObject({ count: 0, streams: [] });
  }
});

test('one message that may not be read refuses the whole request', async () => {
  const { server, ids } = await openChannel();
  const { mel, ada, max } = server.people;
  const direct = { type: 'direct', to: [max.id], content: 'not for mel' };
  const { body } = await server.post(ada, '/messages', direct);
  const queue = await server.register(mel);
  for (const hidden of [Number(body['id']), 9999, -1]) {
    const request = { messages: [ids[0], hidden], op: 'add', flag: 'starred' };
    expect(await server.post(mel, '/messages/flags', request)).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST', msg: 'Invalid message(s)' },
    });
  }
  expect(await queue.now()).toEqual([]);
});

const MISSING = (name: string) => ({ code: 'REQUEST_VARIABLE_MISSING', var_name: name });
const WRONG = (msg: string) => ({ code: 'BAD_REQUEST', msg });
const { anchor, num_before, num_after, op, flag, ...EMPTY } = RANGE;

test.each<{ path?: string; params: Params; body: object }>([
  { params: { ...EMPTY, num_before, num_after, op, flag }, body: MISSING('anchor') },
  { params: { ...EMPTY, anchor, num_after, op, flag }, body: MISSING('num_before') },
  { params: { ...EMPTY, anchor, num_before, op, flag }, body: MISSING('num_after') },
  { params: { ...EMPTY, anchor, num_before, num_after, flag }, body: MISSING('op') },
  { params: { ...EMPTY, anchor, num_before, num_after, op }, body: MISSING('flag') },
  {
    params: { ...RANGE, anchor: 'soon' },
    body: WRONG('anchor is not a message ID or a known word'),
  },
  { params: { ...RANGE, num_before: -1 }, body: WRONG('num_before is too small') },
  { params: { ...RANGE, num_after: 'x' }, body: WRONG('num_after is not an integer') },
  { params: { ...RANGE, include_anchor: 1 }, body: WRONG('include_anchor is not a boolean') },
  {
    params: { ...RANGE, anchor: 2, num_after: 1, include_anchor: false },
    body: WRONG('The anchor can only be excluded at an end of the range'),
  },
  { params: { ...RANGE, narrow: '{' }, body: WRONG('narrow is not valid JSON') },
  {
    params: { ...RANGE, narrow: [['channel', 'nowhere']] },
    body: { code: 'BAD_NARROW', desc: 'unknown channel nowhere' },
  },
  { params: { ...RANGE, op: 'set' }, body: WRONG("Invalid message flag operation: 'set'") },
  { params: { ...RANGE, flag: 'shiny' }, body: WRONG("Invalid flag: 'shiny'") },
  ...['mentioned', 'wildcard_mentioned', 'has_alert_word', 'historical'].map((fixed) => ({
    params: { ...RANGE, flag: fixed },
    body: WRONG(`Flag not editable: '${fixed}'`),
  })),
  { path: '/messages/flags', params: { op, flag }, body: MISSING('messages') },
  { path: '/messages/flags', params: { messages: [1], flag }, body: MISSING('op') },
  { path: '/messages/flags', params: { messages: [1], op }, body: MISSING('flag') },
  {
    path: '/messages/flags',
    params: { messages: [1.5], op, flag },
    body: WRONG('messages[0] is not an integer'),
  },
  {
    path: '/messages/flags',
    params: { messages: Array.from({ length: 5001 }, (_, id) => id), op, flag },
    body: WRONG('Too many messages (maximum 5000).'),
  },
])('is refused: $body', async ({ path = '/messages/flags/narrow', params, body }) => {
  const server = await startServer();
  const reply = await server.post(server.people.mel, path, params);
  expect(reply).toMatchObject({ status: 400, body: { result: 'error', ...body } });
});

test('the anchor is in the range unless it is left out, and may be any of four', async () => {
  const { server, ids } = await openChannel();
  const { mel } = server.people;
  const changed = async (params: Params) => {
    const request = { ...RANGE, flag: 'starred', num_before: 0, num_after: 1, ...params };
    const { body } = await server.post(mel, '/messages/flags/narrow', request);
    return [body.first_processed_id, body.last_processed_id, body.processed_count];
  };
  const [first, second, third, last] = ids;
  expect(await changed({ anchor: second })).toEqual([second, third, 2]);
  expect(await changed({ anchor: second, include_anchor: false })).toEqual([third, third, 1]);
  expect(await changed({ anchor: 'oldest' })).toEqual([first, first, 1]);
  expect(await changed({ anchor: 'newest', num_before: 1, num_after: 0 })).toEqual([last, last, 1]);
  await server.post(mel, '/messages/flags', { messages: [first], op: 'add', flag: 'read' });
  expect(await changed({ anchor: 'first_unread' })).toEqual([second, third, 2]);
});

test('a flag is set on a range and cleared again, and only what changed is counted', async () => {
  const { server, ids } = await openChannel();
  const { mel } = server.people;
  const change = async (op: string, params: Params = {}) => {
    const request = { ...RANGE, op, flag: 'starred', ...params };
    return (await server.post(mel, '/messages/flags/narrow', request)).body;
  };
  const flagged = async () => {
    const { body } = await server.get(mel, '/messages', { anchor: 'newest', num_before: 10 });
    return body.messages.map(({ flags }: { flags: string[] }) => flags.includes('starred'));
  };
  expect(await change('add', { num_before: 2 })).toMatchObject({ updated_count: 2 });
  expect(await flagged()).toEqual([false, false, true, true]);
  expect(await change('add')).toMatchObject({ processed_count: 4, updated_count: 2 });
  expect(await change('remove')).toMatchObject({ processed_count: 4, updated_count: 4 });
  expect(await flagged()).toEqual([false, false, false, false]);
  expect(await change('remove')).not.toHaveProperty('ignored_because_not_subscribed_channels');
  expect(await change('remove', { flag: 'read' })).toMatchObject({
    ignored_because_not_subscribed_channels: [],
  });
  expect(ids).toHaveLength(4);
});

test('a range of more messages than the server takes at once is shortened to those around the anchor', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, ada } = server.people;
  const count = MESSAGES_PER_FETCH_MAX + 10;
  await sendMany(server, { as: ada, count, topic: 'a' });
  const request = { ...RANGE, anchor: 2_502, num_before: 9_000, num_after: 9_000 };
  const { body } = await server.post(mel, '/messages/flags/narrow', request);
  expect(body).toMatchObject({
    processed_count: MESSAGES_PER_FETCH_MAX + 1,
    updated_count: MESSAGES_PER_FETCH_MAX + 1,
    first_processed_id: 2,
    last_processed_id: MESSAGES_PER_FETCH_MAX + 2,
    found_oldest: false,
    found_newest: false,
  });
});
