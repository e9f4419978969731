import { expect, test } from 'vitest';
import type { UserSettings } from '../../../../src/domain/wire/settings/user-settings.ts';
import { expectExactAfter } from '../../../support/applying/follow.ts';
import { startServer, type TestServer } from '../../../support/start-server.ts';
import type { Person, PersonName } from '../../../support/users.ts';

const LUNCH = { type: 'channel', to: 'general', topic: 'lunch', content: 'soup?' };
const GENERAL = 1;

const say = async (server: TestServer, as: Person, params: object = {}) => {
  const reply = await server.post(as, '/messages', { ...LUNCH, ...params });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.body.automatic_new_visibility_policy;
};

const decide = (server: TestServer, as: Person, visibility_policy: number) =>
  server.post(as, '/user_topics', { stream_id: GENERAL, topic: 'lunch', visibility_policy });

/** Returns the policies that somebody chose, by topic. */
async function policies({ register, people }: TestServer, name: PersonName) {
  const { state } = await register(people[name], { fetch_event_types: ['user_topic'] });
  return Object.fromEntries(
    state.user_topics.map((entry: { topic_name: string; visibility_policy: number }) => [
      entry.topic_name,
      entry.visibility_policy,
    ]),
  );
}

const change = (server: TestServer, { id }: Person, settings: Partial<UserSettings>) =>
  server.perform((tx) => {
    const row = tx.users.get([id]) ?? expect.fail();
    tx.users.put([id], { ...row, settings: { ...row.settings, ...settings } });
  });

const muteChannel = (server: TestServer, { id }: Person) =>
  server.perform((tx) => {
    const row = tx.subscriptions.get([GENERAL, id]) ?? expect.fail();
    tx.subscriptions.put([GENERAL, id], { ...row, isMuted: true });
  });

test('who starts a topic follows it: the reply says so, and the events come before the message', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const own = await server.register(mel, {
    event_types: ['muted_topics', 'user_topic', 'message'],
  });
  const old = await server.register(mel, { event_types: ['muted_topics', 'message'] });
  const other = await server.register(max);
  expect(await say(server, mel)).toBe(3);
  expect(await say(server, max)).toBe(undefined);
  expect((await own.now()).map(({ type }) => type)).toEqual(['user_topic', 'message', 'message']);
  expect((await old.now()).map(({ type }) => type)).toEqual(['muted_topics', 'message', 'message']);
  expect((await other.now()).map(({ type }) => type)).toEqual(['stream', 'message', 'message']);
  expect(await policies(server, 'mel')).toEqual({ lunch: 3 });
  expect(await policies(server, 'max')).toEqual({});
});

test.each([
  { setting: 1, started: 3, sent: 3 },
  { setting: 2, started: 3, sent: 3 },
  { setting: 3, started: 3, sent: undefined },
  { setting: 4, started: undefined, sent: undefined },
])('topics are followed as automatically_follow_topics_policy says: $setting', async (expected) => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  await change(server, mel, { automatically_follow_topics_policy: expected.setting });
  await say(server, max, { topic: 'tea' });
  expect(await say(server, mel, { topic: 'tea' })).toBe(expected.sent);
  expect(await say(server, mel)).toBe(expected.started);
});

test.each([
  { setting: 1, started: 2, sent: 2 },
  { setting: 2, started: 2, sent: 2 },
  { setting: 3, started: 2, sent: undefined },
  { setting: 4, started: undefined, sent: undefined },
])('topics of a muted channel are unmuted as the setting says: $setting', async (expected) => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  await change(server, mel, {
    automatically_follow_topics_policy: 4,
    automatically_unmute_topics_in_muted_streams_policy: expected.setting,
  });
  await say(server, max, { topic: 'tea' });
  expect(await say(server, mel, { topic: 'heard' })).toBe(undefined);
  await muteChannel(server, mel);
  expect(await say(server, mel, { topic: 'tea' })).toBe(expected.sent);
  expect(await say(server, mel)).toBe(expected.started);
});

test('a policy is only raised: what is muted is unmuted or followed, what is followed stays so', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  await say(server, mel);
  await muteChannel(server, mel);
  for (const [before, after] of [
    [1, 2],
    [2, undefined],
    [3, undefined],
  ]) {
    await decide(server, mel, before ?? 0);
    expect(await say(server, mel), `from ${before}`).toBe(after);
  }
  await change(server, mel, { automatically_follow_topics_policy: 2 });
  for (const before of [0, 1, 2]) {
    await decide(server, mel, before);
    expect(await say(server, mel), `from ${before}`).toBe(3);
  }
});

test('a bot follows nothing, and a direct message is of no topic', async () => {
  const server = await startServer({ channels: ['general'] });
  const { bot, mel, max } = server.people;
  expect(await say(server, bot)).toBe(undefined);
  expect(await policies(server, 'bot')).toEqual({});
  const direct = { type: 'direct', to: [max.id], content: '@**Max Member**' };
  expect(await say(server, mel, direct)).toBe(undefined);
  expect(await policies(server, 'max')).toEqual({});
});

test('who is mentioned follows the topic, unless they muted it, do not wish it, are a bot, or do not get the message', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, mia, ada, gus, ona } = server.people;
  await decide(server, mia, 1);
  await change(server, ada, { automatically_follow_topics_where_mentioned: false });
  await server.delete(gus, '/users/me/subscriptions', { subscriptions: ['general'] });
  await say(server, ona);
  const queue = await server.register(max, { event_types: ['user_topic', 'message'] });
  const names = ['Max Member', 'Mia Moderator', 'Ada Administrator', 'Gus Guest', 'Test Bot'];
  await say(server, mel, { content: names.map((name) => `@**${name}**`).join(' ') });
  expect((await queue.now()).map(({ type }) => type)).toEqual(['user_topic', 'message']);
  const expected = { max: { lunch: 3 }, mia: { lunch: 1 }, ada: {}, gus: {}, bot: {}, mel: {} };
  for (const [name, policy] of Object.entries(expected)) {
    expect(await policies(server, name as PersonName), name).toEqual(policy);
  }
});

test('who mentions themselves is answered with what follows from that', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  await say(server, max);
  expect(await say(server, mel, { content: '@**Mel Member**' })).toBe(3);
});

test('a repeated send is answered with the same policy', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const local = { queue_id: 'q', local_id: '1' };
  expect(await say(server, mel, local)).toBe(3);
  expect(await say(server, mel, local)).toBe(3);
});

test('4: a snapshot and the events give what a fresh register gives', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, gus } = server.people;
  await muteChannel(server, mel);
  await expectExactAfter(server, async () => {
    await say(server, gus);
    await say(server, max, { content: '@**Mel Member** and @**topic** and @**all**' });
    await say(server, mel, { topic: 'tea', content: '@**Gus Guest**' });
    await decide(server, mel, 1);
  });
});
