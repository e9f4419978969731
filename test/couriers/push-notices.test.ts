import { expect, test } from 'vitest';
import {
  DEVICES_PER_PUSH_CALL_MAX,
  PUSH_RECIPIENTS_PER_STEP,
  PUSH_USER_IDS_PER_STEP,
  PUSHED_MESSAGES_PER_USER_MAX,
  RECIPIENTS_PER_PUSH_MAX,
} from '../../src/domain/limits.ts';
import type { UserSettings } from '../../src/domain/user-settings.ts';
import * as pushedMessages from '../../src/operations/pushed-messages.ts';
import { expectExactAfter } from '../support/follow.ts';
import {
  accepts,
  DEVICE,
  DEVICE_TOLD,
  type Pushing,
  REALM_TOLD,
  settle,
  withBouncer,
  withDevice,
} from '../support/pushing.ts';
import type { TestServer } from '../support/start-server.ts';
import type { Person } from '../support/users.ts';

const IN_GENERAL = { type: 'channel', to: 'general', topic: 'tea' };
const TOKEN = { token: 'c0ffee', appid: 'org.example.app' };

/** Ids of messages that devices were told of, in order. */
const messagesIn = ({ told }: Awaited<ReturnType<typeof settle>>) =>
  told.flatMap(({ devices }) =>
    devices.map(({ notice }) => (notice as { message_id?: number }).message_id),
  );

async function send(server: TestServer, as: Person, message: object): Promise<number> {
  const { status, body } = await server.post(as, '/messages', { ...message });
  expect(status).toBe(200);
  return body.id as number;
}

const sentBy = ({ id, fullName }: { id: number; fullName: string }) => ({
  sender_id: id,
  sender_full_name: fullName,
  sender_avatar_url: `${REALM_TOLD.realm_url}/avatar/${id}?v=1`,
});

test('a device is told of a direct message, and nobody on the way can read of what', async () => {
  const { as: mel, ...pushing } = await withDevice();
  const { server, bouncer } = pushing;
  const { max } = server.people;
  const id = await send(server, max, { type: 'direct', to: [mel.id], content: 'a **secret** <3' });
  const { told } = await settle(pushing);
  const notice = {
    ...REALM_TOLD,
    type: 'message',
    user_id: mel.id,
    message_id: id,
    time: Math.floor(server.clock.now() / 1000),
    ...sentBy(max),
    recipient_type: 'direct',
    recipient_user_ids: [mel.id, max.id].sort((one, other) => one - other),
    content: 'a secret <3',
  };
  expect(told).toEqual([
    { realm_url: 'http://test.localhost', devices: [{ ...DEVICE_TOLD, notice }], tokens: [] },
  ]);
  expect(bouncer.heard.at(-1)?.body).not.toContain('secret');
  expect(bouncer.heard.at(-1)?.body).not.toContain(max.fullName);
  expect(server.bugs).toEqual([]);
});

test('a device is told of a mention in a channel, by name and through a group', async () => {
  const { as: mel, ...pushing } = await withDevice();
  const { server } = pushing;
  const { ona, max } = server.people;
  const group = { name: 'crew', description: '', members: [mel.id, max.id] };
  const { body } = await server.post(ona, '/user_groups/create', group);
  // They are told that they were added.
  await settle(pushing);
  await send(server, max, { ...IN_GENERAL, content: '@*crew* all aboard' });
  await send(server, max, { ...IN_GENERAL, content: '@**Mel Member** of @*crew*' });
  await send(server, max, { type: 'direct', to: [mel.id, ona.id], content: 'to both' });
  const { told } = await settle(pushing);
  const notices = told.flatMap(({ devices }) => devices.map(({ notice }) => notice));
  const channel = {
    recipient_type: 'channel',
    channel_id: 1,
    channel_name: 'general',
    topic: 'tea',
  };
  const people = [ona.id, mel.id, max.id].sort((one, other) => one - other);
  const common = {
    ...REALM_TOLD,
    ...sentBy(max),
    type: 'message',
    user_id: mel.id,
    message_id: expect.any(Number),
    time: expect.any(Number),
  };
  expect(notices).toEqual([
    {
      ...common,
      ...channel,
      content: '@crew all aboard',
      mentioned_user_group_id: body.group_id,
      mentioned_user_group_name: 'crew',
    },
    { ...common, ...channel, content: '@Mel Member of @crew' },
    {
      ...common,
      recipient_type: 'direct',
      recipient_user_ids: people,
      pm_users: people.join(','),
      content: 'to both',
    },
  ]);
});

/** What mel decides, and whether a message like any other, one for everyone and one for the topic are pushed then. */
const CHOICES: readonly [string, (decide: Decide) => Promise<unknown>, string][] = [
  ['nothing', async () => undefined, 'everyone topic'],
  ['pushes of all channels', (mel) => mel.set('enable_stream_push_notifications', true), 'all'],
  [
    'pushes of all channels but this one',
    async (mel) => {
      await mel.set('enable_stream_push_notifications', true);
      await mel.property('push_notifications', false);
    },
    'everyone topic',
  ],
  ['pushes of this channel', (mel) => mel.property('push_notifications', true), 'all'],
  [
    'pushes of this channel, and takes that back',
    async (mel) => {
      await mel.property('push_notifications', true);
      await mel.property('push_notifications', null);
      await mel.set('enable_stream_push_notifications', true);
      await mel.set('enable_stream_push_notifications', false);
    },
    'everyone topic',
  ],
  [
    'pushes of this channel, and mutes it',
    async (mel) => {
      await mel.property('push_notifications', true);
      await mel.property('is_muted', true);
    },
    '',
  ],
  ['to follow the topic', (mel) => mel.topic(3), 'all'],
  [
    'pushes of this channel, and mutes the topic',
    async (mel) => {
      await mel.property('push_notifications', true);
      await mel.topic(1);
    },
    '',
  ],
  ['no wildcards', (mel) => mel.set('wildcard_mentions_notify', false), ''],
  ['no wildcards of this channel', (mel) => mel.property('wildcard_mentions_notify', false), ''],
  ['no pushes', (mel) => mel.set('enable_offline_push_notifications', false), ''],
  [
    'none while there, and is there',
    async (mel) => {
      await mel.set('enable_online_push_notifications', false);
      await mel.isThere();
    },
    '',
  ],
];

interface Decide {
  set(name: keyof UserSettings, value: boolean): Promise<unknown>;
  property(property: string, value: boolean | null): Promise<unknown>;
  topic(visibility_policy: number): Promise<unknown>;
  isThere(): Promise<unknown>;
}

const decisionsOf = (server: TestServer, as: Person): Decide => ({
  set: (name, value) => server.patch(as, '/settings', { [name]: value }),
  property: (property, value) =>
    server.post(as, '/users/me/subscriptions/properties', {
      subscription_data: [{ stream_id: 1, property, value }],
    }),
  topic: (visibility_policy) =>
    server.post(as, '/user_topics', { stream_id: 1, topic: 'tea', visibility_policy }),
  isThere: () => server.post(as, '/users/me/presence', { status: 'active' }),
});

test.each(CHOICES)('of a channel is pushed what is wanted: %s', async (_, decide, expected) => {
  const { as: mel, ...pushing } = await withDevice();
  const { server } = pushing;
  const { ona } = server.people;
  // Who has sent to a topic takes part in it.
  await send(server, mel, { ...IN_GENERAL, content: 'first' });
  await server.post(mel, '/user_topics', { stream_id: 1, topic: 'tea', visibility_policy: 0 });
  await decide(decisionsOf(server, mel));
  const sent = new Map([
    [await send(server, ona, { ...IN_GENERAL, content: 'like any other' }), 'ordinary'],
    [await send(server, ona, { ...IN_GENERAL, content: '@**all** hear' }), 'everyone'],
    [await send(server, ona, { ...IN_GENERAL, content: '@**topic** hear' }), 'topic'],
  ]);
  const pushed = messagesIn(await settle(pushing)).map((id) => sent.get(id ?? 0));
  const wanted = expected === 'all' ? 'ordinary everyone topic' : expected;
  expect(pushed.sort()).toEqual(wanted.split(' ').filter(Boolean).sort());
  expect(server.bugs).toEqual([]);
});

test('nobody is told of what is their own, mentions them silently, or is in a channel they left', async () => {
  const { as: mel, ...pushing } = await withDevice();
  const { server } = pushing;
  const { max } = server.people;
  await send(server, max, { ...IN_GENERAL, content: '@_**Mel Member** silently' });
  await send(server, mel, { ...IN_GENERAL, content: '@**Mel Member** to myself' });
  await send(server, mel, { type: 'direct', to: [max.id], content: 'from me' });
  await server.post(mel, '/users/me/subscriptions/properties', {
    subscription_data: [{ stream_id: 1, property: 'push_notifications', value: true }],
  });
  await server.delete(mel, '/users/me/subscriptions', { subscriptions: ['general'] });
  await send(server, max, { ...IN_GENERAL, content: '@**Mel Member** @**all** are you there?' });
  expect(await settle(pushing)).toEqual({ told: [], waiting: [] });
});

test('nobody is told of what somebody says whom they have muted', async () => {
  const { as: mel, ...pushing } = await withDevice();
  const { server } = pushing;
  const { max } = server.people;
  await server.post(mel, `/users/me/muted_users/${max.id}`);
  await send(server, max, { ...IN_GENERAL, content: '@**Mel Member** are you there?' });
  await send(server, max, { type: 'direct', to: [mel.id], content: 'and here?' });
  expect(await settle(pushing)).toEqual({ told: [], waiting: [] });
});

test('who is at a client is told all the same, unless they switched that off', async () => {
  const { as: mel, ...pushing } = await withDevice();
  const { server } = pushing;
  const direct = { type: 'direct', to: [mel.id], content: 'here?' };
  await server.post(mel, '/users/me/presence', { status: 'active' });
  const first = await send(server, server.people.max, direct);
  expect(messagesIn(await settle(pushing))).toEqual([first]);
  await server.patch(mel, '/settings', { enable_online_push_notifications: false });
  await send(server, server.people.max, direct);
  expect(messagesIn(await settle(pushing))).toEqual([]);
  await server.post(mel, '/users/me/presence', { status: 'idle' });
  await server.advance(300_000);
  const later = await send(server, server.people.max, direct);
  expect(messagesIn(await settle(pushing))).toEqual([later]);
});

test('an edit tells those whom it mentions anew, once', async () => {
  const pushing = await withDevice();
  const { server } = pushing;
  const { max } = server.people;
  const id = await send(server, max, { ...IN_GENERAL, content: 'Mel?' });
  expect(messagesIn(await settle(pushing))).toEqual([]);
  const edit = (content: string) => server.patch(max, `/messages/${id}`, { content });
  await edit('@**Mel Member**?');
  expect(messagesIn(await settle(pushing))).toEqual([id]);
  await edit('Mel?');
  await edit('@**Mel Member**!');
  await edit('@**all** and @**Mel Member**!');
  expect(messagesIn(await settle(pushing))).toEqual([]);
  const other = await send(server, max, { ...IN_GENERAL, content: 'hear' });
  await server.patch(max, `/messages/${other}`, { content: '@**all** hear' });
  expect(messagesIn(await settle(pushing))).toEqual([other]);
});

/** mel registers a bare token. */
async function withToken(answer = accepts): Promise<Pushing & { as: Person }> {
  const pushing = await withBouncer(answer);
  const { mel } = pushing.server.people;
  await pushing.server.post(mel, '/users/me/apns_device_token', TOKEN);
  return { ...pushing, as: mel };
}

const TOKEN_TOLD = { token: 'c0ffee', token_kind: 'apns', ios_app_id: 'org.example.app' };

test('a device of which only the token is known is told as well, of no content where that is not wanted', async () => {
  const { as: mel, ...pushing } = await withToken();
  const { server } = pushing;
  const { max } = server.people;
  await server.post(mel, '/users/me/android_gcm_reg_id', { token: 'a:b' });
  const direct = { type: 'direct', to: [mel.id], content: 'a secret' };
  const ids = [await send(server, max, direct)];
  const first = await settle(pushing);
  await server.set('require_e2ee_push_notifications', true);
  ids.push(await send(server, max, direct));
  const second = await settle(pushing);
  const notice = {
    ...REALM_TOLD,
    ...sentBy(max),
    type: 'message',
    user_id: mel.id,
    time: expect.any(Number),
    recipient_type: 'direct',
    recipient_user_ids: expect.any(Array),
  };
  const tokens = (message_id: number | undefined, content: string) => [
    { ...TOKEN_TOLD, priority: 'high', notice: { ...notice, message_id, content } },
    {
      token: 'a:b',
      token_kind: 'fcm',
      priority: 'high',
      notice: { ...notice, message_id, content },
    },
  ];
  expect(first.told).toEqual([
    { realm_url: REALM_TOLD.realm_url, devices: [], tokens: tokens(ids[0], 'a secret') },
  ]);
  expect(second.told).toEqual([
    { realm_url: REALM_TOLD.realm_url, devices: [], tokens: tokens(ids[1], 'New message') },
  ]);
});

test('so many devices are told by one call, and not one more', async () => {
  const { as: mel, ...pushing } = await withDevice();
  const { server } = pushing;
  await server.perform((tx) => {
    for (let index = 0; index < DEVICES_PER_PUSH_CALL_MAX; index++) {
      const row = { token: `token-${index}`, appId: null };
      tx.pushTokens.put([mel.id, 'fcm', `hash-${index}`], row);
    }
  });
  await send(server, server.people.max, { type: 'direct', to: [mel.id], content: 'x' });
  const { told } = await settle(pushing);
  expect(told.map(({ devices, tokens }) => [devices.length, tokens.length])).toEqual([
    [1, DEVICES_PER_PUSH_CALL_MAX - 1],
    [0, 1],
  ]);
  const tokens = told.flatMap((call) => call.tokens.map(({ token }) => token));
  expect(new Set(tokens).size).toBe(DEVICES_PER_PUSH_CALL_MAX);
});

test('what was read, deleted or hidden before it was carried is not pushed', async () => {
  const { as: mel, ...pushing } = await withDevice();
  const { server, bouncer } = pushing;
  const { max } = server.people;
  const direct = { type: 'direct', to: [mel.id], content: 'quick' };
  const read = await send(server, max, direct);
  await server.post(mel, '/messages/flags', { messages: [read], op: 'add', flag: 'read' });
  const deleted = await send(server, max, { ...IN_GENERAL, content: '@**Mel Member**' });
  await server.delete(server.people.ona, `/messages/${deleted}`);
  expect(await settle(pushing)).toEqual({ told: [], waiting: [] });
  expect(bouncer.heard).toHaveLength(1);
});

/** A message of general to mel that was pushed, as each way of its going finds it. */
const WAYS: readonly [string, (server: TestServer, mel: Person, id: number) => Promise<unknown>][] =
  [
    [
      'read',
      (server, mel, id) =>
        server.post(mel, '/messages/flags', { messages: [id], op: 'add', flag: 'read' }),
    ],
    [
      'read with its topic',
      (server, mel) => server.post(mel, '/mark_topic_as_read', { stream_id: 1, topic_name: 'tea' }),
    ],
    [
      'read with its channel',
      (server, mel) => server.post(mel, '/mark_stream_as_read', { stream_id: 1 }),
    ],
    ['read with everything', (server, mel) => server.post(mel, '/mark_all_as_read')],
    ['deleted', (server, _, id) => server.delete(server.people.ona, `/messages/${id}`)],
    [
      'deleted with its topic',
      (server) => server.post(server.people.ona, '/streams/1/delete_topic', { topic_name: 'tea' }),
    ],
    [
      'read with the channel that was left',
      (server, mel) =>
        server.delete(mel, '/users/me/subscriptions', { subscriptions: ['general'] }),
    ],
    [
      'moved out of sight',
      async (server, _, id) => {
        const { ona } = server.people;
        const subscriptions = [{ name: 'secret' }];
        await server.post(ona, '/users/me/subscriptions', { subscriptions, invite_only: true });
        await server.patch(ona, `/messages/${id}`, { stream_id: 2 });
      },
    ],
  ];

test.each(WAYS)('what devices show is taken off them, once, when it is %s', async (_, go) => {
  const { as: mel, ...pushing } = await withDevice();
  const { server } = pushing;
  const id = await send(server, server.people.max, { ...IN_GENERAL, content: '@**Mel Member**' });
  expect(messagesIn(await settle(pushing))).toEqual([id]);
  await go(server, mel, id);
  const notice = { ...REALM_TOLD, type: 'remove', user_id: mel.id, message_ids: [id] };
  expect((await settle(pushing)).told).toEqual([
    {
      realm_url: REALM_TOLD.realm_url,
      devices: [{ ...DEVICE_TOLD, priority: 'normal', notice }],
      tokens: [],
    },
  ]);
  await server.post(mel, '/mark_all_as_read');
  expect((await settle(pushing)).told).toEqual([]);
  expect(server.bugs).toEqual([]);
});

test('what was moved to where it can be read stays on the devices', async () => {
  const { as: mel, ...pushing } = await withDevice();
  const { server } = pushing;
  const { ona, max } = server.people;
  await server.post(ona, '/users/me/subscriptions', {
    subscriptions: [{ name: 'open' }],
    principals: [ona.id, mel.id],
  });
  await settle(pushing);
  const id = await send(server, max, { ...IN_GENERAL, content: '@**Mel Member**' });
  await settle(pushing);
  const move = { stream_id: 2, send_notification_to_new_thread: false };
  await server.patch(ona, `/messages/${id}`, move);
  expect((await settle(pushing)).told).toEqual([]);
});

test('so many messages are known to be shown, and not one more', async () => {
  const { as: mel, ...pushing } = await withToken();
  const { server } = pushing;
  const ids = Array.from({ length: PUSHED_MESSAGES_PER_USER_MAX + 1 }, (_, index) => index + 1);
  await server.perform((tx) => {
    for (const id of ids) pushedMessages.note(tx, mel.id, id);
  });
  await server.post(mel, '/mark_all_as_read');
  const { told } = await settle(pushing);
  expect(told.flatMap(({ tokens }) => tokens.map(({ notice }) => notice.message_ids))).toEqual([
    ids.slice(1),
  ]);
});

test('nothing is pushed to a device whose token was taken back, be it under way', async () => {
  const { as: mel, ...pushing } = await withToken();
  const { server, bouncer } = pushing;
  await send(server, server.people.max, { type: 'direct', to: [mel.id], content: 'x' });
  await server.delete(mel, '/users/me/apns_device_token', { token: TOKEN.token });
  await settle(pushing);
  await send(server, server.people.max, { type: 'direct', to: [mel.id], content: 'x' });
  await settle(pushing);
  expect(bouncer.heard).toEqual([]);
});

test('nothing is pushed to the devices of somebody who was deactivated', async () => {
  const { as: mel, ...pushing } = await withToken();
  const { server, bouncer } = pushing;
  await server.perform((tx) => {
    const row = tx.users.get([mel.id]) ?? expect.fail('mel is there');
    tx.users.put([mel.id], { ...row, isActive: false });
  });
  const everyone = { ...IN_GENERAL, content: '@**all**' };
  await send(server, server.people.ona, everyone);
  await settle(pushing);
  expect(bouncer.heard).toEqual([]);
});

test('4: a device that the bouncer does not know any more has failed, and is told of nothing', async () => {
  const { as: mel, ...pushing } = await withDevice((count) =>
    count === 1 ? accepts() : { body: '{"gone_device_ids":["d-1"],"gone_tokens":["c0ffee"]}' },
  );
  const { server, queue } = pushing;
  await server.post(mel, '/users/me/apns_device_token', TOKEN);
  await expectExactAfter(server, async () => {
    await send(server, server.people.max, { type: 'direct', to: [mel.id], content: 'one' });
    expect((await settle(pushing)).told).toHaveLength(1);
  });
  const failed = { status: 'failed', error_code: 'INVALID_REMOTE_PUSH_DEVICE_TOKEN' };
  expect(await queue.now()).toEqual([
    {
      id: expect.any(Number),
      type: 'push_device',
      push_account_id: DEVICE.push_account_id,
      ...failed,
    },
  ]);
  expect((await server.register(mel)).state.push_devices).toEqual({
    [DEVICE.push_account_id]: failed,
  });
  await send(server, server.people.max, { type: 'direct', to: [mel.id], content: 'two' });
  expect(await settle(pushing)).toEqual({ told: [], waiting: [] });
  expect(await server.perform((tx) => [...tx.pushHolders.keys({})])).toEqual([]);
});

test('a bouncer in trouble is told again after a pause, and of all that was not read meanwhile', async () => {
  const { as: mel, ...pushing } = await withDevice((count) =>
    count === 2 || count === 3 ? { status: 503 } : accepts(),
  );
  const { server } = pushing;
  const direct = { type: 'direct', to: [mel.id], content: 'x' };
  const first = await send(server, server.people.max, direct);
  const second = await send(server, server.people.max, direct);
  expect((await settle(pushing)).waiting.every((ms) => ms <= 2_000)).toBe(true);
  await server.post(mel, '/messages/flags', { messages: [first], op: 'add', flag: 'read' });
  await server.advance(2_000);
  const { told, waiting } = await settle(pushing);
  expect(waiting).toEqual([]);
  const notices = told.flatMap(({ devices }) => devices.map(({ notice }) => notice));
  expect(notices).toHaveLength(2);
  expect(notices).toContainEqual(expect.objectContaining({ type: 'message', message_id: second }));
  expect(notices).toContainEqual(expect.objectContaining({ type: 'remove', message_ids: [first] }));
});

test('a server that stops while the bouncer does not answer tells it when it is back', async () => {
  const { as: mel, ...pushing } = await withDevice((count) =>
    count === 2 ? { isSilent: true } : accepts(),
  );
  const { server, bouncer } = pushing;
  const id = await send(server, server.people.max, { type: 'direct', to: [mel.id], content: 'x' });
  await server.advance(1);
  await server.advance(1);
  await bouncer.next();
  await server.restart(120_000);
  expect(messagesIn(await settle(pushing))).toEqual([id]);
});

test('what was to be found out when the server stopped is found out when it is back', async () => {
  const { as: mel, ...pushing } = await withDevice();
  const { server } = pushing;
  const id = await send(server, server.people.max, { type: 'direct', to: [mel.id], content: 'x' });
  await server.restart();
  expect(messagesIn(await settle(pushing))).toEqual([id]);
});

test('6: a message to many is one row when it is sent; those who hold devices are found in steps', async () => {
  const pushing = await withBouncer(accepts);
  const { server } = pushing;
  const { ona, mel } = server.people;
  const count = PUSH_RECIPIENTS_PER_STEP + 5;
  const userIds = await server.perform((tx) => {
    const user = tx.users.get([mel.id]) ?? expect.fail('mel is there');
    const subscription = tx.subscriptions.get([1, mel.id]) ?? expect.fail('mel is subscribed');
    return Array.from({ length: count }, (_, index) => {
      // The last few are further away than one step looks.
      const skipped = index === PUSH_RECIPIENTS_PER_STEP ? PUSH_USER_IDS_PER_STEP : 0;
      for (let left = skipped; left > 0; left--) tx.nextId('user');
      const id = tx.nextId('user');
      tx.users.put([id], { ...user, id, email: `${id}@example.com` });
      tx.subscriptions.put([1, id], subscription);
      tx.pushTokens.put([id, 'fcm', 'hash'], { token: `token-${id}`, appId: null });
      tx.pushHolders.put([id], {});
      return id;
    });
  });
  const id = await send(server, ona, { ...IN_GENERAL, content: '@**all** hear' });
  const rows = await server.perform((tx) => ({
    work: [...tx.pushWork.keys({})].length,
    letters: [...tx.outbox.keys({})].length,
  }));
  expect(rows).toEqual({ work: 1, letters: 0 });
  const { told } = await settle(pushing);
  const tokens = told.flatMap((call) => call.tokens.map(({ token }) => token));
  expect(tokens.sort()).toEqual(userIds.map((userId) => `token-${userId}`).sort());
  const letters = PUSH_RECIPIENTS_PER_STEP / RECIPIENTS_PER_PUSH_MAX + 1;
  expect(told).toHaveLength(letters);
  await server.delete(ona, `/messages/${id}`);
  const removed = await settle(pushing);
  const off = removed.told.flatMap((call) => call.tokens.map(({ token }) => token));
  expect(off.sort()).toEqual(tokens);
  expect(server.bugs).toEqual([]);
});
