import { expect, test } from 'vitest';
import { PASSWORD_LENGTH_MAX } from '../../../src/domain/limits/credentials.ts';
import { PAGE_BODY_BYTES_MAX } from '../../../src/domain/limits/requests.ts';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import { openPage } from '../../support/pages/page.ts';
import { makeLink, memberAddresses, ZOE } from '../../support/people/joining.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

test('who follows a link and fills in its form has an account that logs in, in the channels it names', async () => {
  const server = await startServer({ channels: ['general', 'tea'] });
  const { ona } = server.people;
  const home = { subscriptions: [{ name: 'home' }], is_default_stream: true };
  await server.post(ona, '/users/me/subscriptions', home);
  const link = await makeLink(server, {
    invite_as: 300,
    stream_ids: [2],
    include_realm_default_subscriptions: true,
    welcome_message_custom_text: 'Have **tea**',
  });

  const page = await openPage(link);
  expect(page.status).toBe(200);
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(page.text).toContain('<h1>Join test</h1>');
  for (const name of ['full_name', 'email', 'password']) {
    expect(page.text).toMatch(new RegExp(`<input name="${name}" [^>]*required>`));
  }

  const done = await openPage(link, { method: 'POST', form: ZOE });
  expect([done.status, done.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(done.text).toContain('<strong>zoe@example.com</strong>');

  const login = { username: ZOE.email, password: ZOE.password };
  const { body } = await server.post(null, '/fetch_api_key', login);
  expect(body).toMatchObject({ result: 'success', user_id: 8, email: ZOE.email });
  const zoe = { id: 8, email: ZOE.email, fullName: ZOE.full_name, apiKey: body.api_key };
  expect((await server.get(zoe, '/users/me')).body).toMatchObject({
    full_name: 'Zoe New',
    role: 300,
    is_active: true,
  });
  const subscribed = await server.get(zoe, '/users/me/subscriptions');
  expect(subscribed.body.subscriptions.map(({ name }: { name: string }) => name)).toEqual([
    'home',
    'tea',
  ]);
  const { messages } = (
    await server.get(zoe, '/messages', { anchor: 'newest', num_before: 5, num_after: 0 })
  ).body;
  expect(messages).toMatchObject([
    {
      sender_full_name: 'Notification Bot',
      type: 'private',
      content: '<p>Have <strong>tea</strong></p>',
    },
  ]);
  expect(server.bugs).toEqual([]);
});

test.each([
  { offer: {}, joined: [] },
  { offer: { include_realm_default_subscriptions: false, stream_ids: [2] }, joined: ['tea'] },
  { offer: { include_realm_default_subscriptions: true }, joined: ['home'] },
])('default channels are joined where the link says so: $offer', async ({ offer, joined }) => {
  const server = await startServer();
  const { ada } = server.people;
  const home = { subscriptions: [{ name: 'home' }], is_default_stream: true };
  await server.post(ada, '/users/me/subscriptions', home);
  await server.post(ada, '/users/me/subscriptions', { subscriptions: [{ name: 'tea' }] });
  await openPage(await makeLink(server, offer), { method: 'POST', form: ZOE });
  const names = await server.perform((tx) =>
    Array.from(tx.channels.range({}), ([[id], { name }]) =>
      tx.subscriptions.has([id, 8]) ? name : '',
    ).filter(Boolean),
  );
  expect(names).toEqual(joined);
});

test('who joins is in the groups that the link names', async () => {
  const server = await startServer();
  const groupId = await makeGroup(server);
  await openPage(await makeLink(server, { group_ids: [groupId] }), { method: 'POST', form: ZOE });
  const { body } = await server.get(server.people.ada, `/user_groups/${groupId}/members`);
  expect(body.members).toEqual([8]);
});

test('a link is used again and again, until it is revoked', async () => {
  const server = await startServer();
  const link = await makeLink(server);
  for (const name of ['yan', 'zoe']) {
    const form = { ...ZOE, email: `${name}@example.com` };
    expect((await openPage(link, { method: 'POST', form })).status).toBe(200);
  }
  await server.delete(server.people.ada, '/invites/multiuse/1');
  for (const method of ['GET', 'POST']) {
    const page = await openPage(link, { method, form: { ...ZOE, email: 'xi@example.com' } });
    expect(page.status).toBe(410);
    expect(page.text).toContain('This invitation has been revoked or used.');
  }
  expect(await memberAddresses(server)).not.toContain('xi@example.com');
});

test('4: a snapshot and the events of an account that joins give what a fresh register gives', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, mel } = server.people;
  const secret = { subscriptions: [{ name: 'secret' }], invite_only: true };
  await server.post(ona, '/users/me/subscriptions', { ...secret, principals: [ona.id, mel.id] });
  const groupId = await makeGroup(server);
  for (const invite_as of [100, 400, 600]) {
    const offer = { invite_as, stream_ids: [1, 2], group_ids: [groupId] };
    const { body } = await server.post(ona, '/invites/multiuse', offer);
    const form = { ...ZOE, email: `zoe${invite_as}@example.com` };
    await expectExactAfter(server, async () => {
      const { status } = await openPage(body.invite_link, { method: 'POST', form });
      expect(status).toBe(200);
    });
  }
});

test.each([
  { given: null, organization: 'Hello from us', said: '<p>Hello from us</p>' },
  { given: '', organization: 'Hello from us', said: undefined },
  { given: 'Hello you', organization: 'Hello from us', said: '<p>Hello you</p>' },
  { given: null, organization: '', said: undefined },
])('the welcome is that of the link, or the organization: $given, $organization', async (it) => {
  const server = await startServer();
  await server.set('welcome_message_custom_text', it.organization);
  const offer = it.given === null ? {} : { welcome_message_custom_text: it.given };
  await openPage(await makeLink(server, offer), { method: 'POST', form: ZOE });
  const said = await server.perform((tx) => Array.from(tx.messages.range({}), ([, row]) => row));
  expect(said.map(({ renderedContent }) => renderedContent)).toEqual(
    it.said === undefined ? [] : [it.said],
  );
});

test.each([
  { why: 'too short a name', given: { full_name: 'Z' }, says: 'Name too short!' },
  { why: 'too long a name', given: { full_name: 'Z'.repeat(101) }, says: 'Name too long!' },
  { why: 'a name that no one can have', given: { full_name: 'Zoe|8' }, says: 'Invalid format!' },
  { why: 'no name', given: { full_name: '' }, says: 'Name too short!' },
  { why: 'no address', given: { email: 'zoe' }, says: 'Invalid email address' },
  {
    why: 'an address that is taken, in another case',
    given: { email: 'MEL@example.com' },
    says: 'Email is already in use.',
  },
  {
    why: 'too short a password',
    given: { password: '12345' },
    says: 'A password has between 6 and 100 characters',
  },
  {
    why: 'a password that many people have',
    given: { password: 'Password1!' },
    says: 'The password is too weak: it is one of those that many people have',
  },
  {
    why: 'too long a password',
    given: { password: 'x'.repeat(PASSWORD_LENGTH_MAX + 1) },
    says: 'A password has between 6 and 100 characters',
  },
])('the form comes back with what is wrong and what was filled in: $why', async (it) => {
  const server = await startServer();
  const link = await makeLink(server);
  const form = { ...ZOE, full_name: 'Zoe & Co', ...it.given };
  const page = await openPage(link, { method: 'POST', form });
  expect(page.status).toBe(400);
  expect(page.text).toContain(`<p role="alert">${it.says}</p>`);
  expect(page.text).not.toContain(form.password);
  if (form.full_name === 'Zoe & Co') expect(page.text).toContain('value="Zoe &amp; Co"');
  expect(await memberAddresses(server)).toHaveLength(7);
});

test.each(['user4@test.localhost', 'USER999@Test.localhost', 'notification-bot@test.localhost'])(
  'nobody takes an address that the service makes up: %s',
  async (email) => {
    const server = await startServer();
    const { mel, max, ona } = server.people;
    await server.patch(mel, '/settings', { email_address_visibility: 4 });
    const queue = await server.register(ona, { event_types: ['realm_user'] });
    const link = await makeLink(server);
    const page = await openPage(link, { method: 'POST', form: { ...ZOE, email } });
    expect(page.status).toBe(400);
    expect(page.text).toContain('Invalid email address');
    const change = await server.patch(max, '/settings', { email });
    expect(change).toMatchObject({ status: 400, body: { msg: 'Invalid email address' } });
    expect(await queue.now()).toEqual([]);
    const { body } = await server.get(max, `/users/user${mel.id}@test.localhost`);
    expect(body.user.user_id).toBe(mel.id);
  },
);

test('nothing that is filled in becomes markup', async () => {
  const server = await startServer();
  const form = { ...ZOE, full_name: `"><script>alert('x')</script>`, email: `'"<b>@x` };
  const page = await openPage(await makeLink(server), { method: 'POST', form });
  expect(page.status).toBe(400);
  expect(page.text).not.toMatch(/<script|<b>/);
  expect(page.text).toContain('&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;');
});

test('a page runs nothing, is framed nowhere, and its address is told to no other server', async () => {
  const server = await startServer();
  const { headers } = await openPage(await makeLink(server));
  const policy = String(headers['content-security-policy']);
  expect(policy).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  );
  expect(headers).toMatchObject({
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
  });
});

test.each(['/join/aaaaaaaaaaaaaaaaaaaaaaaa/', '/join/x', `/join/${'a'.repeat(5_000)}/`])(
  'a link that nobody made is not found: %s',
  async (path) => {
    const server = await startServer();
    for (const method of ['GET', 'POST']) {
      const page = await openPage(`http://test.localhost:${server.app.port}${path}`, { method });
      expect(page.status).toBe(404);
      expect(page.text).toContain('There is no such invitation.');
    }
  },
);

test('a link of another realm is not found', async () => {
  const server = await startServer();
  const other = await server.addRealm('other');
  const link = await makeLink(server);
  const host = `other.localhost:${server.app.port}`;
  expect((await openPage(link, { method: 'POST', form: ZOE, host })).status).toBe(404);
  expect((await other.get(other.admin, '/users')).body.members).toHaveLength(1);
});

test('an expired link says so, also to who opened it before', async () => {
  const server = await startServer();
  const link = await makeLink(server, { invite_expires_in_minutes: 1 });
  expect((await openPage(link)).status).toBe(200);
  await server.advance(60_000);
  const page = await openPage(link, { method: 'POST', form: ZOE });
  expect(page.status).toBe(410);
  expect(page.text).toContain('This invitation has expired.');
});

test('the invitations of a deactivated account are none any more', async () => {
  const server = await startServer();
  const { ada } = server.people;
  const link = await makeLink(server);
  await server.perform((tx) => {
    const row = tx.users.get([ada.id]) ?? expect.fail('ada is there');
    tx.users.put([ada.id], { ...row, isActive: false });
  });
  expect((await openPage(link)).status).toBe(410);
});

test('an organization keeps to its mail domains and to unique names', async () => {
  const server = await startServer();
  const link = await makeLink(server);
  await server.set('require_unique_names', true);
  await server.perform((tx) => {
    tx.realmDomains.put(['corp.example'], { allowsSubdomains: false });
    tx.realmDomains.put(['wide.example'], { allowsSubdomains: true });
  });
  const join = async (email: string, full_name = 'Zoe New') =>
    (await openPage(link, { method: 'POST', form: { ...ZOE, email, full_name } })).text;
  expect(await join('z@corp.example', 'mel member')).toContain('Unique names required');
  await server.set('emails_restricted_to_domains', true);
  for (const email of ['z@example.com', 'z@sub.corp.example', 'z@notwide.example']) {
    expect(await join(email)).toContain('is not in one of the domains');
  }
  expect(await join('z+1@corp.example')).toContain('Email addresses containing +');
  expect(await join('z@Corp.example')).toContain('Look into your mail');
  expect(await join('y@a.b.wide.example', 'Yan New')).toContain('Look into your mail');
});

test('nobody joins with a disposable address, unless the organization allows them or names its domains', async () => {
  const server = await startServer();
  const link = await makeLink(server);
  const join = (name: string) =>
    openPage(link, {
      method: 'POST',
      form: { ...ZOE, email: `${name}@mailinator.com`, full_name: name },
    });
  const refused = await join('one');
  expect([refused.status, refused.text]).toEqual([
    400,
    expect.stringContaining('Disposable email addresses are not allowed in this organization'),
  ]);
  await server.set('disallow_disposable_email_addresses', false);
  expect((await join('one')).text).toContain('Welcome');
  await server.set('disallow_disposable_email_addresses', true);
  await server.set('emails_restricted_to_domains', true);
  await server.perform((tx) =>
    tx.realmDomains.put(['mailinator.com'], { allowsSubdomains: false }),
  );
  expect((await join('two')).text).toContain('Look into your mail');
});

test('where nobody logs in with a password, nobody joins with one', async () => {
  const server = await startServer();
  const link = await makeLink(server);
  await server.set('authentication_methods', { Email: false });
  const page = await openPage(link, { method: 'POST', form: ZOE });
  expect(page.status).toBe(400);
  expect(page.text).toContain('Password authentication is disabled');
});

test('two who take the same address at once get one account', async () => {
  const server = await startServer();
  const link = await makeLink(server);
  const both = await Promise.all([0, 1].map(() => openPage(link, { method: 'POST', form: ZOE })));
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
  expect(await memberAddresses(server)).toHaveLength(8);
});

test('a channel that is archived and a group that is deactivated since are left out', async () => {
  const server = await startServer({ channels: ['general'] });
  const groupId = await makeGroup(server);
  const link = await makeLink(server, { stream_ids: [1], group_ids: [groupId] });
  await server.perform((tx) => {
    const channel = tx.channels.get([1]) ?? expect.fail('the channel is there');
    tx.channels.put([1], { ...channel, isArchived: true });
    const group = tx.groups.get([groupId]) ?? expect.fail('the group is there');
    tx.groups.put([groupId], { ...group, isDeactivated: true });
  });
  expect((await openPage(link, { method: 'POST', form: ZOE })).status).toBe(200);
  const joined = await server.perform((tx) => [
    tx.subscriptions.has([1, 8]),
    tx.groupMembers.has([groupId, 8]),
  ]);
  expect(joined).toEqual([false, false]);
});

test('methods, sizes and paths that a page does not have', async () => {
  const server = await startServer();
  const link = await makeLink(server);
  const head = await openPage(link, { method: 'HEAD' });
  expect([head.status, head.text]).toEqual([200, '']);
  const options = await openPage(link, { method: 'OPTIONS' });
  expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD, POST, OPTIONS']);
  const wrong = await openPage(link, { method: 'DELETE' });
  expect([wrong.status, wrong.headers.allow]).toEqual([405, 'GET, HEAD, POST']);
  const large = { ...ZOE, more: 'x'.repeat(PAGE_BODY_BYTES_MAX) };
  expect((await openPage(link, { method: 'POST', form: large })).status).toBe(413);
  expect((await openPage(`${link}more`)).status).toBe(404);
  expect((await openPage(link.slice(0, -1))).status).toBe(200);
});

async function makeGroup(server: TestServer): Promise<number> {
  const everyone = systemGroupId('role:everyone');
  return await server.perform((tx) => {
    const id = tx.nextId('group') + 1_000;
    tx.groups.put([id], {
      id,
      name: 'testers',
      description: '',
      dateCreated: 0,
      creatorId: null,
      isDeactivated: false,
      permissions: {
        can_add_members_group: everyone,
        can_join_group: everyone,
        can_leave_group: everyone,
        can_manage_group: everyone,
        can_mention_group: everyone,
        can_remove_members_group: everyone,
      },
    });
    return id;
  });
}
