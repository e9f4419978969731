import { expect, test } from 'vitest';
import {
  CHANNELS_PER_INVITATION_MAX,
  INVITATION_MINUTES_MAX,
  INVITATIONS_PER_REALM_MAX,
} from '../../../src/domain/limits/accounts.ts';
import { WELCOME_TEXT_LENGTH_MAX } from '../../../src/domain/limits/organizations.ts';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import * as invitations from '../../../src/operations/accounts/invitations.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { PersonName } from '../../support/users.ts';

const LINKS = '/invites/multiuse';
/** The test clock's start in seconds. */
const NOW = Date.UTC(2026, 0, 5, 9, 0, 0) / 1000;
const TEN_DAYS = 864_000;

test('a link is made, listed and revoked, and administrators and its maker hear of it', async () => {
  const server = await startServer();
  const { ona, ada, mel } = server.people;
  await server.set('create_multiuse_invite_group', systemGroupId('role:members'));
  const types = { event_types: ['invites_changed'] };
  const queues = await Promise.all([ona, mel].map((person) => server.register(person, types)));
  const other = await server.register(server.people.max, types);

  const made = await server.post(mel, LINKS);
  const url = `http://test.localhost:${server.app.port}/join/`;
  expect(made.body).toEqual(success({ invite_link: expect.any(String) }));
  expect(made.body.invite_link.startsWith(url)).toBe(true);
  expect(made.body.invite_link.slice(url.length)).toMatch(/^[a-z2-7]{24}\/$/);

  const record = {
    id: 1,
    invited_by_user_id: mel.id,
    invited: NOW,
    expiry_date: NOW + TEN_DAYS,
    invited_as: 400,
    is_multiuse: true,
    link_url: made.body.invite_link,
  };
  for (const person of [mel, ada]) {
    expect((await server.get(person, '/invites')).body).toEqual(success({ invites: [record] }));
  }
  expect((await server.get(server.people.max, '/invites')).body.invites).toEqual([]);
  expect((await server.delete(ada, `${LINKS}/1`)).body).toEqual(success());
  expect((await server.get(mel, '/invites')).body.invites).toEqual([]);

  const changed = { id: expect.any(Number), type: 'invites_changed' };
  for (const queue of queues) expect(await queue.now()).toEqual([changed, changed]);
  expect(await other.now()).toEqual([]);
});

test.each([
  { minutes: undefined, expiry: NOW + TEN_DAYS },
  { minutes: null, expiry: null },
  { minutes: 1, expiry: NOW + 60 },
  { minutes: INVITATION_MINUTES_MAX, expiry: NOW + INVITATION_MINUTES_MAX * 60 },
])('a link expires after the minutes that are given: $minutes', async ({ minutes, expiry }) => {
  const server = await startServer();
  const { ada } = server.people;
  await server.post(ada, LINKS, { invite_expires_in_minutes: minutes });
  expect((await server.get(ada, '/invites')).body.invites[0].expiry_date).toBe(expiry);
});

test('the operator of the server chooses how long an invitation lasts that does not say it', async () => {
  const server = await startServer({ env: { CONFAB_INVITATION_MINUTES: '90' } });
  const { ada } = server.people;
  await server.post(ada, LINKS);
  await server.post(ada, LINKS, { invite_expires_in_minutes: 1 });
  await server.post(ada, LINKS, { invite_expires_in_minutes: null });
  await server.post(ada, '/invites', { invitee_emails: 'eve@example.com', stream_ids: [] });
  const { body } = await server.get(ada, '/invites');
  const expiries = body.invites.map(({ expiry_date }: { expiry_date: number }) => expiry_date);
  expect(expiries.sort()).toEqual([NOW + 60, NOW + 5_400, NOW + 5_400, null]);
});

test('what has expired is not listed any more', async () => {
  const server = await startServer();
  const { ada } = server.people;
  await server.post(ada, LINKS, { invite_expires_in_minutes: 1 });
  await server.advance(59_000);
  expect((await server.get(ada, '/invites')).body.invites).toHaveLength(1);
  await server.advance(1_000);
  expect((await server.get(ada, '/invites')).body.invites).toEqual([]);
});

test('4: links change nothing of a snapshot', async () => {
  const server = await startServer();
  await expectExactAfter(server, async () => {
    await server.post(server.people.ada, LINKS);
    await server.delete(server.people.ada, `${LINKS}/1`);
  });
});

test.each([
  { as: 'mel', msg: 'Insufficient permission' },
  { as: 'mia', msg: 'Insufficient permission' },
  { as: 'gus', msg: 'Not allowed for guest users' },
  { as: 'bot', msg: 'This endpoint does not accept bot requests.' },
] as const)('$as may not make a link: $msg', async ({ as, msg }) => {
  const server = await startServer();
  const { status, body } = await server.post(server.people[as], LINKS);
  expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
});

const ROLE_TOO_HIGH = 'You may invite only with roles that may no more than your own';

test.each([
  { as: 'ona', role: 100, refusal: null },
  { as: 'ada', role: 200, refusal: null },
  { as: 'ada', role: 600, refusal: null },
  { as: 'mel', role: 400, refusal: null },
  {
    as: 'ada',
    role: 100,
    refusal: { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization owner' },
  },
  { as: 'mia', role: 300, refusal: null },
  {
    as: 'mia',
    role: 200,
    refusal: { code: 'BAD_REQUEST', msg: ROLE_TOO_HIGH },
  },
  {
    as: 'mel',
    role: 300,
    refusal: { code: 'BAD_REQUEST', msg: ROLE_TOO_HIGH },
  },
] as const)('$as invites as $role: $refusal.code', async ({ as, role, refusal }) => {
  const server = await startServer();
  await server.set('create_multiuse_invite_group', systemGroupId('role:members'));
  const { status, body } = await server.post(server.people[as], LINKS, { invite_as: role });
  if (refusal === null) expect([status, body.result]).toEqual([200, 'success']);
  else expect([status, body]).toEqual([400, { result: 'error', ...refusal }]);
});

test.each([
  { params: { invite_expires_in_minutes: 0 }, msg: 'invite_expires_in_minutes is too small' },
  { params: { invite_expires_in_minutes: -5 }, msg: 'invite_expires_in_minutes is too small' },
  {
    params: { invite_expires_in_minutes: INVITATION_MINUTES_MAX + 1 },
    msg: 'invite_expires_in_minutes is too large',
  },
  {
    params: { invite_expires_in_minutes: 1.5 },
    msg: 'invite_expires_in_minutes is not an integer',
  },
  {
    params: { invite_expires_in_minutes: 'soon' },
    msg: 'invite_expires_in_minutes is not valid JSON',
  },
  { params: { invite_as: 500 }, msg: 'Invalid invite_as' },
  { params: { invite_as: '"member"' }, msg: 'invite_as is not an integer' },
  { params: { stream_ids: 1 }, msg: 'stream_ids is not a list' },
  { params: { stream_ids: ['general'] }, msg: 'stream_ids[0] is not an integer' },
  {
    params: { stream_ids: Array.from({ length: CHANNELS_PER_INVITATION_MAX + 1 }, () => 1) },
    msg: `stream_ids has more than ${CHANNELS_PER_INVITATION_MAX} items`,
  },
  { params: { stream_ids: [99] }, msg: 'Invalid channel ID 99. No invites were sent.' },
  { params: { group_ids: {} }, msg: 'group_ids is not a list' },
  { params: { group_ids: [99] }, msg: 'Invalid user group' },
  { params: { group_ids: [systemGroupId('role:moderators')] }, msg: 'Invalid user group' },
  {
    params: { include_realm_default_subscriptions: 1 },
    msg: 'include_realm_default_subscriptions is not a boolean',
  },
  {
    params: { welcome_message_custom_text: 'x'.repeat(WELCOME_TEXT_LENGTH_MAX + 1) },
    msg: `welcome_message_custom_text is longer than ${WELCOME_TEXT_LENGTH_MAX} characters`,
  },
  {
    params: { welcome_message_custom_text: 'a\0b' },
    msg: 'welcome_message_custom_text contains null bytes',
  },
])('a link is refused: $msg', async ({ params, msg }) => {
  const server = await startServer({ channels: ['general'] });
  const { ona } = server.people;
  const { status, body } = await server.post(ona, LINKS, params);
  expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
  expect((await server.get(ona, '/invites')).body.invites).toEqual([]);
});

test('a welcome message is for administrators alone, and may be as long as the bound', async () => {
  const server = await startServer();
  await server.set('create_multiuse_invite_group', systemGroupId('role:members'));
  const text = '😀'.repeat(WELCOME_TEXT_LENGTH_MAX);
  const send = (as: PersonName, welcome_message_custom_text: string) =>
    server.post(server.people[as], LINKS, { welcome_message_custom_text });
  expect((await send('ada', text)).status).toBe(200);
  expect((await send('mel', 'null')).status).toBe(200);
  for (const refused of ['hello', '']) {
    const { status, body } = await send('mel', refused);
    expect([status, body]).toEqual([
      400,
      { result: 'error', code: 'BAD_REQUEST', msg: 'Must be an organization administrator' },
    ]);
  }
});

test('a channel that the inviter cannot read, or that is archived, is like one that is not there', async () => {
  const server = await startServer();
  const { mel, ada } = server.people;
  const secret = { subscriptions: [{ name: 'secret' }], invite_only: true };
  await server.post(mel, '/users/me/subscriptions', secret);
  await server.post(ada, '/users/me/subscriptions', { subscriptions: [{ name: 'old' }] });
  await server.perform((tx) => {
    const row = tx.channels.get([2]) ?? expect.fail('there is a channel');
    tx.channels.put([2], { ...row, isArchived: true });
  });
  for (const id of [1, 2]) {
    const { body } = await server.post(ada, LINKS, { stream_ids: [id] });
    expect(body.msg).toBe(`Invalid channel ID ${id}. No invites were sent.`);
  }
});

test('who may subscribe nobody names no channel; who may to one names it and default ones', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, mel } = server.people;
  await server.set('create_multiuse_invite_group', systemGroupId('role:members'));
  await server.set('can_add_subscribers_group', systemGroupId('role:moderators'));
  const home = { subscriptions: [{ name: 'home' }], is_default_stream: true };
  await server.post(ona, '/users/me/subscriptions', home);
  const send = (stream_ids: number[]) => server.post(mel, LINKS, { stream_ids });
  const refusal = {
    result: 'error',
    code: 'BAD_REQUEST',
    msg: 'You do not have permission to subscribe other users to channels.',
  };
  expect((await send([])).status).toBe(200);
  for (const ids of [[1], [2]]) expect((await send(ids)).body).toEqual(refusal);
  await server.post(mel, '/users/me/subscriptions', { subscriptions: [{ name: 'mine' }] });
  expect((await send([3, 2])).status).toBe(200);
  expect((await send([3, 1])).body).toEqual(refusal);
});

test('who may not add people to a group does not offer it', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  await server.set('create_multiuse_invite_group', systemGroupId('role:members'));
  const groupId = await makeGroup(server, max.id);
  expect((await server.post(max, LINKS, { group_ids: [groupId] })).status).toBe(200);
  const { status, body } = await server.post(mel, LINKS, { group_ids: [groupId] });
  expect([status, body]).toEqual([
    400,
    { result: 'error', code: 'BAD_REQUEST', msg: 'Insufficient permission' },
  ]);
});

test('revoking is refused of what is not there, is revoked, is of others, or is for owners', async () => {
  const server = await startServer();
  const { ona, ada, mel } = server.people;
  const revoke = async (as: PersonName, id: number | string) => {
    const { status, body } = await server.delete(server.people[as], `${LINKS}/${id}`);
    return [status, body.code, body.msg];
  };
  await server.post(ada, LINKS);
  await server.post(ona, LINKS, { invite_as: 100 });
  expect(await revoke('ada', 7)).toEqual([400, 'BAD_REQUEST', 'No such invitation']);
  expect(await revoke('ada', 'x')).toEqual([400, 'BAD_REQUEST', 'invite_id is not an integer']);
  expect(await revoke('mel', 1)).toEqual([400, 'BAD_REQUEST', 'Insufficient permission']);
  expect(await revoke('gus', 1)).toEqual([400, 'BAD_REQUEST', 'Not allowed for guest users']);
  expect(await revoke('ada', 2)).toEqual([
    400,
    'UNAUTHORIZED_PRINCIPAL',
    'Must be an organization owner',
  ]);
  expect((await revoke('ona', 1))[0]).toBe(200);
  expect(await revoke('ada', 1)).toEqual([
    400,
    'BAD_REQUEST',
    'Invitation has already been revoked',
  ]);
  expect((await server.get(mel, '/invites')).body.invites).toEqual([]);
});

test('a realm has so many open invitations and not one more; ended ones make room', async () => {
  const server = await startServer();
  const { ada } = server.people;
  await server.perform((tx) => {
    const inviter = tx.users.get([ada.id]) ?? expect.fail('ada is there');
    for (let n = 0; n < INVITATIONS_PER_REALM_MAX; n++) {
      invitations.store(tx, 'link', { ...OFFER, inviter, email: null, notifiesInviter: false });
    }
  });
  const { status, body } = await server.post(ada, LINKS);
  expect([status, body.code, body.msg]).toEqual([
    400,
    'BAD_REQUEST',
    `An organization has at most ${INVITATIONS_PER_REALM_MAX} open invitations.`,
  ]);
  await server.delete(ada, `${LINKS}/5`);
  expect((await server.post(ada, LINKS)).status).toBe(200);
});

test('all invitations of an account are revoked at once, as its deactivation does', async () => {
  const server = await startServer();
  const { ada, ona } = server.people;
  for (const person of [ada, ona, ada]) await server.post(person, LINKS);
  await server.perform((tx) => invitations.revokeAllOf(tx, ada.id));
  const { body } = await server.get(ona, '/invites');
  expect(body.invites.map(({ id }: { id: number }) => id)).toEqual([2]);
});

const OFFER = {
  expiresInMinutes: null,
  role: 400,
  channelIds: [],
  groupIds: [],
  includesDefaultChannels: false,
  welcomeText: null,
} as const;

/** A group that its maker manages. */
async function makeGroup(server: TestServer, makerId: number): Promise<number> {
  const maker = { direct_members: [makerId], direct_subgroups: [] };
  return await server.perform((tx) => {
    const id = tx.nextId('group') + 1_000;
    tx.groups.put([id], {
      id,
      name: 'testers',
      description: '',
      dateCreated: NOW,
      creatorId: makerId,
      isDeactivated: false,
      permissions: {
        can_add_members_group: maker,
        can_join_group: systemGroupId('role:nobody'),
        can_leave_group: systemGroupId('role:everyone'),
        can_manage_group: maker,
        can_mention_group: systemGroupId('role:everyone'),
        can_remove_members_group: maker,
      },
    });
    return id;
  });
}

const success = (fields: object = {}) => ({ result: 'success', msg: '', ...fields });
