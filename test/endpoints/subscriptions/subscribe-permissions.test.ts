import { expect, test } from 'vitest';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import type { Params } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const NOBODY = systemGroupId('role:nobody');
const MEMBERS = systemGroupId('role:members');

const make = (server: TestServer, as: Person, channel: object, params: Params = {}) =>
  server.post(as, '/users/me/subscriptions', { subscriptions: [channel], ...params });

const people = (...direct_members: number[]) => ({ direct_members, direct_subgroups: [] });

async function say(server: TestServer, as: Person, to = 'mill', topic = 'tea'): Promise<number> {
  const { body } = await server.post(as, '/messages', { type: 'channel', to, topic, content: 'x' });
  return body.id ?? expect.fail(body.msg);
}

test.each([
  { bound: 'max_stream_name_length', field: 'name', msg: /name too long/ },
  { bound: 'max_stream_description_length', field: 'description', msg: /description is too long/ },
])('the $field of a channel is as long as $bound says, and no longer', async (expected) => {
  const server = await startServer();
  const { mel } = server.people;
  const { state } = await server.register(mel);
  const channelOf = (length: number) => ({ name: 'mill', [expected.field]: 'é'.repeat(length) });
  const longest = state[expected.bound];
  expect(await make(server, mel, channelOf(longest + 1))).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: expect.stringMatching(expected.msg) },
  });
  expect((await make(server, mel, channelOf(longest))).status).toBe(200);
  const { body } = await server.get(mel, '/users/me/subscriptions');
  expect(body.subscriptions).toMatchObject([channelOf(longest)]);
});

test.each([
  'can_add_subscribers_group',
  'can_remove_subscribers_group',
  'can_administer_channel_group',
  'can_delete_any_message_group',
  'can_delete_own_message_group',
])(
  '%s is changed by who administers the channel, administrators of the organization always',
  async (name) => {
    const server = await startServer();
    const { mia, mel, max, ada } = server.people;
    await server.set('can_set_delete_message_policy_group', MEMBERS);
    const everyone = { principals: [mia.id, mel.id, max.id] };
    await make(
      server,
      mia,
      { name: 'mill' },
      {
        ...everyone,
        can_administer_channel_group: people(mel.id),
      },
    );
    const change = (as: Person, value: unknown) =>
      server.patch(as, '/streams/1', { [name]: { new: value } });
    for (const refused of [mia, max]) {
      expect(await change(refused, NOBODY)).toMatchObject({
        status: 400,
        body: { code: 'CANNOT_ADMINISTER_CHANNEL' },
      });
    }
    const stored = async () => (await server.get(ada, '/streams/1')).body.stream[name];
    expect((await change(mel, people(mel.id, max.id))).status).toBe(200);
    expect(await stored()).toEqual(people(mel.id, max.id));
    expect((await change(ada, NOBODY)).status).toBe(200);
    expect(await stored()).toBe(NOBODY);
  },
);

test('administrators remove people and administer where the channel lets nobody', async () => {
  const server = await startServer();
  const { mel, max, ada } = server.people;
  await make(
    server,
    mel,
    { name: 'mill' },
    {
      principals: [mel.id, max.id],
      can_remove_subscribers_group: NOBODY,
      can_administer_channel_group: NOBODY,
    },
  );
  const remove = (as: Person) =>
    server.delete(as, '/users/me/subscriptions', { subscriptions: ['mill'], principals: [max.id] });
  expect(await remove(mel)).toMatchObject({
    status: 400,
    body: { msg: 'Insufficient permission' },
  });
  expect((await remove(ada)).body.removed).toEqual(['mill']);
  const rename = (as: Person) => server.patch(as, '/streams/1', { new_name: 'sawmill' });
  expect((await rename(mel)).body.code).toBe('CANNOT_ADMINISTER_CHANNEL');
  expect((await rename(ada)).status).toBe(200);
});

test('who may delete any or their own messages of a channel is said when it is made', async () => {
  const server = await startServer();
  const { ona, mel, max, gus } = server.people;
  await server.set('can_delete_any_message_group', NOBODY);
  await server.set('can_delete_own_message_group', NOBODY);
  await server.set('can_set_delete_message_policy_group', MEMBERS);
  await make(
    server,
    mel,
    { name: 'mill' },
    {
      principals: [mel.id, max.id, gus.id],
      can_delete_any_message_group: people(max.id),
      can_delete_own_message_group: people(gus.id),
    },
  );
  const [mels, guss] = [await say(server, mel), await say(server, gus)];
  const remove = async (as: Person, id: number) => {
    const { status, body } = await server.delete(as, `/messages/${id}`);
    return [status, body.msg];
  };
  const refusal = [400, "You don't have permission to delete this message"];
  expect(await remove(mel, mels)).toEqual(refusal);
  expect(await remove(ona, mels)).toEqual(refusal);
  expect(await remove(gus, mels)).toEqual(refusal);
  expect(await remove(gus, guss)).toEqual([200, '']);
  expect(await remove(max, mels)).toEqual([200, '']);
});

test('whoever may delete in a private channel and does not read it deletes nothing there', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  await server.set('can_delete_any_message_group', NOBODY);
  await server.set('can_set_delete_message_policy_group', MEMBERS);
  await make(
    server,
    mel,
    { name: 'mill' },
    {
      invite_only: true,
      principals: [mel.id],
      can_delete_any_message_group: people(max.id),
      can_delete_own_message_group: people(max.id),
    },
  );
  const id = await say(server, mel);
  const refused = await server.delete(max, `/messages/${id}`);
  expect(refused).toMatchObject({ status: 400, body: { msg: 'Invalid message(s)' } });
  await make(server, mel, { name: 'mill' }, { principals: [max.id] });
  const seen = await say(server, mel);
  expect((await server.delete(max, `/messages/${seen}`)).status).toBe(200);
});

test.each([
  { topics_policy: undefined, stored: 'inherit', empty: 400, named: 200 },
  { topics_policy: 'inherit', stored: 'inherit', empty: 400, named: 200 },
  { topics_policy: 'allow_empty_topic', stored: 'allow_empty_topic', empty: 200, named: 200 },
  { topics_policy: 'disable_empty_topic', stored: 'disable_empty_topic', empty: 400, named: 200 },
  { topics_policy: 'empty_topic_only', stored: 'empty_topic_only', empty: 200, named: 400 },
])(
  'a channel made with topics_policy $topics_policy takes the topics it says',
  async (expected) => {
    const server = await startServer();
    const { ona } = server.people;
    await server.set('topics_policy', 'disable_empty_topic');
    const { topics_policy } = expected;
    expect((await make(server, ona, { name: 'mill' }, { topics_policy })).status).toBe(200);
    const { body } = await server.get(ona, '/users/me/subscriptions');
    expect(body.subscriptions).toMatchObject([{ topics_policy: expected.stored }]);
    const send = async (topic: string) =>
      (await server.post(ona, '/messages', { type: 'channel', to: 'mill', topic, content: 'x' }))
        .status;
    expect([await send(''), await send('tea')]).toEqual([expected.empty, expected.named]);
  },
);
