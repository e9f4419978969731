import { expect, test } from 'vitest';
import {
  DIRECT_RECIPIENTS_MAX,
  DRAFTS_PER_REQUEST_MAX,
  DRAFTS_PER_USER_MAX,
  MESSAGE_LENGTH_MAX,
  TIMESTAMP_MAX,
  TOPIC_LENGTH_MAX,
} from '../../../src/domain/limits.ts';
import type { Params, TestQueue } from '../../support/client.ts';
import { expectExactAfter } from '../../support/follow.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const PATH = '/drafts';
const GENERAL = 1;
const SUCCESS = { result: 'success', msg: '' };
const LUNCH = { type: 'stream', to: [GENERAL], topic: 'lunch', content: '**soup**', timestamp: 20 };
const NOWHERE = { type: '', to: [], topic: '', content: 'hmm', timestamp: 10 };

const store = (server: TestServer, as: Person, drafts: unknown) =>
  server.post(as, PATH, { drafts } as Params);

async function stored(server: TestServer, as: Person, draft: object = LUNCH): Promise<number> {
  const { body } = await store(server, as, [draft]);
  expect(body).toEqual({ ...SUCCESS, ids: [expect.any(Number)] });
  return body.ids[0];
}

const edit = (server: TestServer, as: Person, id: number, draft: unknown) =>
  server.patch(as, `${PATH}/${id}`, { draft } as Params);

const listOf = async (server: TestServer, as: Person) => (await server.get(as, PATH)).body.drafts;

const synchronize = (server: TestServer, as: Person, enable_drafts_synchronization: boolean) =>
  server.patch(as, '/settings', { enable_drafts_synchronization });

const eventsOf = async (queue: TestQueue) => (await queue.now()).map(({ id, ...event }) => event);

test('drafts are stored, listed with the last edited first, told to their author alone, and in the snapshot', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, mia } = server.people;
  const [own, other] = await Promise.all([server.register(mel), server.register(max)]);
  const direct = { type: 'private', to: [max.id, mia.id, mel.id, max.id], topic: 'x' };
  const { body } = await store(server, mel, [
    LUNCH,
    { ...NOWHERE, to: [max.id], topic: 'x' },
    { ...direct, content: '\npsst \n', timestamp: 20.9 },
  ]);
  expect(body).toEqual({ ...SUCCESS, ids: [1, 2, 3] });

  const lunch = { id: 1, ...LUNCH };
  const nowhere = { id: 2, ...NOWHERE };
  const psst = {
    id: 3,
    type: 'private',
    to: [mia.id, max.id].sort(),
    topic: '',
    content: 'psst',
    timestamp: 20,
  };
  // Of two edited in the same second the younger comes first.
  const drafts = [psst, lunch, nowhere];
  expect((await server.get(mel, PATH)).body).toEqual({ ...SUCCESS, count: 3, drafts });
  expect((await server.register(mel)).state.drafts).toEqual(drafts);
  expect((await server.get(max, PATH)).body).toEqual({ ...SUCCESS, count: 0, drafts: [] });
  expect(await eventsOf(own)).toEqual([
    { type: 'drafts', op: 'add', drafts: [lunch, nowhere, psst] },
  ]);
  expect(await other.now()).toEqual([]);
});

test('a draft is edited and deleted by its author, who is told', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const id = await stored(server, mel);
  const kept = await stored(server, mel, NOWHERE);
  const [own, other] = await Promise.all([server.register(mel), server.register(max)]);
  const changed = { type: 'private', to: [max.id], topic: '', content: 'tea?', timestamp: 30 };
  expect((await edit(server, mel, id, changed)).body).toEqual(SUCCESS);
  expect(await listOf(server, mel)).toEqual([
    { id, ...changed },
    { id: kept, ...NOWHERE },
  ]);
  expect((await server.delete(mel, `${PATH}/${id}`)).body).toEqual(SUCCESS);
  expect(await listOf(server, mel)).toEqual([{ id: kept, ...NOWHERE }]);
  expect(await eventsOf(own)).toEqual([
    { type: 'drafts', op: 'update', draft: { id, ...changed } },
    { type: 'drafts', op: 'remove', draft_id: id },
  ]);
  expect(await other.now()).toEqual([]);
});

test('a draft without a time was edited now', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const { timestamp: _, ...untimed } = LUNCH;
  const now = () => Math.floor(server.clock.now() / 1000);
  const id = await stored(server, mel, untimed);
  expect(await listOf(server, mel)).toEqual([{ id, ...LUNCH, timestamp: now() }]);
  await server.advance(5_000);
  await edit(server, mel, id, untimed);
  expect(await listOf(server, mel)).toEqual([{ id, ...LUNCH, timestamp: now() }]);
});

test('a draft to oneself keeps oneself, and one to people may name nobody yet', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const direct = { type: 'private', topic: '', content: 'x', timestamp: 1 };
  await store(server, mel, [
    { ...direct, to: [mel.id, mel.id] },
    { ...direct, to: [] },
  ]);
  expect(await listOf(server, mel)).toEqual([
    { id: 2, ...direct, to: [] },
    { id: 1, ...direct, to: [mel.id] },
  ]);
});

test('nothing to store stores nothing and tells nobody', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const queue = await server.register(mel);
  expect((await store(server, mel, [])).body).toEqual({ ...SUCCESS, ids: [] });
  expect(await queue.now()).toEqual([]);
});

test('when synchronization is turned off the drafts on the server are deleted, and only the setting is told', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  await store(server, mel, [LUNCH, NOWHERE]);
  const theirs = await stored(server, max);
  const options = { client_capabilities: { user_settings_object: true } };
  const queue = await server.register(mel, options);
  expect((await synchronize(server, mel, false)).body).toEqual(SUCCESS);
  // An event about each draft would make other clients delete their copies, which are not to be touched.
  expect(await eventsOf(queue)).toEqual([
    {
      type: 'user_settings',
      op: 'update',
      property: 'enable_drafts_synchronization',
      value: false,
    },
  ]);
  expect((await server.register(mel)).state.drafts).toEqual([]);
  expect(await server.perform((tx) => [...tx.drafts.keysUnder([mel.id])])).toEqual([]);
  expect(await listOf(server, max)).toEqual([{ id: theirs, ...LUNCH }]);

  await synchronize(server, mel, true);
  expect((await server.get(mel, PATH)).body).toEqual({ ...SUCCESS, count: 0, drafts: [] });
  // What is stored from then on is new: no id is used twice.
  expect(await stored(server, mel)).toBe(4);
});

test('4: a queue that hears of drafts and not of settings is told that they are deleted', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  await store(server, mel, [LUNCH, NOWHERE]);
  const types = { event_types: ['drafts', 'message'] };
  const [own, other] = [await server.register(mel, types), await server.register(max, types)];
  await synchronize(server, mel, false);
  expect(await eventsOf(own)).toEqual([
    { type: 'drafts', op: 'remove', draft_id: 1 },
    { type: 'drafts', op: 'remove', draft_id: 2 },
  ]);
  expect(await eventsOf(other)).toEqual([]);
  expect((await server.register(mel, types)).state.drafts).toEqual([]);
});

test('while synchronization is turned off every endpoint for drafts refuses, and nothing happens', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const id = await stored(server, mel);
  await synchronize(server, mel, false);
  const queue = await server.register(mel);
  for (const { status, body } of [
    await server.get(mel, PATH),
    await store(server, mel, [LUNCH]),
    await store(server, mel, []),
    await edit(server, mel, id, LUNCH),
    await server.delete(mel, `${PATH}/${id}`),
  ]) {
    expect([status, body]).toEqual([
      400,
      {
        result: 'error',
        code: 'BAD_REQUEST',
        msg: 'Your settings say that drafts are not kept on the server.',
      },
    ]);
  }
  expect(await queue.now()).toEqual([]);
  expect(await server.perform((tx) => [...tx.drafts.keys({})])).toEqual([]);
});

test('4: a snapshot and the events give what a fresh register gives', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, gus, bot } = server.people;
  await store(server, mel, [LUNCH, NOWHERE]);
  const change = async () => {
    const id = await stored(server, mel, { ...NOWHERE, timestamp: 15 });
    await edit(server, mel, id, { ...LUNCH, timestamp: 5 });
    await edit(server, mel, 2, { ...NOWHERE, timestamp: 40 });
    await server.delete(mel, `${PATH}/1`);
    await store(server, gus, [NOWHERE, NOWHERE, NOWHERE]);
    await stored(server, bot, NOWHERE);
  };
  await expectExactAfter(server, change);
});

test.each([
  { client: 'modern', options: { client_capabilities: { user_settings_object: true } } },
  { client: 'older', options: {} },
])(
  '4: turning synchronization off and on again is exact, for $client clients',
  async ({ options }) => {
    const server = await startServer({ channels: ['general'] });
    const { mel, max } = server.people;
    await store(server, mel, [LUNCH, NOWHERE]);
    const every = { ...options, include_subscribers: 'true', client_gravatar: false };
    const off = () => synchronize(server, mel, false);
    await expectExactAfter(server, off, { people: [mel, max], options: every });
    const onAgain = async () => {
      await synchronize(server, mel, true);
      await stored(server, mel);
    };
    await expectExactAfter(server, onAgain, { people: [mel, max], options: every });
  },
);

const refusals = [
  { why: 'a type that is none', draft: { ...LUNCH, type: 'direct' }, msg: '["type"] is invalid' },
  { why: 'a type that is a number', draft: { ...LUNCH, type: 1 }, msg: '["type"] is invalid' },
  { why: 'no list of ids', draft: { ...LUNCH, to: GENERAL }, msg: '["to"] is not a list' },
  { why: 'a name', draft: { ...LUNCH, to: ['general'] }, msg: '["to"][0] is not an id' },
  { why: 'half an id', draft: { ...LUNCH, to: [1.5] }, msg: '["to"][0] is not an id' },
  { why: 'an unsafe id', draft: { ...LUNCH, to: [2 ** 53] }, msg: '["to"][0] is not an id' },
  { why: 'a numeric topic', draft: { ...LUNCH, topic: 1 }, msg: '["topic"] is not a string' },
  { why: 'no topic', draft: { ...LUNCH, topic: undefined }, msg: '["topic"] is not a string' },
  {
    why: 'no content',
    draft: { ...LUNCH, content: undefined },
    msg: '["content"] is not a string',
  },
  {
    why: 'a time in words',
    draft: { ...LUNCH, timestamp: 'x' },
    msg: '["timestamp"] is not a number',
  },
  {
    why: 'a negative time',
    draft: { ...LUNCH, timestamp: -1 },
    msg: '["timestamp"] must not be negative',
  },
  {
    why: 'a time that is no date',
    draft: { ...LUNCH, timestamp: TIMESTAMP_MAX + 1 },
    msg: '["timestamp"] is too far away',
  },
  { why: 'a key that no draft has', draft: { ...LUNCH, id: 1 }, msg: ' has a key that is unknown' },
  { why: 'a list', draft: [LUNCH], msg: ' is not an object' },
  { why: 'null', draft: null, msg: ' is not an object' },
].map(({ msg, ...rest }) => ({ ...rest, formMsg: msg, msg: undefined }));

const unacceptable = [
  {
    why: 'no channel',
    draft: { ...LUNCH, to: [] },
    msg: 'A draft for a channel must name exactly one',
  },
  {
    why: 'two channels',
    draft: { ...LUNCH, to: [1, 2] },
    msg: 'A draft for a channel must name exactly one',
  },
  { why: 'an unknown channel', draft: { ...LUNCH, to: [99] }, msg: 'Invalid channel ID' },
  { why: 'a negative channel', draft: { ...LUNCH, to: [-1] }, msg: 'Invalid channel ID' },
  { why: 'a hidden channel', draft: { ...LUNCH, to: [2] }, msg: 'Invalid channel ID' },
  {
    why: 'an unknown person',
    draft: { ...NOWHERE, type: 'private', to: [1, 99] },
    msg: 'Invalid user ID: 99',
  },
  { why: 'no words', draft: { ...LUNCH, content: ' \n' }, msg: 'Message must not be empty' },
  {
    why: 'a null byte',
    draft: { ...LUNCH, content: 'a\0b' },
    msg: 'Message must not contain null bytes',
  },
  {
    why: 'content one character too long',
    draft: { ...LUNCH, content: 'x'.repeat(MESSAGE_LENGTH_MAX + 1) },
    msg: `Message is too long (limit: ${MESSAGE_LENGTH_MAX} characters)`,
  },
  {
    why: 'a null byte in the topic',
    draft: { ...LUNCH, topic: 'a\0' },
    msg: 'Invalid character in topic!',
  },
  {
    why: 'too many people',
    draft: {
      ...NOWHERE,
      type: 'private',
      to: Array.from({ length: DIRECT_RECIPIENTS_MAX + 1 }, (_, index) => index + 1),
    },
    msg: `A direct message has at most ${DIRECT_RECIPIENTS_MAX} recipients`,
  },
].map((each) => ({ ...each, formMsg: '' }));

test.each([...refusals, ...unacceptable])(
  'a draft is refused, stored or edited: $why',
  async ({ draft, msg, formMsg }) => {
    const server = await startServer({ channels: ['general'] });
    const { mel, max } = server.people;
    const hidden = { subscriptions: [{ name: 'hidden' }], invite_only: true };
    await server.post(max, '/users/me/subscriptions', hidden);
    const id = await stored(server, mel, NOWHERE);
    const queue = await server.register(mel);
    const error = { result: 'error', code: 'BAD_REQUEST' };
    const added = await store(server, mel, [LUNCH, draft]);
    expect([added.status, added.body]).toEqual([
      400,
      { ...error, msg: msg ?? `drafts[1]${formMsg}` },
    ]);
    const edited = await edit(server, mel, id, draft);
    expect([edited.status, edited.body]).toEqual([
      400,
      { ...error, msg: msg ?? `draft${formMsg}` },
    ]);
    // All drafts of a request are stored, or none.
    expect(await listOf(server, mel)).toEqual([{ id, ...NOWHERE }]);
    expect(await queue.now()).toEqual([]);
  },
);

test.each([
  { params: { drafts: '[' }, msg: 'drafts is not valid JSON' },
  { params: { drafts: '{}' }, msg: 'drafts is not a list' },
  {
    params: { drafts: JSON.stringify(Array(DRAFTS_PER_REQUEST_MAX + 1).fill(NOWHERE)) },
    msg: `drafts has more than ${DRAFTS_PER_REQUEST_MAX} items`,
  },
])('storing is refused: $msg', async ({ params, msg }) => {
  const server = await startServer();
  const { mel } = server.people;
  const { status, body } = await server.post(mel, PATH, params);
  expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
  expect(await listOf(server, mel)).toEqual([]);
});

test('storing needs drafts, editing a draft, and both name what is missing', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const id = await stored(server, mel, NOWHERE);
  const missing = (name: string) => ({
    result: 'error',
    code: 'REQUEST_VARIABLE_MISSING',
    msg: `Missing '${name}' argument`,
    var_name: name,
  });
  expect((await server.post(mel, PATH)).body).toEqual(missing('drafts'));
  expect((await server.patch(mel, `${PATH}/${id}`)).body).toEqual(missing('draft'));
});

test("a draft that is not there, or another's, is not found", async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const id = await stored(server, max);
  const gone = await stored(server, mel);
  await server.delete(mel, `${PATH}/${gone}`);
  for (const unknown of [id, gone, 99, -1]) {
    for (const { status, body } of [
      await edit(server, mel, unknown, LUNCH),
      await server.delete(mel, `${PATH}/${unknown}`),
    ]) {
      const msg = 'Draft does not exist';
      expect([status, body]).toEqual([404, { result: 'error', code: 'BAD_REQUEST', msg }]);
    }
  }
  const { status, body } = await server.delete(mel, `${PATH}/first`);
  const msg = 'draft_id is not an integer';
  expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
  expect(await listOf(server, max)).toEqual([{ id, ...LUNCH }]);
});

test('drafts at the bounds are stored, and a long topic is cut as that of a message', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const content = '😀'.repeat(MESSAGE_LENGTH_MAX);
  const long = { ...LUNCH, content, topic: 'x'.repeat(TOPIC_LENGTH_MAX + 1) };
  const id = await stored(server, mel, { ...long, timestamp: TIMESTAMP_MAX });
  const topic = `${'x'.repeat(TOPIC_LENGTH_MAX - 3)}...`;
  expect(await listOf(server, mel)).toEqual([{ id, ...long, topic, timestamp: TIMESTAMP_MAX }]);
  const many = Array(DRAFTS_PER_REQUEST_MAX).fill(NOWHERE);
  expect((await store(server, mel, many)).body.ids).toHaveLength(DRAFTS_PER_REQUEST_MAX);
});

test('half a character is refused, whole ones may be escaped', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const json = (content: string) =>
    `[{"type": "", "to": [], "topic": "", "timestamp": 1, "content": "${content}"}]`;
  const halves = ['\\ud83d', '\\uDCAC', '\\udcac\\ud83d', '\\ud83d\\ud83d\\udcac', '\\\\\\ud83d'];
  for (const half of halves) {
    const { status, body } = await server.post(mel, PATH, { drafts: json(half) });
    const msg = 'drafts is not valid Unicode';
    expect([half, status, body]).toEqual([
      half,
      400,
      { result: 'error', code: 'BAD_REQUEST', msg },
    ]);
  }
  expect(await listOf(server, mel)).toEqual([]);
  const whole = { drafts: json('\\ud83d\\uDCAC \\\\ud83d \\u00fc') };
  expect((await server.post(mel, PATH, whole)).body.ids).toEqual([1]);
  expect((await listOf(server, mel))[0].content).toBe('💬 \\ud83d ü');
});

test('a user has so many drafts and no more; one of them is still edited', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  await server.perform((tx) => {
    for (let id = 1; id < DRAFTS_PER_USER_MAX; id++) {
      tx.drafts.put([mel.id, 1_000_000 + id], { ...NOWHERE, type: '' });
    }
  });
  const msg = `You can have at most ${DRAFTS_PER_USER_MAX} drafts.`;
  const refused = [400, { result: 'error', code: 'BAD_REQUEST', msg }];
  const two = await store(server, mel, [LUNCH, NOWHERE]);
  expect([two.status, two.body]).toEqual(refused);
  const id = await stored(server, mel);
  const one = await store(server, mel, [NOWHERE]);
  expect([one.status, one.body]).toEqual(refused);
  expect((await edit(server, mel, id, NOWHERE)).status).toBe(200);
  expect((await server.get(mel, PATH)).body.count).toBe(DRAFTS_PER_USER_MAX);
  expect((await server.register(mel)).state.drafts).toHaveLength(DRAFTS_PER_USER_MAX);
  await stored(server, max);
});

test('who left a private channel still edits what they began to write there, and begins nothing new', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  await server.post(max, '/users/me/subscriptions', {
    subscriptions: [{ name: 'hidden' }],
    invite_only: true,
    principals: [mel.id, max.id],
  });
  const draft = { ...LUNCH, to: [2] };
  const id = await stored(server, mel, draft);
  await server.delete(mel, '/users/me/subscriptions', { subscriptions: ['hidden'] });
  const edited = { ...draft, content: 'stew' };
  expect((await edit(server, mel, id, edited)).body).toEqual(SUCCESS);
  expect(await listOf(server, mel)).toEqual([{ id, ...edited }]);
  expect((await store(server, mel, [draft])).body.msg).toBe('Invalid channel ID');
  await edit(server, mel, id, NOWHERE);
  expect((await edit(server, mel, id, draft)).body.msg).toBe('Invalid channel ID');
});

test('a guest drafts to those alone whom they may know of, others to everyone, gone or not', async () => {
  const server = await startServer({ channels: ['general'] });
  const { gus, mel, mia, max } = server.people;
  await server.set('can_access_all_users_group', 3);
  await server.perform((tx) => {
    const row = tx.users.get([max.id]) ?? expect.fail();
    tx.users.put([max.id], { ...row, isActive: false });
  });
  await server.delete(mia, '/users/me/subscriptions', { subscriptions: ['general'] });
  const to = (person: Person) => ({ ...NOWHERE, type: 'private', to: [person.id] });
  await stored(server, gus, to(mel));
  const { body } = await store(server, gus, [to(mia)]);
  expect(body.msg).toBe(`Invalid user ID: ${mia.id}`);
  const id = await stored(server, mel, to(max));
  expect(await listOf(server, mel)).toEqual([{ id, ...to(max) }]);
});

test('a draft to an archived channel is kept, and the text stays when the channel is archived later', async () => {
  const server = await startServer({ channels: ['general', 'old'] });
  const { mel, ona } = server.people;
  const id = await stored(server, mel, { ...LUNCH, to: [2] });
  await server.delete(ona, '/streams/2');
  expect(await listOf(server, mel)).toEqual([{ id, ...LUNCH, to: [2] }]);
  await stored(server, mel, { ...LUNCH, to: [2] });
});

test('drafts outlive a restart', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const id = await stored(server, mel);
  await server.restart();
  expect(await listOf(server, mel)).toEqual([{ id, ...LUNCH }]);
});
