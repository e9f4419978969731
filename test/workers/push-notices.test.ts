import { expect, test } from 'vitest';
import {
  DEVICES_PER_PUSH_REQUEST_MAX,
  PUSH_RECIPIENTS_PER_STEP,
  PUSH_USER_IDS_PER_STEP,
  RECIPIENTS_PER_PUSH_MAX,
} from '../../src/domain/limits/outbox.ts';
import { expectExactAfter } from '../support/applying/follow.ts';
import {
  IN_GENERAL,
  messagesIn,
  send,
  TOKEN,
  withToken,
} from '../support/notifications/push-notices.ts';
import {
  accepts,
  DEVICE,
  DEVICE_TOLD,
  REALM_TOLD,
  settle,
  withBouncer,
  withDevice,
} from '../support/notifications/pushing.ts';

const sentBy = ({ id, fullName }: { id: number; fullName: string }) => ({
  sender_id: id,
  sender_full_name: fullName,
  sender_avatar_url: `${REALM_TOLD.realm_url}/avatar/${id}?v=1`,
});

test('a device gets a push about a direct message that only it can read', async () => {
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

test('a device gets a push about a mention in a channel, by name and through a group', async () => {
  const { as: mel, ...pushing } = await withDevice();
  const { server } = pushing;
  const { ona, max } = server.people;
  const group = { name: 'crew', description: '', members: [mel.id, max.id] };
  const { body } = await server.post(ona, '/user_groups/create', group);
  // The users are notified that they were added.
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

test('an edit gives one push to users whom it mentions newly', async () => {
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

const TOKEN_TOLD = { token: 'c0ffee', token_kind: 'apns', ios_app_id: 'org.example.app' };

test('a device with only a token gets a push as well, without content if the settings forbid it', async () => {
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

test('one call has a bounded number of devices', async () => {
  const { as: mel, ...pushing } = await withDevice();
  const { server } = pushing;
  await server.perform((tx) => {
    for (let index = 0; index < DEVICES_PER_PUSH_REQUEST_MAX; index++) {
      const row = { token: `token-${index}`, appId: null, keys: null, registeredAt: 0 };
      tx.pushTokens.put([mel.id, 'fcm', `hash-${index}`], row);
    }
  });
  await send(server, server.people.max, { type: 'direct', to: [mel.id], content: 'x' });
  const { told } = await settle(pushing);
  expect(told.map(({ devices, tokens }) => [devices.length, tokens.length])).toEqual([
    [1, DEVICES_PER_PUSH_REQUEST_MAX - 1],
    [0, 1],
  ]);
  const tokens = told.flatMap((call) => call.tokens.map(({ token }) => token));
  expect(new Set(tokens).size).toBe(DEVICES_PER_PUSH_REQUEST_MAX);
});

test('4: a device that the bouncer no longer knows has failed and gets no more pushes', async () => {
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

test('a bouncer in trouble gets the pushes again after a pause, without messages read meanwhile', async () => {
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

test('a push that the bouncer had not answered when the server stopped is sent after the start', async () => {
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

test('6: sending a message to many writes one row; users with devices are found in steps', async () => {
  const pushing = await withBouncer(accepts);
  const { server } = pushing;
  const { ona, mel } = server.people;
  const count = PUSH_RECIPIENTS_PER_STEP + 5;
  const userIds = await server.perform((tx) => {
    const user = tx.users.get([mel.id]) ?? expect.fail('mel is there');
    const subscription = tx.subscriptions.get([1, mel.id]) ?? expect.fail('mel is subscribed');
    return Array.from({ length: count }, (_, index) => {
      // The last few are further away than one step reads.
      const skipped = index === PUSH_RECIPIENTS_PER_STEP ? PUSH_USER_IDS_PER_STEP : 0;
      for (let left = skipped; left > 0; left--) tx.nextId('user');
      const id = tx.nextId('user');
      tx.users.put([id], { ...user, id, email: `${id}@example.com` });
      tx.subscriptions.put([1, id], subscription);
      tx.pushTokens.put([id, 'fcm', 'hash'], {
        token: `token-${id}`,
        appId: null,
        keys: null,
        registeredAt: 0,
      });
      tx.pushHolders.put([id], {});
      return id;
    });
  });
  const id = await send(server, ona, { ...IN_GENERAL, content: '@**all** hear' });
  const rows = await server.perform((tx) => ({
    work: [...tx.pushWork.keys({})].length,
    entries: [...tx.outbox.keys({})].length,
  }));
  expect(rows).toEqual({ work: 1, entries: 0 });
  const { told } = await settle(pushing);
  const tokens = told.flatMap((call) => call.tokens.map(({ token }) => token));
  expect(tokens.sort()).toEqual(userIds.map((userId) => `token-${userId}`).sort());
  const entries = PUSH_RECIPIENTS_PER_STEP / RECIPIENTS_PER_PUSH_MAX + 1;
  expect(told).toHaveLength(entries);
  await server.delete(ona, `/messages/${id}`);
  const removed = await settle(pushing);
  const off = removed.told.flatMap((call) => call.tokens.map(({ token }) => token));
  expect(off.sort()).toEqual(tokens);
  expect(server.bugs).toEqual([]);
});
