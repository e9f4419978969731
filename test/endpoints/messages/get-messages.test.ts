import { expect, test } from 'vitest';
import { MESSAGES_PER_FETCH_MAX } from '../../../src/domain/limits.ts';
import type { Params } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import { upload } from '../../support/uploads.ts';

/** The number that stands for a place after every message (reference/endpoints.md 2.1). */
const LAST = 10_000_000_000_000_000;
const SUCCESS = { result: 'success', msg: '' };
const RANGE = { anchor: 'newest', num_before: 100, num_after: 0 };

/** Messages of a realm, in order; those named `secret` and `aside` are not Mel's to see. */
const NAMES = [
  'tea',
  'picture',
  'psst',
  'group',
  'lunch',
  'self',
  'empty',
  'secret',
  'aside',
  'file',
] as const;
type Name = (typeof NAMES)[number];

/** What Mel may find without naming a channel. */
const OWN = NAMES.filter((name) => name !== 'secret' && name !== 'aside');
const without = (...names: Name[]) => OWN.filter((name) => !names.includes(name));

async function started() {
  const server = await startServer({ channels: ['general', 'random'] });
  await server.set('send_channel_events_messages', false);
  const { ona, mel, max, gus } = server.people;
  const send = async (as: typeof mel, params: Params) => {
    const { body } = await server.post(as, '/messages', params);
    return body.id ?? expect.fail(JSON.stringify(body));
  };
  const inChannel = (to: string, topic: string, content: string) => ({
    type: 'channel',
    to,
    topic,
    content,
  });
  const toPeople = (to: number[], content: string) => ({ type: 'direct', to, content });
  const hidden = { subscriptions: [{ name: 'secret' }], invite_only: true };
  await server.post(ona, '/users/me/subscriptions', hidden);
  await server.post(ona, '/users/me/subscriptions', { subscriptions: [{ name: 'aside' }] });
  const url = (await upload(server, mel, { content: 'x' })).body.url;
  const ids: Record<Name, number> = {
    tea: await send(mel, inChannel('general', 'tea', 'hello **all**')),
    picture: await send(max, inChannel('general', '✔ done', 'https://example.com/x.png')),
    psst: await send(max, toPeople([mel.id], 'psst')),
    group: await send(gus, toPeople([mel.id, max.id], 'we three')),
    lunch: await send(ona, inChannel('random', 'lunch', 'for @**Mel Member**')),
    self: await send(mel, toPeople([mel.id], 'note')),
    empty: await send(ona, inChannel('general', '', 'of nothing')),
    secret: await send(ona, inChannel('secret', 'tea', 'hello')),
    aside: await send(ona, inChannel('aside', 'tea', 'hello')),
    file: await send(mel, inChannel('general', 'files', `[x](${url})`)),
  };
  const flag = (messages: number[], name: string) =>
    server.post(mel, '/messages/flags', { messages, op: 'add', flag: name });
  await flag([ids.tea], 'starred');
  await flag([ids.tea, ids.picture, ids.psst], 'read');
  await server.post(mel, `/messages/${ids.picture}/reactions`, { emoji_name: 'smile' });
  const decide = (stream_id: number, topic: string, visibility_policy: number) =>
    server.post(mel, '/user_topics', { stream_id, topic, visibility_policy });
  await decide(1, 'tea', 3);
  await decide(1, 'files', 0);
  await decide(2, 'lunch', 1);
  return { server, ids };
}

/** Names of what Mel gets. */
async function found(server: TestServer, ids: Record<Name, number>, params: Params) {
  const { status, body } = await server.get(server.people.mel, '/messages', {
    ...RANGE,
    ...params,
  });
  expect(status, JSON.stringify(body)).toBe(200);
  const messages = body.messages as { id: number }[];
  return messages.map(({ id }) => NAMES.find((name) => ids[name] === id));
}

const CHANNEL: Name[] = ['tea', 'picture', 'empty', 'file'];
const DIRECT: Name[] = ['psst', 'group', 'self'];

/** Each operator under each of its names, and what it leaves when it is negated. */
interface Case {
  readonly operator: string;
  readonly operand: unknown;
  readonly names: readonly Name[];
  readonly others?: readonly Name[];
}

// biome-ignore format: a table
const OPERATORS: readonly Case[] = [
  { operator: 'channel', operand: 'General', names: CHANNEL, others: ['psst', 'group', 'lunch', 'self'] },
  { operator: 'channel', operand: 1, names: CHANNEL },
  { operator: 'stream', operand: 'general', names: CHANNEL },
  { operator: 'channel', operand: 'aside', names: ['aside'], others: OWN },
  { operator: 'channels', operand: 'public', names: [...CHANNEL, 'lunch', 'aside'], others: DIRECT },
  { operator: 'streams', operand: 'public', names: [...CHANNEL, 'lunch', 'aside'] },
  { operator: 'channels', operand: 'web-public', names: [], others: OWN },
  { operator: 'topic', operand: 'TEA', names: ['tea'], others: without('tea') },
  { operator: 'subject', operand: 'tea', names: ['tea'] },
  { operator: 'topic', operand: '', names: ['empty'] },
  { operator: 'dm', operand: [5], names: ['psst'], others: without('psst') },
  { operator: 'dm', operand: [4, 5], names: ['psst'] },
  { operator: 'dm', operand: 'max@example.com , gus@example.com', names: ['group'] },
  { operator: 'pm-with', operand: [4], names: ['self'] },
  { operator: 'pm_with', operand: 'max@example.com', names: ['psst'] },
  { operator: 'dm-including', operand: 5, names: ['psst', 'group'], others: without('psst', 'group') },
  { operator: 'dm-including', operand: 'mel@example.com', names: DIRECT },
  { operator: 'group-pm-with', operand: 5, names: ['group'], others: without('group') },
  { operator: 'group-pm-with', operand: 'gus@example.com', names: ['group'] },
  { operator: 'sender', operand: 1, names: ['lunch', 'empty'], others: without('lunch', 'empty') },
  { operator: 'sender', operand: 'max@example.com', names: ['picture', 'psst'] },
  { operator: 'is', operand: 'dm', names: DIRECT, others: without(...DIRECT) },
  { operator: 'is', operand: 'private', names: DIRECT },
  { operator: 'is', operand: 'starred', names: ['tea'], others: without('tea') },
  { operator: 'is', operand: 'mentioned', names: ['lunch'], others: without('lunch') },
  { operator: 'is', operand: 'alerted', names: [], others: OWN },
  { operator: 'is', operand: 'resolved', names: ['picture'], others: without('picture') },
  { operator: 'is', operand: 'followed', names: ['tea'], others: without('tea') },
  { operator: 'is', operand: 'muted', names: ['lunch'], others: without('lunch') },
  { operator: 'has', operand: 'link', names: ['picture', 'file'], others: without('picture', 'file') },
  { operator: 'has', operand: 'image', names: ['picture'], others: without('picture') },
  { operator: 'has', operand: 'attachment', names: ['file'], others: without('file') },
  { operator: 'has', operand: 'reaction', names: ['picture'], others: without('picture') },
  { operator: 'in', operand: 'home', names: without('lunch'), others: ['lunch'] },
  { operator: 'in', operand: 'all', names: OWN, others: [] },
  { operator: 'near', operand: 1, names: OWN, others: OWN },
  { operator: 'id', operand: 3, names: ['psst'], others: without('psst') },
  { operator: 'id', operand: '3', names: ['psst'] },
  { operator: 'with', operand: 1, names: ['tea'], others: without('tea') },
  { operator: 'with', operand: 8, names: OWN, others: OWN },
];

test('2.1: each operator, under each of its names, as an object and as a pair, and its negation', async () => {
  const { server, ids } = await started();
  const ordered = (list: readonly Name[]) => NAMES.filter((name) => list.includes(name));
  for (const { operator, operand, names, others } of OPERATORS) {
    const term = { operator, operand };
    const what = `${operator} ${JSON.stringify(operand)}`;
    const wanted = ordered(names);
    expect(await found(server, ids, { narrow: [term] }), what).toEqual(wanted);
    if (typeof operand === 'string') {
      expect(await found(server, ids, { narrow: [[operator, operand]] }), what).toEqual(wanted);
    }
    if (others === undefined) continue;
    const negated = await found(server, ids, { narrow: [{ ...term, negated: true }] });
    expect(negated, `not ${what}`).toEqual(ordered(others));
  }
});

test('2.1: is:unread and its negation', async () => {
  const { server, ids } = await started();
  const read = await found(server, ids, {
    narrow: [{ operator: 'is', operand: 'unread', negated: true }],
  });
  expect(read).toEqual(expect.arrayContaining(['tea', 'picture', 'psst']));
  expect(read).not.toContain('lunch');
  const unread = await found(server, ids, { narrow: [['is', 'unread']] });
  expect([...read, ...unread].sort()).toEqual([...OWN].sort());
});

test('2.1: what cannot be searched for is a bad narrow, with its description', async () => {
  const { server } = await started();
  for (const { narrow, desc } of [
    { narrow: [['colour', 'red']], desc: 'unknown operator colour' },
    { narrow: [['is', 'red']], desc: 'unknown operand red' },
    { narrow: [['has', 'red']], desc: 'unknown operand red' },
    { narrow: [['channel', 'nowhere']], desc: 'unknown channel nowhere' },
    { narrow: [['channel', 'secret']], desc: 'unknown channel secret' },
    { narrow: [['sender', 'x@example.com']], desc: 'unknown user x@example.com' },
    { narrow: [{ operator: 'dm', operand: [99] }], desc: 'unknown user 99' },
    {
      narrow: [
        ['channel', 'general'],
        ['is', 'dm'],
      ],
      desc: 'no message is both a channel message and a direct message',
    },
    {
      narrow: [
        ['with', '1'],
        ['with', '2'],
      ],
      desc: 'duplicate with operators',
    },
  ]) {
    const { status, body } = await server.get(server.people.mel, '/messages', { ...RANGE, narrow });
    const msg = `Invalid narrow operator: ${desc}`;
    expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_NARROW', msg, desc }]);
  }
});

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
  const at = ids.picture;
  expect(await ask({ anchor: at })).toEqual(reply(['picture'], at, [t, f, f]));
  expect(await ask({ anchor: at, num_before: 1, num_after: 1 })).toEqual(
    reply(['tea', 'picture', 'empty'], at, [t, f, f]),
  );
  expect(await ask({ anchor: at, num_before: 2, num_after: 3 })).toEqual(
    reply(CHANNEL, at, [t, t, t]),
  );
  expect(await ask({ anchor: ids.psst, num_before: 1 })).toEqual(
    reply(['picture'], ids.psst, [f, f, f]),
  );
  expect(await ask({ anchor: at, num_before: 2, include_anchor: false })).toEqual(
    reply(['tea'], at, [f, t, f]),
  );
  expect(await ask({ anchor: 'oldest', num_after: 2 })).toEqual(
    reply(['tea', 'picture'], 0, [f, t, f]),
  );
  for (const anchor of ['-5', '0']) {
    expect(await ask({ anchor, num_after: 2 })).toMatchObject({ anchor: 0, found_oldest: true });
  }
  for (const anchor of ['newest', '10000000000000000', '99999999999999999999999']) {
    expect(await ask({ anchor, num_before: 2 })).toEqual(reply(['empty', 'file'], LAST, [f, f, t]));
  }
  expect(await ask({ anchor: 'first_unread', num_before: 1, num_after: 1 })).toMatchObject({
    names: ['picture', 'empty', 'file'],
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
  const asked = [ids.aside, ids.tea, ids.secret, ids.psst, ids.tea, 999];
  const params = { message_ids: asked };
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
  expect((await one('picture')).reactions).toEqual([
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
    const asked = { anchor: ids.tea };
    const { body } = await server.get(server.people.max, '/messages', asked);
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

test('2.1: in the full history of a channel, what is asked of one’s own copy finds nothing', async () => {
  const { server, ids } = await started();
  const inAside = (operand: string, negated: boolean) =>
    found(server, ids, {
      narrow: [
        { operator: 'channel', operand: 'aside' },
        { operator: 'is', operand, negated },
      ],
    });
  for (const operand of ['resolved', 'followed']) {
    expect(await inAside(operand, true), operand).toEqual(['aside']);
  }
  for (const operand of ['unread', 'mentioned', 'alerted', 'starred', 'muted', 'dm']) {
    expect(await inAside(operand, true), operand).toEqual([]);
  }
});

test('2.1: is:mentioned finds mentions of any kind, of those alone who are mentioned', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, mel, max } = server.people;
  const team = { name: 'team', description: '', members: [mel.id] };
  expect((await server.post(ona, '/user_groups/create', team)).status).toBe(200);
  const say = async (content: string) => {
    const message = { type: 'channel', to: 'general', topic: 'tea', content };
    return (await server.post(ona, '/messages', message)).body.id as number;
  };
  const opened = { type: 'channel', to: 'general', topic: 'tea', content: 'one takes part' };
  await server.post(mel, '/messages', opened);
  const by = {
    name: await say('@**Mel Member**'),
    group: await say('@*team*'),
    everyone: await say('@**all**'),
    participants: await say('@**topic**'),
    silently: await say('@_**Mel Member** and @_*team*'),
  };
  const mentions = async (as: typeof mel) => {
    const asked = { ...RANGE, narrow: [['is', 'mentioned']] };
    const { body } = await server.get(as, '/messages', asked);
    return body.messages.map(({ id }: { id: number }) => id);
  };
  expect(await mentions(mel)).toEqual([by.name, by.group, by.everyone, by.participants]);
  expect(await mentions(max)).toEqual([by.everyone]);
});

test('2.1: first_unread skips muted topics and channels', async () => {
  const { server, ids } = await started();
  const { ona, mel } = server.people;
  const first = async (params: Params = {}) => {
    const asked = { anchor: 'first_unread', ...params };
    const { body } = await server.get(mel, '/messages', asked);
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
  // What is before it is in a topic that Mel muted.
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
