import { expect, test } from 'vitest';
import { runCommand } from '../../../../src/admin/commands.ts';
import type { GroupSettingValue } from '../../../../src/domain/wire/system-groups.ts';
import { systemGroupId } from '../../../../src/domain/wire/system-groups.ts';
import * as topicParticipants from '../../../../src/operations/indexes/topic-participants.ts';
import { expectExactAfter } from '../../../support/applying/follow.ts';
import { startServer, type TestServer } from '../../../support/start-server.ts';
import type { Person, PersonName } from '../../../support/users.ts';

const LUNCH = { type: 'channel', to: 'general', topic: 'lunch', content: 'soup?' };
const GENERAL = 1;
const TOPIC = ['topic_wildcard_mentioned', 'wildcard_mentioned'];

const say = (server: TestServer, as: Person, params: object = {}) =>
  server.post(as, '/messages', { ...LUNCH, ...params });

/**
 * Returns each user's flags of the message that a send makes; null for a user who does not get it.
 */
async function flagsOf(server: TestServer, as: PersonName, params: object) {
  const names = Object.keys(server.people) as PersonName[];
  const queues = await Promise.all(
    names.map((name) => server.register(server.people[name], { event_types: ['message'] })),
  );
  const reply = await say(server, server.people[as], params);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  const heard = await Promise.all(queues.map((queue) => queue.now()));
  const flags = names.map((name, index) => [name, heard[index]?.[0]?.['flags'] ?? null]);
  return Object.fromEntries(flags.filter(([, list]) => list === null || list.length > 0));
}

interface Group {
  readonly name: string;
  readonly members: readonly number[];
  readonly subgroups?: readonly number[];
  readonly can_mention_group?: GroupSettingValue;
  readonly isDeactivated?: boolean;
}

/** A group as its endpoints would write it. */
const addGroup = (server: TestServer, group: Group) =>
  server.perform((tx) => {
    const id = 100 + tx.nextId('group'); // past the groups of every realm
    const nobody = systemGroupId('role:nobody');
    tx.groups.put([id], {
      id,
      name: group.name,
      description: '',
      dateCreated: 0,
      creatorId: null,
      isDeactivated: group.isDeactivated ?? false,
      permissions: {
        can_add_members_group: nobody,
        can_join_group: nobody,
        can_leave_group: nobody,
        can_manage_group: nobody,
        can_mention_group: group.can_mention_group ?? systemGroupId('role:everyone'),
        can_remove_members_group: nobody,
      },
    });
    tx.groupNames.put([group.name.toLowerCase()], { groupId: id });
    for (const userId of group.members) tx.groupMembers.put([id, userId], {} as never);
    for (const subgroupId of group.subgroups ?? []) tx.subgroups.put([id, subgroupId], {} as never);
    return id;
  });

test('whoever is mentioned by name or by group is told so, in whatever order', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ada, mia, max, gus } = server.people;
  await addGroup(server, { name: 'pair', members: [ada.id, mia.id] });
  const content = `@**${gus.fullName}** @**${max.fullName}** @*pair*`;
  expect(await flagsOf(server, 'mel', { content })).toEqual({
    ada: ['mentioned'],
    mia: ['mentioned'],
    max: ['mentioned'],
    gus: ['mentioned'],
  });
});

test('the members of a mentioned group are mentioned, those of its subgroups as well, if they get the message', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, gus, mia } = server.people;
  await server.delete(gus, '/users/me/subscriptions', { subscriptions: ['general'] });
  const inner = await addGroup(server, { name: 'inner', members: [mia.id] });
  await addGroup(server, { name: 'Support', members: [max.id, gus.id], subgroups: [inner] });
  expect(await flagsOf(server, 'mel', { content: '@*support* help' })).toEqual({
    max: ['mentioned'],
    mia: ['mentioned'],
    gus: null,
  });
  expect(await flagsOf(server, 'mel', { content: '@_*support* help' })).toEqual({ gus: null });
  const direct = { type: 'direct', to: [max.id, mia.id], content: '@*support*' };
  expect(await flagsOf(server, 'mel', direct)).toMatchObject({
    max: ['mentioned'],
    mia: ['mentioned'],
    ona: null,
  });
  expect(mel.id).not.toBe(max.id);
});

test('a group is mentioned by those whom it lets, silently by anyone; the groups of every realm let nobody', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, ona } = server.people;
  const only = { direct_members: [max.id], direct_subgroups: [] };
  await addGroup(server, { name: 'Chiefs', members: [ona.id], can_mention_group: only });
  await addGroup(server, { name: 'Old', members: [ona.id], isDeactivated: true });
  const queue = await server.register(ona, { event_types: ['message'] });
  const refused = (name: string) => ({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: `You are not allowed to mention user group '${name}'.` },
  });
  expect(await say(server, mel, { content: '@*chiefs*' })).toMatchObject(refused('Chiefs'));
  const everyone = { content: '@*role:members*' };
  expect(await say(server, ona, everyone)).toMatchObject(refused('role:members'));
  expect(await queue.now()).toEqual([]);
  for (const [as, content] of [
    [max, '@*chiefs*'],
    [mel, '@_*chiefs*'],
    [mel, '@*old*'],
    [mel, '@_*role:members*'],
  ] as const) {
    expect((await say(server, as, { content })).status, content).toBe(200);
  }
  const flags = (await queue.now()).map((event) => event['flags']);
  expect(flags).toEqual([['mentioned'], [], [], []]);
});

test('@**topic** flags who has sent or reacted in the topic and still gets its messages, the sender included', async () => {
  const server = await startServer({ channels: ['general'] });
  const { max, mia, gus } = server.people;
  await say(server, max, { topic: 'LUNCH' });
  const { id } = (await say(server, gus)).body;
  await server.delete(gus, '/users/me/subscriptions', { subscriptions: ['general'] });
  await server.post(mia, `/messages/${id}/reactions`, { emoji_name: 'wave' });
  await say(server, server.people.ada, { topic: 'tea' });
  const taken = { emoji_name: 'wave' };
  await server.post(server.people.ona, `/messages/${id}/reactions`, taken);
  await server.delete(server.people.ona, `/messages/${id}/reactions`, taken);
  const { body: gone } = await say(server, server.people.bot);
  await server.delete(server.people.ada, `/messages/${gone.id}`);
  expect(await flagsOf(server, 'mel', { content: '@**topic** hi' })).toEqual({
    max: TOPIC,
    mia: TOPIC,
    mel: TOPIC,
    gus: null,
  });
  expect(await flagsOf(server, 'mel', { content: '@_**topic** hi' })).toEqual({ gus: null });
});

test('@**topic** counts as a mention, in the list of mentions and in the narrow, until the topic is muted', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  await say(server, max);
  const { id } = (await say(server, mel, { content: '@**topic**' })).body;
  const narrow = { anchor: 'oldest', num_after: 10, narrow: [['is', 'mentioned']] };
  const found = await server.get(max, '/messages', narrow);
  expect(found.body.messages.map((message: { id: number }) => message.id)).toEqual([id]);
  expect(found.body.messages[0].flags).toEqual(TOPIC);
  const mentions = async () => (await server.register(max)).state.unread_msgs.mentions;
  expect(await mentions()).toEqual([id]);
  const lunch = { stream_id: GENERAL, topic: 'lunch' };
  await server.post(max, '/user_topics', { ...lunch, visibility_policy: 1 });
  expect(await mentions()).toEqual([]);
});

test('4: a snapshot and the events give what a fresh register gives', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, gus } = server.people;
  await addGroup(server, { name: 'Support', members: [max.id, gus.id] });
  await say(server, max);
  await expectExactAfter(server, async () => {
    await say(server, mel, { content: '@**topic** and @*support*' });
    await say(server, gus, { content: '@**topic**' });
  });
});

/** Puts so many people into the topic, the first of them mel. */
async function crowdTopic(server: TestServer, count: number) {
  const others = (await runCommand(server.app.realms, 'users import', {
    realm: 'test',
    users: Array.from({ length: count - 1 }, (_, index) => ({
      full_name: `Extra ${index}`,
      email: `extra${index}@example.com`,
    })),
  })) as { user_id: number }[];
  const { id } = (await say(server, server.people.mel)).body;
  await server.perform((tx) => {
    const row = tx.messages.get([id]) ?? expect.fail();
    for (const { user_id } of others) topicParticipants.addReaction(tx, row, user_id);
  });
  return { id, others };
}

test('@**topic** to 15 participants needs no permission, to more it does; one who takes back their part is none', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, ada } = server.people;
  const { id, others } = await crowdTopic(server, 16);
  const all = { content: '@**topic**' };
  const queue = await server.register(mel, { event_types: ['message'] });
  expect(await say(server, mel, all)).toMatchObject({
    status: 400,
    body: {
      result: 'error',
      code: 'TOPIC_WILDCARD_MENTION_NOT_ALLOWED',
      msg: 'You do not have permission to use topic wildcard mentions in this topic.',
    },
  });
  expect(await queue.now()).toEqual([]);
  await server.set('can_mention_many_users_group', systemGroupId('role:members'));
  expect((await say(server, mel, all)).status).toBe(200);
  await server.set('can_mention_many_users_group', systemGroupId('role:administrators'));
  expect((await say(server, ada, { ...all, topic: 'tea' })).status).toBe(200);
  await server.perform((tx) => {
    const row = tx.messages.get([id]) ?? expect.fail();
    topicParticipants.removeReaction(tx, row, others[0]?.user_id ?? 0);
  });
  expect((await say(server, mel, all)).status).toBe(200);
  expect((await say(server, mel, { ...all, topic: 'new' })).status).toBe(200);
});
