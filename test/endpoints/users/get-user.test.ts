import { expect, test } from 'vitest';
import { NOTIFICATION_BOT } from '../../../src/domain/rules/people/system-bots.ts';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import type { RealmTransaction } from '../../../src/operations/access/caller.ts';
import * as notices from '../../../src/operations/posting/notices.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { PersonName } from '../../support/users.ts';

const MELS = {
  user_id: 4,
  email: 'mel@example.com',
  delivery_email: 'mel@example.com',
  full_name: 'Mel Member',
  date_joined: '2026-01-05T09:00+00:00',
  is_active: true,
  is_owner: false,
  is_admin: false,
  is_guest: false,
  is_bot: false,
  bot_type: null,
  bot_owner_id: null,
  role: 400,
  timezone: '',
  avatar_url: null,
  avatar_version: 1,
};

test.each([
  '4',
  'mel@example.com',
  'MEL@Example.com',
  'user4@test.localhost',
  'User4@Test.LocalHost',
  'mel%40example.com',
])('an account is found by %s', async (named) => {
  const server = await startServer();
  const { status, body } = await server.get(server.people.max, `/users/${named}`);
  expect([status, body]).toEqual([200, { result: 'success', msg: '', user: MELS }]);
});

test.each<{ name: PersonName; flags: object }>([
  { name: 'ona', flags: { role: 100, is_owner: true, is_admin: true, is_guest: false } },
  { name: 'ada', flags: { role: 200, is_owner: false, is_admin: true, is_guest: false } },
  { name: 'mia', flags: { role: 300, is_owner: false, is_admin: false, is_guest: false } },
  { name: 'gus', flags: { role: 600, is_owner: false, is_admin: false, is_guest: true } },
  { name: 'bot', flags: { role: 400, is_bot: true, bot_type: 1, bot_owner_id: 1 } },
])('the role of $name shows in its flags', async ({ name, flags }) => {
  const server = await startServer();
  const { body } = await server.get(server.people.mel, `/users/${server.people[name].id}`);
  expect(body.user).toMatchObject(flags);
});

test.each([1, 2, 3, 4])('a bot of type %s says so, and whose it is', async (botType) => {
  const server = await startServer();
  const { bot, mel } = server.people;
  await change(server, (tx) => {
    const row = tx.users.get([bot.id]) ?? expect.fail('the bot is there');
    tx.users.put([bot.id], { ...row, botType, botOwnerId: mel.id });
  });
  const { body } = await server.get(mel, `/users/${bot.id}`);
  expect(body.user).toMatchObject({ is_bot: true, bot_type: botType, bot_owner_id: mel.id });
});

test('the address of a bot is the real one for everybody, whatever else is hidden', async () => {
  const server = await startServer();
  const { bot } = server.people;
  await change(server, (tx) => {
    const row = tx.users.get([bot.id]) ?? expect.fail('the bot is there');
    tx.users.put([bot.id], { ...row, settings: { email_address_visibility: 4 } });
  });
  for (const name of ['ona', 'mel', 'gus'] as const) {
    const { body } = await server.get(server.people[name], `/users/${bot.id}`);
    expect(body.user.delivery_email, name).toBe('bot@example.com');
  }
});

test('an avatar is left to the client unless it says otherwise', async () => {
  const server = await startServer();
  const url = async (params: object) =>
    (await server.get(server.people.max, '/users/4', { ...params })).body.user.avatar_url;
  expect(await url({})).toBeNull();
  expect(await url({ client_gravatar: true })).toBeNull();
  expect(await url({ client_gravatar: false })).toBe('/avatar/4?v=1');
});

test('profile data is for those who ask, and not of bots', async () => {
  const server = await startServer();
  const params = { include_custom_profile_fields: true };
  const { body } = await server.get(server.people.max, '/users/4', params);
  expect(body.user).toEqual({ ...MELS, profile_data: {} });
  const { body: ofBot } = await server.get(server.people.max, '/users/7', params);
  expect(ofBot.user).not.toHaveProperty('profile_data');
});

/** The people who see the real address, by the value of `email_address_visibility`. */
const SEEN_BY: Readonly<Record<number, readonly PersonName[]>> = {
  1: ['ona', 'ada', 'mia', 'max', 'gus', 'bot'],
  2: ['ona', 'ada', 'mia', 'max', 'bot'],
  3: ['ona', 'ada'],
  4: [],
  5: ['ona', 'ada', 'mia'],
};

test.each(Object.entries(SEEN_BY))(
  'with email visibility %s the real address is seen by %j, and works for them alone',
  async (visibility, names) => {
    const server = await startServer();
    await setVisibility(server, Number(visibility));
    for (const name of ['ona', 'ada', 'mia', 'max', 'gus', 'bot'] as const) {
      const isSeen = names.includes(name);
      const isPublic = visibility === '1';
      const { body } = await server.get(server.people[name], '/users/4');
      expect(body.user, name).toMatchObject({
        email: isPublic ? 'mel@example.com' : 'user4@test.localhost',
        delivery_email: isSeen ? 'mel@example.com' : null,
        avatar_url: isSeen ? null : '/avatar/4?v=1',
      });
      const { body: listed } = await server.get(server.people[name], '/users', { user_ids: [4] });
      expect(listed.members).toEqual([body.user]);
      const byReal = await server.get(server.people[name], '/users/mel@example.com');
      expect([byReal.status, byReal.body.code], name).toEqual(
        isSeen ? [200, undefined] : [400, 'BAD_REQUEST'],
      );
      const byDummy = await server.get(server.people[name], '/users/user4@test.localhost');
      expect(byDummy.body.user.user_id).toBe(4);
    }
    const { body: own } = await server.get(server.people.mel, '/users/me');
    expect(own.delivery_email).toBe('mel@example.com');
    expect((await server.get(server.people.mel, '/users/mel@example.com')).status).toBe(200);
  },
);

test('who hides the address still logs in with it', async () => {
  const server = await startServer();
  await setVisibility(server, 4);
  expect((await server.get(server.people.mel, '/users/me')).status).toBe(200);
});

test("the service's own account is found by id and address, as every register lists it", async () => {
  const server = await startServer();
  const { mel, gus } = server.people;
  await server.set('can_access_all_users_group', systemGroupId('role:members'));
  for (const viewer of [mel, gus]) {
    const { cross_realm_bots } = (await server.post(viewer, '/register')).body;
    const [listed] = cross_realm_bots;
    expect(listed).toMatchObject({
      user_id: NOTIFICATION_BOT.id,
      email: 'notification-bot@test.localhost',
      delivery_email: 'notification-bot@test.localhost',
      is_bot: true,
      is_system_bot: true,
      bot_owner_id: null,
      avatar_url: '/static/notification-bot.png?v=1',
    });
    for (const named of [listed.user_id, listed.email, 'Notification-Bot@TEST.localhost']) {
      const { body } = await server.get(viewer, `/users/${named}`);
      expect(body.user, named).toEqual({ ...listed, is_active: true });
    }
    expect(await server.get(viewer, '/users/notification-bot')).toMatchObject({ status: 400 });
  }
  const direct = { type: 'direct', to: 'notification-bot@test.localhost', content: 'psst' };
  const { body } = await server.post(mel, '/messages', direct);
  const { message } = (await server.get(mel, `/messages/${body.id}`)).body;
  expect(message.display_recipient).toContainEqual(
    expect.objectContaining({ id: NOTIFICATION_BOT.id, email: 'notification-bot@test.localhost' }),
  );
});

test("the image of the service's own account is not left to the client", async () => {
  const server = await startServer();
  const { mel } = server.people;
  const queue = await server.register(mel, { client_gravatar: true });
  await server.perform((tx, site) => {
    const row = tx.users.get([mel.id]) ?? expect.fail('mel is there');
    notices.toPeople(tx, site, { people: [row], content: 'Welcome' });
  });
  const event = (await queue.now()).find(({ type }) => type === 'message');
  expect(event?.['message'].avatar_url).toBe('/static/notification-bot.png?v=1');
  const window = { anchor: 'newest', num_before: 1, num_after: 0, client_gravatar: true };
  const { body } = await server.get(mel, '/messages', window);
  expect(body.messages[0].avatar_url).toBe('/static/notification-bot.png?v=1');
});

test('deactivated accounts are found', async () => {
  const server = await startServer();
  await change(server, (tx) => {
    const row = tx.users.get([4]) ?? expect.fail('mel is there');
    tx.users.put([4], { ...row, isActive: false });
  });
  const { body } = await server.get(server.people.max, '/users/4');
  expect(body.user).toEqual({ ...MELS, is_active: false });
});

test.each([
  '0',
  '999',
  '999999999999999',
  'nobody@example.com',
  'user999@test.localhost',
  'user4@acme.localhost',
  'user4',
  '-4',
  '4.0',
])('nobody is found by %s', async (named) => {
  const server = await startServer();
  expect(await server.get(server.people.max, `/users/${named}`)).toMatchObject({
    status: 400,
    body: { result: 'error', code: 'BAD_REQUEST' },
  });
});

test('a guest who may not see everybody does not find hidden users, by no name', async () => {
  const server = await startServer({ channels: ['general'] });
  const { gus, mel, max } = server.people;
  await server.delete(server.people.ona, '/users/me/subscriptions', {
    subscriptions: ['general'],
    principals: [max.id],
  });
  await change(server, (tx) => {
    const row = tx.realm.get(['realm']) ?? expect.fail('the realm has a row');
    // 3: the group of members.
    tx.realm.put(['realm'], { ...row, settings: { can_access_all_users_group: 3 } });
  });
  for (const named of [String(max.id), max.email, `user${max.id}@test.localhost`]) {
    expect((await server.get(gus, `/users/${named}`)).status, named).toBe(400);
    expect((await server.get(mel, `/users/${named}`)).status, named).toBe(200);
  }
  expect((await server.get(gus, `/users/${mel.id}`)).status).toBe(200);
  expect((await server.get(gus, `/users/${gus.id}`)).status).toBe(200);
  const { body } = await server.get(gus, '/users');
  expect(body.members.map((user: { user_id: number }) => user.user_id)).not.toContain(max.id);

  // Having written to each other is enough.
  await server.post(max, '/messages', { type: 'direct', to: [gus.id], content: 'hello' });
  expect((await server.get(gus, `/users/${max.id}`)).status).toBe(200);
});

const setVisibility = (server: TestServer, visibility: number) =>
  change(server, (tx) => {
    const row = tx.users.get([4]) ?? expect.fail('mel is there');
    tx.users.put([4], { ...row, settings: { email_address_visibility: visibility } });
  });

function change(server: TestServer, write: (tx: RealmTransaction) => void): Promise<void> {
  const realm = server.app.realms.named('test') ?? expect.fail('there is a realm');
  return realm.perform(write);
}
