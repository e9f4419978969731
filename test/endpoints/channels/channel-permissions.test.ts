import { expect, test } from 'vitest';
import {
  allowedSystemGroups,
  SERVER_SUPPORTED_PERMISSION_SETTINGS,
} from '../../../src/domain/wire/settings/permission-settings.ts';
import { SYSTEM_GROUPS, systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import type { Params } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person, PersonName } from '../../support/users.ts';

/**
 * These tests try each permission of a channel, and look what it lets people know of a private one.
 */

const { stream: PERMISSIONS } = SERVER_SUPPORTED_PERMISSION_SETTINGS;
const NAMES = Object.keys(PERMISSIONS) as (keyof typeof PERMISSIONS)[]; // the keys of a literal
const people = (...members: readonly Person[]) => ({
  direct_members: members.map(({ id }) => id),
  direct_subgroups: [],
});

test('2.4: a channel has the eleven permissions of the reference', () => {
  expect(NAMES.toSorted()).toEqual([
    'can_add_subscribers_group',
    'can_administer_channel_group',
    'can_create_topic_group',
    'can_delete_any_message_group',
    'can_delete_own_message_group',
    'can_move_messages_out_of_channel_group',
    'can_move_messages_within_channel_group',
    'can_remove_subscribers_group',
    'can_resolve_topics_group',
    'can_send_message_group',
    'can_subscribe_group',
  ]);
});

test.each(NAMES)('2.4: %s is changed from an old value to a new one, and told', async (name) => {
  const server = await startServer({ channels: ['general'] });
  const { ona, mel, gus } = server.people;
  const stored = async () => (await server.get(gus, '/streams/1')).body.stream[name];
  const update = (change: Params) => server.patch(ona, '/streams/1', { [name]: change });
  const old = await stored();
  const queue = await server.register(gus, { event_types: ['stream'] });
  const value = people(mel);
  await expectExactAfter(server, async () => {
    expect((await update({ new: value, old })).body).toEqual({ result: 'success', msg: '' });
  });
  expect(await stored()).toEqual(value);
  const told = (await queue.now()).filter((event) => event['property'] === name);
  expect(told).toEqual([
    {
      id: expect.any(Number),
      type: 'stream',
      op: 'update',
      stream_id: 1,
      name: 'general',
      property: name,
      value,
    },
  ]);
  const outdated = { status: 400, body: { code: 'EXPECTATION_MISMATCH' } };
  expect(await update({ new: old, old })).toMatchObject(outdated);
  for (const change of [{ new: 999 }, { new: { ...value, direct_members: [999] } }, {}, { old }]) {
    expect(await update(change)).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  }
  expect(await stored()).toEqual(value);
  const allowed = allowedSystemGroups(PERMISSIONS[name]);
  for (const { name: group } of SYSTEM_GROUPS) {
    const { status, body } = await update({ new: systemGroupId(group) });
    expect([status, body.code], group).toEqual(
      allowed.includes(group) ? [200, undefined] : [400, 'BAD_REQUEST'],
    );
  }
});

/** A private channel of Mia's with one message, in which a permission names Mel, Ada and Gus. */
async function startWithPrivate(permission: string) {
  const server = await startServer({ channels: ['general'] });
  const { mia, mel, ada, gus } = server.people;
  await server.post(mia, '/users/me/subscriptions', {
    subscriptions: [{ name: 'team' }],
    invite_only: true,
    history_public_to_subscribers: true,
    [permission]: people(mel, ada, gus),
  });
  await server.post(mia, '/messages', { type: 'channel', to: 'team', topic: 'tea', content: 'x' });
  return server;
}

async function visibilityTo(server: TestServer, as: PersonName) {
  const person = server.people[as];
  const replies = {
    record: await server.get(person, '/streams/2'),
    members: await server.get(person, '/streams/2/members'),
    id: await server.get(person, '/get_stream_id', { stream: 'team' }),
    subscription: await server.get(person, `/users/${server.people.mia.id}/subscriptions/2`),
    listed: await server.get(person, '/streams', { include_all: true }),
    topics: await server.get(person, '/users/me/2/topics'),
  };
  const names = replies.listed.body.streams.map(({ name }: { name: string }) => name);
  const knows = [replies.record, replies.members, replies.id, replies.subscription].map(
    ({ status }) => status === 200,
  );
  return { knows: [...knows, names.includes('team')], reads: replies.topics.status === 200 };
}

const KNOWN = Array(5).fill(true);
const HIDDEN = Array(5).fill(false);

test.each([
  { permission: 'can_subscribe_group', knows: true, reads: true },
  { permission: 'can_add_subscribers_group', knows: true, reads: true },
  { permission: 'can_administer_channel_group', knows: true, reads: false },
  { permission: 'can_send_message_group', knows: false, reads: false },
  { permission: 'can_remove_subscribers_group', knows: false, reads: false },
  { permission: 'can_delete_any_message_group', knows: false, reads: false },
])(
  '2.4: who $permission names may know of a private channel: $knows, and read it: $reads',
  async (given) => {
    const server = await startWithPrivate(given.permission);
    const { knows, reads } = given;
    expect(await visibilityTo(server, 'mel')).toEqual({ knows: knows ? KNOWN : HIDDEN, reads });
    // An administrator knows of every channel, and reads no more for it.
    expect(await visibilityTo(server, 'ada')).toEqual({ knows: KNOWN, reads });
    // None of them lets in a guest, nor a member whom nothing names.
    for (const name of ['gus', 'max', 'bot'] as const) {
      expect(await visibilityTo(server, name), name).toEqual({ knows: HIDDEN, reads: false });
    }
    expect(await visibilityTo(server, 'mia')).toEqual({ knows: KNOWN, reads: true });
  },
);

test('2.4: a channel that is hidden and one that is not there are refused alike, whatever is asked', async () => {
  const server = await startWithPrivate('can_send_message_group');
  const { max } = server.people;
  const requests: readonly [method: 'get' | 'patch' | 'delete', path: string, params?: Params][] = [
    ['get', '/streams/N'],
    ['get', '/streams/N/members'],
    ['get', '/streams/N/email_address'],
    ['get', '/users/4/subscriptions/N'],
    ['get', '/users/me/N/topics'],
    ['patch', '/streams/N', { description: 'x' }],
    ['patch', '/streams/N', { is_archived: false }],
    ['patch', '/users/me/subscriptions/N', { property: 'is_muted', value: true }],
    ['delete', '/streams/N'],
  ];
  for (const [method, path, params] of requests) {
    const [hidden, absent] = await Promise.all(
      ['2', '99'].map((id) => server[method](max, path.replace('N', id), params)),
    );
    expect(hidden, path).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    expect(hidden?.body, path).toEqual(absent?.body);
  }
});

test('2.4: the first colours are those of the palette, and a colour that was given back is used again', async () => {
  const server = await startServer({ channels: ['one', 'two', 'three'] });
  const { mel } = server.people;
  const colors = async () =>
    Object.fromEntries(
      (await server.get(mel, '/users/me/subscriptions')).body.subscriptions.map(
        ({ name, color }: { name: string; color: string }) => [name, color],
      ),
    );
  expect(await colors()).toEqual({ one: '#76ce90', two: '#fae589', three: '#a6c7e5' });
  const recolor = { property: 'color', value: '#000000' };
  await server.patch(mel, '/users/me/subscriptions/2', recolor);
  await server.post(mel, '/users/me/subscriptions', { subscriptions: [{ name: 'four' }] });
  expect((await colors())['four']).toBe('#fae589');
});
