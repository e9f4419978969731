import { expect, test } from 'vitest';
import { MESSAGES_PER_FETCH_MAX } from '../../../src/domain/limits/messages.ts';
import type { Params } from '../../support/client.ts';
import {
  CHANNEL,
  NAMES,
  type Name,
  RANGE,
  started,
} from '../../support/messages/messages-of-every-kind.ts';
import { startServer } from '../../support/start-server.ts';

/** The number that stands for a place after every message (reference/endpoints.md 2.1). */
const LAST = 10_000_000_000_000_000;
const SUCCESS = { result: 'success', msg: '' };

test('2.1: anchors, and what is said of the ends', async () => {
  const { server, ids } = await started();
  const ask = async (params: Params) => {
    const { body } = await server.get(server.people.mel, '/messages', {
      narrow: [['channel', 'general']],
      ...params,
    });
    const { messages, ...rest } = body;
    const names = messages.map((one: { id: number }) => NAMES.find((name) => ids[name] === one.id));
    return { names, ...rest };
  };
  const reply = (names: Name[], anchor: number, [a, o, n]: readonly boolean[]) => ({
    ...SUCCESS,
    names,
    anchor,
    found_anchor: a,
    found_oldest: o,
    found_newest: n,
    history_limited: false,
  });
  const [t, f] = [true, false];
  const at = ids.image;
  expect(await ask({ anchor: at })).toEqual(reply(['image'], at, [t, f, f]));
  expect(await ask({ anchor: at, num_before: 1, num_after: 1 })).toEqual(
    reply(['tea', 'image', 'empty'], at, [t, f, f]),
  );
  expect(await ask({ anchor: at, num_before: 2, num_after: 3 })).toEqual(
    reply(CHANNEL, at, [t, t, t]),
  );
  expect(await ask({ anchor: ids.psst, num_before: 1 })).toEqual(
    reply(['image'], ids.psst, [f, f, f]),
  );
  expect(await ask({ anchor: at, num_before: 2, include_anchor: false })).toEqual(
    reply(['tea'], at, [f, t, f]),
  );
  expect(await ask({ anchor: 'oldest', num_after: 2 })).toEqual(
    reply(['tea', 'image'], 0, [f, t, f]),
  );
  for (const anchor of ['-5', '0']) {
    expect(await ask({ anchor, num_after: 2 })).toMatchObject({ anchor: 0, found_oldest: true });
  }
  for (const anchor of ['newest', '10000000000000000', '99999999999999999999999']) {
    expect(await ask({ anchor, num_before: 2 })).toEqual(reply(['empty', 'file'], LAST, [f, f, t]));
  }
  expect(await ask({ anchor: 'first_unread', num_before: 1, num_after: 1 })).toMatchObject({
    names: ['image', 'empty', 'file'],
    anchor: ids.empty,
    found_anchor: true,
  });
  const both = { anchor: 'newest', use_first_unread_anchor: true, num_after: 0 };
  expect(await ask(both)).toMatchObject({ anchor: ids.empty, names: ['empty'] });
  expect(await ask({ use_first_unread_anchor: true })).toMatchObject({ anchor: ids.empty });
  const nothing = { anchor: 'first_unread', narrow: [['dm', 'ona@example.com']] };
  expect(await ask({ ...nothing, num_before: 9 })).toEqual(reply([], LAST, [f, t, t]));
});

test('2.1: messages by id come without an anchor, in order and once, as far as one may read them', async () => {
  const { server, ids } = await started();
  const messageIds = [ids.aside, ids.tea, ids.secret, ids.psst, ids.tea, 999];
  const params = { message_ids: messageIds };
  const { body } = await server.get(server.people.mel, '/messages', params);
  expect(body).toEqual({
    ...SUCCESS,
    messages: [ids.tea, ids.psst, ids.aside].map((id) => expect.objectContaining({ id })),
    found_anchor: false,
    found_oldest: false,
    found_newest: false,
    history_limited: false,
  });
  const narrowed = { ...params, narrow: [['topic', 'tea']] };
  const some = (await server.get(server.people.mel, '/messages', narrowed)).body.messages;
  expect(some).toMatchObject([{ id: ids.tea }, { id: ids.aside }]);
  const { status, body: refusal } = await server.get(server.people.mel, '/messages', {
    ...params,
    anchor: 'newest',
    num_before: 0,
  });
  expect([status, refusal]).toEqual([
    400,
    {
      result: 'error',
      code: 'BAD_REQUEST',
      msg: 'Unsupported parameter combination: anchor, num_before, message_ids',
      parameters: 'anchor, num_before, message_ids',
    },
  ]);
});

test('2.1: a message has its fields, flags and form as asked', async () => {
  const { server, ids } = await started();
  const { mel, max } = server.people;
  const one = async (name: Name, params: Params = {}) =>
    (await server.get(mel, '/messages', { anchor: ids[name], ...params })).body.messages[0];
  const psst = await one('psst');
  expect(psst).toMatchObject({
    content: '<p>psst</p>',
    content_type: 'text/html',
    flags: ['read'],
    submessages: [],
    topic_links: [],
    reactions: [],
    sender_realm_str: 'test',
    client: expect.any(String),
  });
  const people = psst.display_recipient.map(({ email }: { email: string }) => email);
  expect(people).toEqual([max.email, mel.email].sort());
  for (const absent of ['rendered_content', 'edit_history', 'match_content', 'match_subject']) {
    expect(psst).not.toHaveProperty(absent);
  }
  expect((await one('image')).reactions).toEqual([
    {
      emoji_name: 'smile',
      emoji_code: expect.any(String),
      reaction_type: 'unicode_emoji',
      user_id: mel.id,
    },
  ]);
  expect(await one('tea', { apply_markdown: false })).toMatchObject({
    content: 'hello **all**',
    content_type: 'text/x-markdown',
    flags: expect.arrayContaining(['read', 'starred']),
  });
  expect((await one('empty')).subject).toBe('general chat');
  expect((await one('empty', { allow_empty_topic_name: true })).subject).toBe('');
  expect((await one('psst', { client_gravatar: false })).avatar_url).toEqual(expect.any(String));
});

test('2.1: an avatar is left to the client, and a narrow to nobody, unless they are asked for', async () => {
  const { server, ids } = await started();
  const params = { anchor: ids.psst, narrow: 'null' };
  const { body } = await server.get(server.people.mel, '/messages', params);
  expect(body.messages).toMatchObject([{ id: ids.psst, avatar_url: null }]);
});

test('2.1: edits are told as far as the organization shows them, and else not at all', async () => {
  const { server, ids } = await started();
  await server.patch(server.people.mel, `/messages/${ids.tea}`, { content: 'hi' });
  await server.patch(server.people.mel, `/messages/${ids.tea}`, { topic: 'coffee' });
  const shown = async () => {
    const request = { anchor: ids.tea };
    const { body } = await server.get(server.people.max, '/messages', request);
    return body.messages[0];
  };
  const at = expect.any(Number);
  const move = { user_id: 4, timestamp: at, prev_topic: 'tea', topic: 'coffee' };
  const edit = {
    user_id: 4,
    timestamp: at,
    prev_content: 'hello **all**',
    prev_rendered_content: '<p>hello <strong>all</strong></p>',
  };
  expect((await shown()).edit_history).toEqual([move, edit]);
  await server.set('message_edit_history_visibility_policy', 'moves');
  expect((await shown()).edit_history).toEqual([move]);
  await server.set('message_edit_history_visibility_policy', 'none');
  expect(await shown()).not.toHaveProperty('edit_history');
  expect(await shown()).toMatchObject({ last_edit_timestamp: at, last_moved_timestamp: at });
});

test('2.1: first_unread skips muted topics and channels', async () => {
  const { server, ids } = await started();
  const { ona, mel } = server.people;
  const first = async (params: Params = {}) => {
    const request = { anchor: 'first_unread', ...params };
    const { body } = await server.get(mel, '/messages', request);
    return NAMES.find((name) => ids[name] === body.anchor) ?? body.anchor;
  };
  const read = (...names: Name[]) =>
    server.post(mel, '/messages/flags', {
      messages: names.map((name) => ids[name]),
      op: 'add',
      flag: 'read',
    });
  expect(await first()).toBe('group');
  await read('group', 'self', 'file');
  // The messages before it are in a topic that Mel muted.
  expect(await first()).toBe('empty');
  expect(await first({ narrow: [['channel', 'random']] })).toBe(LAST);
  const random = [
    ['channel', 'random'],
    ['topic', 'lunch'],
  ];
  expect(await first({ narrow: random })).toBe('lunch');
  const muted = { property: 'is_muted', value: true };
  await server.patch(mel, '/users/me/subscriptions/1', muted);
  expect(await first()).toBe(LAST);
  expect(await first({ narrow: [['channel', 'general']] })).toBe('empty');
  // A topic can count although its channel is muted.
  const followed = { stream_id: 1, topic: 'heard', visibility_policy: 3 };
  await server.post(mel, '/user_topics', followed);
  const said = { type: 'channel', to: 'general', topic: 'heard', content: 'now' };
  const { body } = await server.post(ona, '/messages', said);
  expect(await first()).toBe(body.id);
});

// biome-ignore format: a table
const REFUSED: readonly { why: string; params: Params; msg: string }[] = [
  { why: 'no anchor', params: { num_before: 1 }, msg: "Missing 'anchor' argument." },
  { why: 'no such anchor', params: { anchor: 'middle' }, msg: 'anchor is not a message ID or a known word' },
  { why: 'half an anchor', params: { anchor: '1.5' }, msg: 'anchor is not a message ID or a known word' },
  { why: 'a negative number', params: { anchor: 1, num_before: -1 }, msg: 'num_before is too small' },
  { why: 'a number that is none', params: { anchor: 1, num_after: 'x' }, msg: 'num_after is not an integer' },
  {
    why: 'too many',
    params: { anchor: 1, num_before: MESSAGES_PER_FETCH_MAX, num_after: 1 },
    msg: `Too many messages requested (maximum ${MESSAGES_PER_FETCH_MAX}).`,
  },
  {
    why: 'an anchor excluded in the middle',
    params: { anchor: 1, num_before: 1, num_after: 1, include_anchor: false },
    msg: 'The anchor can only be excluded at an end of the range',
  },
  { why: 'a narrow that is none', params: { ...RANGE, narrow: 'x' }, msg: 'narrow is not valid JSON' },
  { why: 'a narrow of one term', params: { ...RANGE, narrow: { a: 1 } }, msg: 'narrow is not a list' },
  { why: 'a term of three', params: { ...RANGE, narrow: [['a', 'b', 'c']] }, msg: 'narrow[0] is not a pair of strings' },
  { why: 'a pair with a number', params: { ...RANGE, narrow: [['id', 1]] }, msg: 'narrow[0] is not a pair of strings' },
  {
    why: 'an operand of another type',
    params: { ...RANGE, narrow: [{ operator: 'topic', operand: 1 }] },
    msg: 'narrow[0].operand is not a string',
  },
  { why: 'an id that is none', params: { message_ids: ['x'] }, msg: 'message_ids[0] is not an integer' },
  {
    why: 'more ids than a fetch has',
    params: { message_ids: Array.from({ length: MESSAGES_PER_FETCH_MAX + 1 }, (_, id) => id) },
    msg: `Too many messages requested (maximum ${MESSAGES_PER_FETCH_MAX}).`,
  },
  { why: 'no boolean', params: { ...RANGE, apply_markdown: 'yes' }, msg: 'apply_markdown is not a boolean' },
];

test('2.1: what is no request for messages is refused with its reason', async () => {
  const { server } = await started();
  for (const { why, params, msg } of REFUSED) {
    const { status, body } = await server.get(server.people.mel, '/messages', params);
    const refusal = { result: 'error', code: 'BAD_REQUEST', msg };
    expect([status, body], why).toEqual([400, refusal]);
  }
});

test('messages that lie far apart have their flags, however many between them have some', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const sent: number[] = [];
  for (let n = 0; n < 70; n++) {
    const topic = n % 23 === 0 ? 'rare' : 'often';
    const params = { type: 'channel', to: 'general', topic, content: `number ${n}` };
    sent.push((await server.post(mel, '/messages', params)).body.id ?? 0);
  }
  const starred = sent.filter((_, n) => n !== 23);
  await server.post(mel, '/messages/flags', {
    messages: JSON.stringify(starred),
    op: 'add',
    flag: 'starred',
  });
  const narrow = JSON.stringify([{ operator: 'topic', operand: 'rare' }]);
  const { body } = await server.get(mel, '/messages', { ...RANGE, narrow });
  const flags = body.messages.map(({ flags }: { flags: string[] }) => flags.toSorted());
  expect(flags).toEqual([['starred'], [], ['starred'], ['starred']]);
});
