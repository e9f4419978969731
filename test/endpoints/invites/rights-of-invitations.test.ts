import { expect, test } from 'vitest';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import { openPage } from '../../support/pages/page.ts';
import { MEMBERS, MODERATORS } from '../../support/people/groups-of-people.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { PersonName } from '../../support/users.ts';

const LINKS = '/invites/multiuse';
const OWNERS = systemGroupId('role:owners');
const ZOE = { full_name: 'Zoe New', email: 'zoe@example.com', password: 'correct horse' };

test('the link to become an owner is shown to owners alone, and administrators can do nothing to it', async () => {
  const server = await startServer();
  const { ona, ada } = server.people;
  const link = await linkOf(server, 'ona', { invite_as: 100 });
  await linkOf(server, 'ona', { invite_as: 200 });

  expect(await listed(server, 'ona')).toEqual([
    { id: 1, link_url: link },
    { id: 2, link_url: expect.any(String) },
  ]);
  expect(await listed(server, 'ada')).toEqual([
    { id: 1, link_url: undefined },
    { id: 2, link_url: expect.any(String) },
  ]);
  const reply = await server.get(ada, '/invites');
  expect(JSON.stringify(reply.body)).not.toContain(link.split('/join/')[1]);

  expect((await server.delete(ada, `${LINKS}/1`)).body.code).toBe('UNAUTHORIZED_PRINCIPAL');
  const mail = { invitee_emails: 'yan@example.com', stream_ids: [], invite_as: 100 };
  await server.post(ona, '/invites', mail);
  expect((await server.post(ada, '/invites/1/resend')).body.code).toBe('UNAUTHORIZED_PRINCIPAL');
  expect((await server.delete(ada, '/invites/1')).body.code).toBe('UNAUTHORIZED_PRINCIPAL');
  expect((await server.post(ona, '/invites/1/resend')).status).toBe(200);
});

test('who may make no links sees none of those that others made', async () => {
  const server = await startServer();
  await linkOf(server, 'ona');
  await server.set('create_multiuse_invite_group', OWNERS);
  expect(await listed(server, 'ada')).toEqual([{ id: 1, link_url: undefined }]);
  expect(await listed(server, 'ona')).toEqual([{ id: 1, link_url: expect.any(String) }]);
});

test.each([
  { why: 'was an owner', maker: 'ada', as: 100, later: 200, msg: 'Must be an organization owner' },
  { why: 'was a moderator', maker: 'mia', as: 300, later: 400, msg: 'Insufficient permission' },
] as const)(
  'who $why sees no link of that time, and neither revokes nor resends',
  async (given) => {
    const server = await startServer();
    const { ona } = server.people;
    const maker = server.people[given.maker];
    await server.set('create_multiuse_invite_group', MEMBERS);
    await server.patch(ona, `/users/${maker.id}`, { role: given.as });
    const link = await linkOf(server, given.maker, { invite_as: given.as });
    const mail = { invitee_emails: 'yan@example.com', stream_ids: [], invite_as: given.as };
    expect((await server.post(maker, '/invites', mail)).status).toBe(200);
    expect((await openPage(link)).status).toBe(200);

    await server.patch(ona, `/users/${maker.id}`, { role: given.later });
    expect(await listed(server, given.maker)).toContainEqual({ id: 1, link_url: undefined });
    for (const reply of [
      await server.delete(maker, `${LINKS}/1`),
      await server.delete(maker, '/invites/1'),
      await server.post(maker, '/invites/1/resend'),
    ]) {
      expect([reply.status, reply.body.msg]).toEqual([400, given.msg]);
    }
    expect((await openPage(link)).status).toBe(410);
    expect((await openPage(link, { method: 'POST', form: ZOE })).status).toBe(410);
    // People with the right can revoke an invitation that offers no more than they may give.
    expect((await server.delete(ona, `${LINKS}/1`)).status).toBe(200);
  },
);

test('a link opens nothing while its maker may not make one, and opens again with the right', async () => {
  const server = await startServer();
  await server.set('create_multiuse_invite_group', MEMBERS);
  const link = await linkOf(server, 'mel');
  expect((await openPage(link)).status).toBe(200);
  await server.set('create_multiuse_invite_group', MODERATORS);
  expect((await openPage(link)).status).toBe(410);
  expect((await openPage(link, { method: 'POST', form: ZOE })).status).toBe(410);
  await server.set('create_multiuse_invite_group', MEMBERS);
  expect((await openPage(link, { method: 'POST', form: ZOE })).status).toBe(200);
});

test('an invitation by mail opens nothing once its maker may not invite', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const mail = { invitee_emails: ZOE.email, stream_ids: [] };
  expect((await server.post(mel, '/invites', mail)).status).toBe(200);
  await server.set('can_invite_users_group', MODERATORS);
  const link = await server.perform((tx, site) => {
    const row = tx.invitations.get(['email', 1]) ?? expect.fail('it is there');
    return `${site.url}:${server.app.port}/join/${row.key}/`;
  });
  expect((await openPage(link)).status).toBe(410);
  expect((await server.post(mel, '/invites/1/resend')).body.msg).toBe('No such invitation');
});

test('what its maker may no longer give is left out of what an invitation gives', async () => {
  const server = await startServer({ channels: ['general', 'tea'] });
  const { mel, ona } = server.people;
  await server.set('create_multiuse_invite_group', MEMBERS);
  const secret = { subscriptions: [{ name: 'secret' }], invite_only: true };
  await server.post(mel, '/users/me/subscriptions', secret);
  const group = { name: 'cooks', description: '', members: [mel.id] };
  const { group_id } = (await server.post(mel, '/user_groups/create', group)).body;
  const offer = { stream_ids: [1, 3], group_ids: [group_id] };
  const [before, after] = [await linkOf(server, 'mel', offer), await linkOf(server, 'mel', offer)];

  await openPage(before, { method: 'POST', form: ZOE });
  expect(await belongings(server, 8)).toEqual({ channels: [1, 3], groups: [group_id] });

  await server.delete(mel, '/users/me/subscriptions', { subscriptions: ['secret'] });
  await server.patch(ona, `/user_groups/${group_id}`, {
    can_manage_group: { new: OWNERS },
    can_add_members_group: { new: OWNERS },
  });
  const yan = { ...ZOE, full_name: 'Yan New', email: 'yan@example.com' };
  expect((await openPage(after, { method: 'POST', form: yan })).status).toBe(200);
  expect(await belongings(server, 9)).toEqual({ channels: [1], groups: [] });

  await server.set('can_add_subscribers_group', MODERATORS);
  const wes = { ...ZOE, full_name: 'Wes New', email: 'wes@example.com' };
  expect((await openPage(after, { method: 'POST', form: wes })).status).toBe(200);
  expect(await belongings(server, 10)).toEqual({ channels: [], groups: [] });
});

test('the words of welcome of who was an administrator are not said any more', async () => {
  const server = await startServer();
  const { ona, ada } = server.people;
  await server.set('create_multiuse_invite_group', MEMBERS);
  const link = await linkOf(server, 'ada', { welcome_message_custom_text: 'By my hand' });
  await server.patch(ona, `/users/${ada.id}`, { role: 400 });
  expect((await openPage(link, { method: 'POST', form: ZOE })).status).toBe(200);
  const said = await server.perform((tx) =>
    Array.from(tx.messages.range({}), ([, { content }]) => content),
  );
  expect(said).not.toContain('By my hand');
});

async function linkOf(server: TestServer, as: PersonName, offer: object = {}): Promise<string> {
  const { body } = await server.post(server.people[as], LINKS, { ...offer });
  return body.invite_link ?? expect.fail(JSON.stringify(body));
}

/** The links in the list of somebody. */
async function listed(server: TestServer, as: PersonName) {
  const { invites } = (await server.get(server.people[as], '/invites')).body;
  return invites
    .filter(({ is_multiuse }: { is_multiuse: boolean }) => is_multiuse)
    .map(({ id, link_url }: { id: number; link_url?: string }) => ({ id, link_url }));
}

const belongings = (server: TestServer, userId: number) =>
  server.perform((tx) => ({
    channels: Array.from(tx.channels.keys({}), ([id]) => id).filter((id) =>
      tx.subscriptions.has([id, userId]),
    ),
    groups: Array.from(tx.userGroups.keysUnder([userId]), ([, id]) => id),
  }));
