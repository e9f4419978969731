import { expect, test } from 'vitest';
import { DEACTIVATION_COMMENT_LENGTH_MAX } from '../../../src/domain/limits/accounts.ts';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import { expectExactAfter, MODERN } from '../../support/applying/follow.ts';
import { mails } from '../../support/notifications/mails.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const OK = { status: 200, body: { result: 'success', msg: '' } };
const refused = (msg: string, code = 'BAD_REQUEST') => ({
  status: 400,
  body: { result: 'error', code, msg },
});
const UNAUTHORIZED = { status: 401, body: { code: 'UNAUTHORIZED' } };

const deactivate = (server: TestServer, as: Person, id: number | string, params = {}) =>
  server.delete(as, `/users/${id}`, params);
const reactivate = (server: TestServer, as: Person, id: number | string) =>
  server.post(as, `/users/${id}/reactivate`);

const idOf = async (request: Promise<{ body: Record<string, number> }>, name: string) =>
  (await request).body[name] ?? expect.fail(`no ${name}`);

/** Makes a user who is named everywhere, with a bot of her own. */
async function wellConnected(server: TestServer): Promise<Person> {
  const { mel, max, ona, gus, bot } = server.people;
  const just = { direct_members: [mel.id], direct_subgroups: [] };
  const both = {
    direct_members: [mel.id, max.id],
    direct_subgroups: [systemGroupId('role:owners')],
  };
  await server.post(mel, '/channels/create', {
    name: 'secret',
    subscribers: [mel.id, max.id, gus.id],
    invite_only: true,
    can_administer_channel_group: just,
    can_send_message_group: both,
  });
  const old = { name: 'old', subscribers: [mel.id, max.id] };
  const oldId = await idOf(server.post(ona, '/channels/create', old), 'id');
  await server.delete(ona, `/streams/${oldId}`);
  const group = { description: '', members: [mel.id, max.id], can_manage_group: both };
  await server.post(ona, '/user_groups/create', { ...group, name: 'bakers' });
  const gone = { ...group, name: 'brewers', can_manage_group: 7 };
  const goneId = await idOf(server.post(ona, '/user_groups/create', gone), 'group_id');
  await server.post(ona, `/user_groups/${goneId}/deactivate`);
  await server.set('can_invite_users_group', both);
  await server.post(mel, '/users/me/status', { status_text: 'here', emoji_name: 'smile' });
  await server.post(mel, '/users/me/presence', { status: 'active', last_update_id: -1 });
  const { body } = await server.post(mel, '/bots', { full_name: 'Bee', short_name: 'bee' });
  const bee = { subscriptions: [{ name: 'secret' }, { name: 'general' }] };
  const joined = { ...bee, principals: [body.user_id] };
  expect(await server.post(mel, '/users/me/subscriptions', joined)).toMatchObject({ status: 200 });
  return { ...bot, id: body.user_id, email: 'bee-bot@test.localhost', apiKey: body.api_key };
}

const others = ({ ona, ada, mia, max, gus, bot }: TestServer['people']) => [
  ona,
  ada,
  mia,
  max,
  gus,
  bot,
];

const OLDER = {
  ...MODERN,
  client_capabilities: {
    notification_settings_null: true,
    user_settings_object: true,
    empty_topic_name: true,
    bulk_message_deletion: true,
  },
};

test.each([
  { who: 'modern clients', options: MODERN, isRestricted: false },
  { who: 'older clients', options: OLDER, isRestricted: false },
  {
    who: 'modern clients of guests who may not see everybody',
    options: MODERN,
    isRestricted: true,
  },
])(
  '4: going and coming back lead $who to what a fresh register gives',
  async ({ options, isRestricted }) => {
    const server = await startServer({ channels: ['general'] });
    const { ona, ada, mel } = server.people;
    const bee = await wellConnected(server);
    if (isRestricted) {
      await server.set('can_access_all_users_group', 3);
      // No event takes back the presence of a user who is hidden from then on: they seem to have
      // gone offline.
      await server.set('presence_disabled', true);
      const everywhere = { subscriptions: ['general', 'secret'], principals: [ada.id, bee.id] };
      await server.delete(ona, '/users/me/subscriptions', everywhere);
      const apart = { subscriptions: ['general', 'secret'], principals: [mel.id] };
      await server.delete(ona, '/users/me/subscriptions', apart);
    }
    const people = others(server.people);
    const followers = { people, options };
    await expectExactAfter(server, () => deactivate(server, ada, mel.id), followers);
    await server.advance(1_000);
    await expectExactAfter(server, () => reactivate(server, ada, mel.id), followers);
    await expectExactAfter(server, () => reactivate(server, ada, bee.id), followers);
  },
);

test('those who know of the account hear of it in order: peers, the account, its bots', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ada, mel, max, mia } = server.people;
  const bee = await wellConnected(server);
  const [administrator, member, moderator] = await Promise.all(
    [ada, max, mia].map((one) => server.register(one, { ...MODERN, include_subscribers: false })),
  );
  expect(await deactivate(server, ada, mel.id)).toMatchObject(OK);
  const isActive = (id: number) => ({
    type: 'realm_user',
    op: 'update',
    person: { user_id: id, is_active: false },
  });
  const left = (id: number, channelId: number) => ({
    type: 'subscription',
    op: 'peer_remove',
    stream_ids: [channelId],
    user_ids: [id],
  });
  const told = async (queue = administrator) =>
    ((await queue?.now()) ?? []).map(({ id, ...event }) => event);
  const secret = [
    left(mel.id, 1),
    left(mel.id, 2),
    left(mel.id, 3),
    isActive(mel.id),
    left(bee.id, 1),
    left(bee.id, 2),
    isActive(bee.id),
  ];
  expect(await told(member)).toEqual(secret);
  expect(await told()).toEqual([
    ...secret,
    { type: 'realm_bot', op: 'update', bot: { user_id: bee.id, is_active: false } },
  ]);
  // A user who is in none of the private channels hears of the public one.
  expect(await told(moderator)).toEqual([
    left(mel.id, 1),
    left(mel.id, 3),
    isActive(mel.id),
    left(bee.id, 1),
    isActive(bee.id),
  ]);
});

test('keys stop at once, polls are answered and sockets closed, those of the bots as well', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ada, mel, max } = server.people;
  const bee = await wellConnected(server);
  const queue = await server.register(mel, { event_types: ['message'] });
  const bystander = await server.register(max);
  const sockets = await Promise.all([mel, bee].map((one) => server.socket(one)));
  for (const socket of sockets) {
    socket.send({ type: 'register', params: { event_types: ['message'] } });
    await socket.frame('registered');
  }
  const waiting = queue.poll();
  await deactivate(server, ada, mel.id);
  expect((await waiting).body.events).toEqual([]);
  for (const socket of sockets) expect((await socket.closed()).code).toBe(4001);
  for (const one of [mel, bee]) {
    expect(await server.get(one, '/users/me')).toMatchObject(UNAUTHORIZED);
    expect(await server.post(one, '/register')).toMatchObject(UNAUTHORIZED);
  }
  expect(await queue.poll()).toMatchObject(UNAUTHORIZED);
  expect((await server.socket(mel).then((socket) => socket.closed())).code).toBe(4001);
  expect((await bystander.now()).length).toBeGreaterThan(0);

  await reactivate(server, ada, mel.id);
  // It comes back without the keys that it had.
  expect((await server.get(mel, '/users/me')).body.msg).toBe('Invalid API key');
  expect((await queue.poll()).body.msg).toBe('Invalid API key');
  // Bots come back one by one.
  expect(await server.get(bee, '/users/me')).toMatchObject(UNAUTHORIZED);
});

test('messages stay, invitations end, what was scheduled is not sent, and lists leave the account out', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ada, ona, mel, max } = server.people;
  await wellConnected(server);
  const tea = { type: 'channel', to: 'general', topic: 'tea', content: 'hello' };
  const { id } = (await server.post(mel, '/messages', tea)).body;
  await server.set('create_multiuse_invite_group', 3);
  await server.post(mel, '/invites/multiuse');
  const seconds = Math.floor(server.clock.now() / 1000);
  const later = { ...tea, to: 1, content: 'later', scheduled_delivery_timestamp: seconds + 60 };
  await server.post(mel, '/scheduled_messages', later);
  const invites = async () => (await server.get(ona, '/invites')).body.invites.length;
  expect(await invites()).toBe(1);
  await deactivate(server, ada, mel.id);
  expect(await invites()).toBe(0);
  await server.advance(120_000);
  const { messages } = (
    await server.get(max, '/messages', {
      anchor: 'newest',
      num_before: 10,
      num_after: 0,
      narrow: [['channel', 'general']],
    })
  ).body;
  expect(messages.at(-1)).toMatchObject({ id, sender_id: mel.id });
  expect((await server.get(max, '/streams/1/members')).body.subscribers).not.toContain(mel.id);
  expect((await server.get(ona, '/user_groups')).body.user_groups.at(-1).members).toEqual([max.id]);
  expect((await server.get(max, `/users/${mel.id}`)).body.user.is_active).toBe(false);
  expect((await server.get(max, `/users/${mel.id}/presence`)).status).toBe(400);
  const to = { type: 'direct', to: [mel.id], content: 'are you there?' };
  expect((await server.post(max, '/messages', to)).status).toBe(400);
});

test('one who deactivates their own account takes their bots along', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const bee = await wellConnected(server);
  await expectExactAfter(
    server,
    async () => expect(await server.delete(mel, '/users/me')).toMatchObject(OK),
    { people: others(server.people) },
  );
  for (const one of [mel, bee]) {
    expect(await server.get(one, '/users/me')).toMatchObject(UNAUTHORIZED);
  }
});

test('the last owner stays, and the last one of all', async () => {
  const server = await startServer();
  const { ona, ada, mia, mel, max, gus, bot } = server.people;
  const last = (isLastOwner: boolean, entity: string) => ({
    ...refused(`Cannot deactivate the only ${entity}.`, 'CANNOT_DEACTIVATE_LAST_USER'),
    body: { code: 'CANNOT_DEACTIVATE_LAST_USER', is_last_owner: isLastOwner, entity },
  });
  expect(await server.delete(ona, '/users/me')).toMatchObject(last(true, 'organization owner'));
  expect(await deactivate(server, ona, ona.id)).toMatchObject(
    refused('Cannot deactivate the only organization owner'),
  );
  const acme = await server.addRealm('acme');
  expect(await acme.delete(acme.admin, '/users/me')).toMatchObject(last(false, 'user'));
  expect(await server.delete(bot, '/users/me')).toMatchObject(
    refused('This endpoint does not accept bot requests.'),
  );
  for (const one of [ada, mia, mel, max, gus]) {
    expect(await server.delete(one, '/users/me')).toMatchObject(OK);
  }
});

test('with a comment, even an empty one, the person is told by mail', async () => {
  const server = await startServer();
  const { ada, mel, max, gus } = server.people;
  const comment = 'x'.repeat(DEACTIVATION_COMMENT_LENGTH_MAX);
  const told = (params: object, person: Person) => deactivate(server, ada, person.id, params);
  expect(await told({ deactivation_notification_comment: ` ${comment} ` }, mel)).toMatchObject(OK);
  const written = async (count: number) =>
    (await mails(server, count)).map((mail) => mail.replace(/=\r?\n/g, ''));
  const [first = ''] = await written(1);
  expect(first).toContain(`To: ${mel.email}`);
  expect(first).toContain(comment);
  await told({}, gus);
  await told({ deactivation_notification_comment: '' }, max);
  const second = (await written(2)).find((mail) => mail.includes(`To: ${max.email}`)) ?? '';
  expect(second).toContain('has deactivated your account');
  expect(second).not.toContain('comment');
});

test.each([
  { why: 'a member asks', as: 'mel', id: 5, msg: 'Insufficient permission' },
  { why: 'nobody', as: 'ada', id: 99, msg: 'No such user' },
  { why: 'a bot', as: 'ada', id: 7, msg: 'No such user' },
  { why: 'a part of an id', as: 'ada', id: 'x', msg: 'user_id_or_email is not an integer' },
  {
    why: 'an owner, by an administrator',
    as: 'ada',
    id: 1,
    msg: 'Must be an organization owner',
    code: 'UNAUTHORIZED_PRINCIPAL',
  },
  {
    why: 'a comment too long',
    as: 'ada',
    id: 5,
    params: { deactivation_notification_comment: 'x'.repeat(DEACTIVATION_COMMENT_LENGTH_MAX + 1) },
    msg: expect.stringMatching(/^deactivation_notification_comment is too long/),
  },
] as const)('deactivating is refused: $why', async ({ as, id, msg, ...rest }) => {
  const server = await startServer();
  const { params = {}, code = 'BAD_REQUEST' } = { params: {}, code: 'BAD_REQUEST', ...rest };
  const reply = await deactivate(server, server.people[as], id, params);
  expect(reply).toMatchObject({ status: 400, body: { code, msg } });
  expect((await server.get(server.people.ona, '/users')).body.members).not.toContainEqual(
    expect.objectContaining({ is_active: false }),
  );
});

test('who is deactivated cannot be again, and who is active cannot be reactivated', async () => {
  const server = await startServer();
  const { ona, ada, mel, max } = server.people;
  await deactivate(server, ada, mel.id);
  expect(await deactivate(server, ada, mel.id)).toMatchObject(refused('User is deactivated'));
  expect(await reactivate(server, ada, max.id)).toMatchObject(refused('User is already active'));
  expect(await reactivate(server, ada, 99)).toMatchObject(refused('No such user'));
  expect(await reactivate(server, ada, 'x')).toMatchObject(refused('user_id is not an integer'));
  expect(await reactivate(server, max, mel.id)).toMatchObject(refused('Insufficient permission'));
  await server.perform((tx) => {
    const row = tx.users.get([ada.id]);
    if (row !== undefined) tx.users.put([99], { ...row, id: 99, role: 100, isActive: false });
  });
  expect(await reactivate(server, ada, 99)).toMatchObject(
    refused('Must be an organization owner', 'UNAUTHORIZED_PRINCIPAL'),
  );
  expect(await reactivate(server, ona, 99)).toMatchObject(OK);
});

test('a bot is deactivated and reactivated by its owner and by administrators, unless its name is taken', async () => {
  const server = await startServer();
  const { ada, mel, max } = server.people;
  const bee = await wellConnected(server);
  const path = `/bots/${bee.id}`;
  expect(await server.delete(max, path)).toMatchObject(refused('Insufficient permission'));
  expect(await server.delete(mel, '/bots/5')).toMatchObject(refused('No such bot'));
  const followers = { people: [...others(server.people), mel] };
  await expectExactAfter(
    server,
    async () => expect(await server.delete(mel, path)).toMatchObject(OK),
    followers,
  );
  expect(await server.delete(mel, path)).toMatchObject(refused('User is deactivated'));
  expect((await server.get(mel, '/bots')).body.bots).toEqual([]);
  expect(await reactivate(server, max, bee.id)).toMatchObject(refused('Insufficient permission'));
  const again = { full_name: 'bee', short_name: 'other' };
  const namesake = (await server.post(max, '/bots', again)).body.user_id;
  expect(await reactivate(server, mel, bee.id)).toMatchObject(refused('Name is already in use.'));
  await server.delete(ada, `/bots/${namesake}`);
  await expectExactAfter(
    server,
    async () => expect(await reactivate(server, mel, bee.id)).toMatchObject(OK),
    followers,
  );
  expect((await server.get(bee, '/users/me')).body.msg).toBe('Invalid API key');
});

test('a bot whose owner is gone becomes that of who brings it back', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ada, mel } = server.people;
  const bee = await wellConnected(server);
  await deactivate(server, ada, mel.id);
  await expectExactAfter(server, () => reactivate(server, ada, bee.id), {
    people: others(server.people),
  });
  expect((await server.get(ada, `/users/${bee.id}`)).body.user.bot_owner_id).toBe(ada.id);
});

test('a name that has to be unique and is taken cannot come back', async () => {
  const server = await startServer();
  const { ada, mel, max } = server.people;
  await deactivate(server, ada, mel.id);
  await server.patch(max, '/settings', { full_name: mel.fullName });
  await server.set('require_unique_names', true);
  expect(await reactivate(server, ada, mel.id)).toMatchObject(
    refused('Unique names required in this organization.'),
  );
});
