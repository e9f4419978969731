import { expect, test } from 'vitest';
import { MESSAGES_PER_FETCH_MAX } from '../../../src/domain/limits/messages.ts';
import type { Params } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const PATH = '/messages/matches_narrow';

async function say(server: TestServer, content: string, params: Params = {}) {
  const message = { type: 'channel', to: 'general', topic: 'plans <1>', content, ...params };
  const { body } = await server.post(server.people.ada, '/messages', message);
  return Number(body['id']);
}

const match = (server: TestServer, as: Person, params: Params) => server.get(as, PATH, params);

test('messages that match come with their rendered content and topic, others not at all', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, ada } = server.people;
  const first = await say(server, 'the **plan** & more');
  const other = await say(server, 'nothing', { topic: '' });
  const msg_ids = [first, other, 99];

  const search = await match(server, mel, { msg_ids, narrow: [['search', 'planned']] });
  expect(search).toMatchObject({ status: 200 });
  expect(search.body).toEqual({
    result: 'success',
    msg: '',
    messages: {
      [first]: {
        match_content: '<p>the <strong><span class="highlight">plan</span></strong> &amp; more</p>',
        match_subject: '<span class="highlight">plans</span> &lt;1&gt;',
      },
    },
  });
  const plain = await match(server, mel, { msg_ids, narrow: [['sender', ada.email]] });
  expect(plain.body['messages']).toEqual({
    [first]: {
      match_content: '<p>the <strong>plan</strong> &amp; more</p>',
      match_subject: 'plans &lt;1&gt;',
    },
    [other]: { match_content: '<p>nothing</p>', match_subject: 'general chat' },
  });
  const negated = { operator: 'search', operand: 'plan', negated: true };
  const without = await match(server, mel, { msg_ids, narrow: [negated] });
  expect(Object.keys(without.body['messages'])).toEqual([String(other)]);
});

test('only messages that came to the user, or that they starred, are considered', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, ada, max } = server.people;
  const before = await say(server, 'before');
  await server.delete(mel, '/users/me/subscriptions', { subscriptions: ['general'] });
  const missed = await say(server, 'missed');
  const starred = await say(server, 'starred');
  await server.post(mel, '/messages/flags', { messages: [starred], op: 'add', flag: 'starred' });
  const direct = { type: 'direct', to: [max.id], content: 'not yours' };
  const { body } = await server.post(ada, '/messages', direct);
  const msg_ids = [before, missed, starred, Number(body['id'])];

  const own = await match(server, mel, { msg_ids, narrow: [] });
  expect(Object.keys(own.body['messages'])).toEqual([String(before), String(starred)]);
  // The list differs, as it gives only what may be read.
  const narrow = [['channel', 'general']];
  const named = await match(server, mel, { msg_ids, narrow });
  expect(Object.keys(named.body['messages'])).toEqual([String(before), String(starred)]);
  const list = await server.get(mel, '/messages', { message_ids: msg_ids, narrow });
  expect(list.body['messages']).toHaveLength(3);
});

test('what came to the user and may no longer be read is not told', async () => {
  const server = await startServer();
  const { mel, ada } = server.people;
  await server.post(ada, '/users/me/subscriptions', {
    subscriptions: [{ name: 'secret' }],
    invite_only: true,
    principals: [mel.id, ada.id],
  });
  const id = await say(server, 'x', { to: 'secret' });
  const request = { msg_ids: [id], narrow: [] };
  expect((await match(server, mel, request)).body['messages']).toHaveProperty(String(id));
  await server.delete(mel, '/users/me/subscriptions', { subscriptions: ['secret'] });
  expect((await match(server, mel, request)).body['messages']).toEqual({});
});

test('a search of the list comes with matches, of unread flags too', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const first = await say(server, 'find **me**');
  await say(server, 'nothing');
  const narrow = [['search', '"find"']];
  const request = { anchor: 'newest', num_before: 10, num_after: 0, narrow };
  const { body } = await server.get(mel, '/messages', { ...request, apply_markdown: false });
  expect(body['messages']).toMatchObject([
    {
      id: first,
      content: 'find **me**',
      match_content: '<p><span class="highlight">find</span> <strong>me</strong></p>',
      match_subject: 'plans &lt;1&gt;',
    },
  ]);
  const plain = await server.get(mel, '/messages', { ...request, narrow: [] });
  expect(plain.body['messages'][0]).not.toHaveProperty('match_content');

  const flags = { ...request, op: 'add', flag: 'read' };
  const changed = await server.post(mel, '/messages/flags/narrow', flags);
  expect(changed.body).toMatchObject({ processed_count: 1, first_processed_id: first });
});

test.each([
  { params: { narrow: [] }, body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'msg_ids' } },
  { params: { msg_ids: [1] }, body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'narrow' } },
  {
    params: { msg_ids: 'x', narrow: [] },
    body: { code: 'BAD_REQUEST', msg: 'msg_ids is not valid JSON' },
  },
  {
    params: { msg_ids: 5, narrow: [] },
    body: { code: 'BAD_REQUEST', msg: 'msg_ids is not a list' },
  },
  {
    params: { msg_ids: ['1'], narrow: [] },
    body: { code: 'BAD_REQUEST', msg: 'msg_ids[0] is not an integer' },
  },
  {
    params: { msg_ids: [], narrow: 'null' },
    body: { code: 'BAD_REQUEST', msg: 'narrow is not a list' },
  },
  {
    params: { msg_ids: [], narrow: [['channel', 'nowhere']] },
    body: { code: 'BAD_NARROW', desc: 'unknown channel nowhere' },
  },
  {
    params: { msg_ids: Array.from({ length: MESSAGES_PER_FETCH_MAX + 1 }, () => 1), narrow: [] },
    body: { code: 'BAD_REQUEST', msg: 'Too many messages requested (maximum 5000).' },
  },
])('is refused: $body', async ({ params, body }) => {
  const server = await startServer();
  const reply = await match(server, server.people.mel, params);
  expect(reply).toMatchObject({ status: 400, body: { result: 'error', ...body } });
});

test('5000 ids are not too many', async () => {
  const server = await startServer();
  const msg_ids = Array.from({ length: MESSAGES_PER_FETCH_MAX }, (_, id) => id);
  const { status, body } = await match(server, server.people.mel, { msg_ids, narrow: [] });
  expect([status, body['messages']]).toEqual([200, {}]);
});
