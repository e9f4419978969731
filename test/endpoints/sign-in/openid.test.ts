import { expect, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import { startWithProvider, ZOE } from '../../support/people/sign-in-server.ts';
import type { TestServer } from '../../support/start-server.ts';

const EMAIL = ZOE.email;

test('a person joins by the whole flow, has a session, and comes back as the same', async () => {
  const { provider, signIn, browser, account, server, origin } = await startWithProvider();
  provider.become(ZOE);
  const flow = browser();
  const done = await signIn(flow);
  expect([done.status, done.text, done.url.href]).toEqual([0, '', `${origin}/`]);
  const zoe = await account(EMAIL);
  expect(zoe).toMatchObject({ fullName: 'Zoe Zhou', role: 400, passwordHash: null });
  const session = Array.from(flow.jar.get(new URL(origin).host) ?? []);
  expect(session.map(([name]) => name)).toEqual([`confab-${server.app.port}`]);
  expect(flow.visited.join(' ')).not.toMatch(/api_key|[0-9]x[0-9a-f]{64}/);
  // The address changes at the provider; the person is the same.
  provider.become({ ...ZOE, email: 'zz@example.com' });
  expect(await signIn()).toMatchObject({ status: 0 });
  expect(await account('zz@example.com')).toBeUndefined();
  const sessions = await server.perform((tx) => [...tx.sessions.under([zoe?.id ?? 0])]);
  expect(sessions.map(([, { method }]) => method)).toEqual(['openid:idp', 'openid:idp']);
});

test('the log-in page is told of the provider, and a realm that is not named is not', async () => {
  const { server } = await startWithProvider();
  const { body } = await server.get(null, '/server_settings');
  expect(body['external_authentication_methods']).toEqual([
    {
      name: 'openid:idp',
      display_name: 'The Provider',
      display_icon: null,
      login_url: '/accounts/sign-in/idp/',
      signup_url: '/accounts/sign-in/idp/',
    },
  ]);
  const other = await startWithProvider({ realms: ['other'] });
  const settings = await other.server.get(null, '/server_settings');
  expect(settings.body['external_authentication_methods']).toEqual([]);
  expect(await other.signIn()).toMatchObject({ status: 404 });
});

test('a start warns of a realm that an entry names and that is not there', async () => {
  const { server } = await startWithProvider({ realms: ['test', 'other'] });
  const warned = () => server.warnings.filter((line) => line.includes('not here'));
  // The realm of the test was made after the first start.
  const before = warned().length;
  await server.restart();
  expect(
    warned()
      .slice(before)
      .map((line) => JSON.parse(line)),
  ).toMatchObject([{ entry: 'idp', realm: 'other' }]);
});

test('an account with the verified address is the person’s own', async () => {
  const { provider, signIn, server } = await startWithProvider();
  const { mel } = server.people;
  provider.become({ ...ZOE, email: mel.email });
  expect(await signIn()).toMatchObject({ status: 0 });
  const linked = await server.perform((tx) => [...tx.identities.under([mel.id])]);
  expect(linked).toMatchObject([[[mel.id, expect.any(String)], { subject: 'zoe-1' }]]);
  // Somebody else got the address at the provider.
  provider.become({ ...ZOE, sub: 'another', email: mel.email });
  const refused = await signIn();
  expect(refused.status).toBe(400);
  expect(refused.text).toContain('belongs to somebody else');
});

test.each([
  { claims: { email_verified: false }, entry: {}, status: 400, says: 'has not verified' },
  { claims: { email_verified: 'true' }, entry: {}, status: 400, says: 'has not verified' },
  { claims: { email_verified: undefined }, entry: {}, status: 400, says: 'has not verified' },
  { claims: { email: undefined }, entry: {}, status: 400, says: 'does not tell' },
  { claims: {}, entry: { makes_accounts: false }, status: 400, says: 'You have no account' },
  { claims: { email_verified: false }, entry: { trusts_email: true }, status: 0, says: '' },
])('the address has to be the person’s: $claims, $entry', async ({ claims, entry, ...wanted }) => {
  const { provider, signIn } = await startWithProvider(entry);
  provider.become({ ...ZOE, ...claims });
  const done = await signIn();
  expect(done.status).toBe(wanted.status);
  expect(done.text).toContain(wanted.says);
});

test('where joining takes an invitation, one to the address is taken', async () => {
  const { provider, signIn, server, account } = await startWithProvider();
  await server.set('invite_required', true);
  provider.become(ZOE);
  expect((await signIn()).text).toContain('takes an invitation');
  const { ada } = server.people;
  const params = { invitee_emails: EMAIL, stream_ids: [], invite_as: 600 };
  expect((await server.post(ada, '/invites', params)).body).toMatchObject({ result: 'success' });
  expect(await signIn()).toMatchObject({ status: 0 });
  expect(await account(EMAIL)).toMatchObject({ role: 600 });
});

/** Leaves an account as an import without secrets does. */
function makeUnused(server: TestServer, userId: number) {
  return server.perform((tx) => {
    const row = tx.users.get([userId]);
    if (row) tx.users.put([userId], { ...row, isActive: false, passwordHash: null });
    for (const key of [...tx.apiKeys.keysUnder([userId])]) tx.apiKeys.remove(key);
  });
}

test('a placeholder of an import is claimed, also by invitation alone, and only once', async () => {
  const { provider, signIn, server, account } = await startWithProvider();
  const { mel, ada } = server.people;
  await server.set('invite_required', true);
  await makeUnused(server, mel.id);
  await server.perform((tx) => tx.placeholders.put([mel.id], {}));
  provider.become({ ...ZOE, email: mel.email });
  expect(await signIn()).toMatchObject({ status: 0 });
  expect(await account(mel.email)).toMatchObject({ id: mel.id, isActive: true });
  await server.delete(ada, `/users/${mel.id}`);
  const refused = await signIn();
  expect(refused.text).toContain('Account is deactivated');
  expect(await account(mel.email)).toMatchObject({ isActive: false });
});

test('a deactivated account is not claimed, although it has no password and no key', async () => {
  const { provider, signIn, server, account } = await startWithProvider();
  const { mel, ada } = server.people;
  await makeUnused(server, mel.id);
  provider.become({ ...ZOE, email: mel.email });
  expect((await signIn()).text).toContain('Account is deactivated');
  // Nor is a placeholder that an administrator has made active, and deactivated later.
  await server.perform((tx) => tx.placeholders.put([mel.id], {}));
  for (const act of ['reactivate', 'deactivate'] as const) {
    const path = `/users/${mel.id}`;
    const done = await (act === 'reactivate'
      ? server.post(ada, `${path}/reactivate`)
      : server.delete(ada, path));
    expect(done.body).toMatchObject({ result: 'success' });
  }
  expect((await signIn()).text).toContain('Account is deactivated');
  expect(await account(mel.email)).toMatchObject({ isActive: false });
});

test('groups give and take roles and user groups, but never the last owner', async () => {
  const grants = [
    { group: 'admins', role: 'administrator', user_groups: ['Crew'] },
    { group: 'heads', role: 'owner' },
  ];
  const { provider, signIn, server, account } = await startWithProvider({ grants });
  const { ona } = server.people;
  const made = await server.post(ona, '/user_groups/create', {
    name: 'Crew',
    description: '',
    members: [],
  });
  const groupId = Number(made.body['group_id']);
  provider.become({ ...ZOE, groups: ['admins', 'else'] });
  expect(await signIn()).toMatchObject({ status: 0 });
  const zoe = await account(EMAIL);
  expect(zoe?.role).toBe(200);
  const isIn = () => server.perform((tx) => tx.groupMembers.has([groupId, zoe?.id ?? 0]));
  expect(await isIn()).toBe(true);
  provider.become({ ...ZOE, groups: [] });
  await signIn();
  expect((await account(EMAIL))?.role).toBe(400);
  expect(await isIn()).toBe(false);
  provider.become({ sub: 'ona', email: ona.email, email_verified: true, groups: [] });
  await signIn();
  expect((await account(ona.email))?.role).toBe(100);
});

test('a person whom the provider has made again gets the account once the operator unlinks it', async () => {
  const { provider, signIn, account, server } = await startWithProvider();
  provider.become(ZOE);
  await signIn();
  const zoe = await account(EMAIL);
  // The same address under another number may be of another person.
  provider.become({ ...ZOE, sub: 'zoe-2' });
  expect((await signIn()).text).toContain('belongs to somebody else at this provider');
  const unlink = () => runCommand(server.app.realms, 'user unlink', { email: EMAIL });
  expect(await unlink()).toMatchObject([{ user_id: zoe?.id, email: EMAIL, forgotten: 1 }]);
  expect(await unlink()).toMatchObject([{ forgotten: 0 }]);
  expect(await signIn()).toMatchObject({ status: 0 });
  const owners = await server.perform((tx) => [...tx.identityOwners.range({})]);
  expect(owners.map(([, { userId }]) => userId)).toEqual([zoe?.id]);
  const acts = await server.perform((tx) =>
    [...tx.auditLog.range({})].filter(([, { kind }]) => kind === 'identity'),
  );
  expect(acts.map(([, { by, op }]) => `${by} ${op}`)).toEqual([
    'server add',
    'operator remove',
    'server add',
  ]);
  // The former number is of nobody now.
  provider.become(ZOE);
  expect((await signIn()).text).toContain('belongs to somebody else at this provider');
});
