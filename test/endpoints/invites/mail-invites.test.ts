import { expect, test } from 'vitest';
import {
  INVITATIONS_PER_DAY_MAX,
  INVITEES_LENGTH_MAX,
  INVITEES_PER_REQUEST_MAX,
} from '../../../src/domain/limits/accounts.ts';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import type { Mail } from '../../../src/operations/access/mails.ts';
import * as invitations from '../../../src/operations/accounts/invitations.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import type { Params } from '../../support/client.ts';
import { openPage } from '../../support/pages/page.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { PersonName } from '../../support/users.ts';

const NOW = Date.UTC(2026, 0, 5, 9, 0, 0) / 1000;
const ZOE = { full_name: 'Zoe New', email: 'someone@else.example', password: 'correct horse' };

const invite = (server: TestServer, as: PersonName, emails: string, more: Params = {}) =>
  server.post(server.people[as], '/invites', { invitee_emails: emails, stream_ids: [], ...more });

const failure = (fields: object) => ({
  result: 'error',
  code: 'INVITATION_FAILED',
  daily_limit_reached: false,
  license_limit_reached: false,
  ...fields,
});

test('each address gets a mail with a link of its own, and those who may manage it hear of it', async () => {
  const server = await startServer();
  const { mel, ada, max } = server.people;
  const types = { event_types: ['invites_changed'] };
  const queues = await Promise.all([mel, ada, max].map((one) => server.register(one, types)));
  const emails = 'zoe@example.com, Yan New <yan@example.com>\n ZOE@example.com,\n';
  const { body } = await invite(server, 'mel', emails, { invite_as: 600 });
  expect(body).toEqual(success());
  const sent = await mails(server);
  expect(sent.map(({ to, subject }) => [to, subject])).toEqual([
    ['zoe@example.com', 'Mel Member has invited you to join test'],
    ['yan@example.com', 'Mel Member has invited you to join test'],
  ]);
  const by = new Date((NOW + 864_000) * 1_000).toISOString();
  for (const { text } of sent) {
    expect(linkIn(text)).toMatch(/\/join\/[a-z2-7]{24}\/$/);
    expect(text).toContain(`open this link by ${by.slice(0, 10)} ${by.slice(11, 16)} UTC:\n`);
  }
  expect(new Set(sent.map(({ text }) => linkIn(text))).size).toBe(2);
  const record = {
    invited_by_user_id: mel.id,
    invited: NOW,
    expiry_date: NOW + 864_000,
    invited_as: 600,
    is_multiuse: false,
    notify_referrer_on_join: true,
  };
  expect((await server.get(mel, '/invites')).body.invites).toEqual([
    { id: 1, email: 'zoe@example.com', ...record },
    { id: 2, email: 'yan@example.com', ...record },
  ]);
  const [own, administrators, others] = await Promise.all(queues.map((queue) => queue.now()));
  expect(own).toEqual([{ id: expect.any(Number), type: 'invites_changed' }]);
  expect(administrators).toEqual(own);
  expect(others).toEqual([]);
});

test('the link is good once, for the address it was sent to, and the inviter is told', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await invite(server, 'mel', 'zoe@example.com');
  const link = at(server, linkIn((await mails(server))[0]?.text ?? ''));
  const messages = await server.register(mel, { event_types: ['message', 'invites_changed'] });
  const page = await openPage(at(server, link));
  expect(page.text).toMatch(/name="email"[^>]* value="zoe@example.com"[^>]* readonly/);
  expect((await openPage(at(server, link), { method: 'POST', form: ZOE })).status).toBe(200);
  const login = { username: 'zoe@example.com', password: ZOE.password };
  expect((await server.post(null, '/fetch_api_key', login)).status).toBe(200);
  const heard = await messages.now();
  expect(heard.map(({ type }) => type)).toEqual(['invites_changed', 'message']);
  expect(heard[1]?.['message'].content).toBe('@_**Zoe New|8** accepted your invitation to join!');
  const again = await openPage(at(server, link), { method: 'POST', form: ZOE });
  expect(again.status).toBe(410);
  expect((await server.get(mel, '/invites')).body.invites).toEqual([]);
});

test('4: a snapshot and the events of a mail that is accepted give what a fresh register gives', async () => {
  const server = await startServer();
  await expectExactAfter(server, async () => {
    await invite(server, 'mel', 'zoe@example.com');
    const link = at(server, linkIn((await mails(server))[0]?.text ?? ''));
    expect((await openPage(at(server, link), { method: 'POST', form: ZOE })).status).toBe(200);
  });
});

test('who does not want to be told is not', async () => {
  const server = await startServer();
  await invite(server, 'mel', 'zoe@example.com', { notify_referrer_on_join: false });
  const link = at(server, linkIn((await mails(server))[0]?.text ?? ''));
  await openPage(at(server, link), { method: 'POST', form: ZOE });
  expect(await server.perform((tx) => tx.lastId('message'))).toBe(0);
});

test('addresses that have an account are left out, the others are invited', async () => {
  const server = await startServer();
  const { max, ada } = server.people;
  await server.perform((tx) => {
    const row = tx.users.get([max.id]) ?? expect.fail('max is there');
    tx.users.put([max.id], { ...row, isActive: false });
  });
  const { status, body } = await invite(
    server,
    'ada',
    'Mel@example.com, max@example.com, zoe@example.com',
  );
  const errors = [
    ['Mel@example.com', 'Already has an account.', false],
    ['max@example.com', 'Already has an account.', true],
  ];
  expect([status, body]).toEqual([
    400,
    failure({
      msg: 'Some of those addresses have an account already; all others were invited.',
      errors,
      sent_invitations: true,
    }),
  ]);
  expect((await mails(server)).map(({ to }) => to)).toEqual(['zoe@example.com']);
  expect((await server.get(ada, '/invites')).body.invites).toHaveLength(1);
});

test.each([
  {
    why: 'all have accounts',
    emails: 'mel@example.com',
    msg: "We weren't able to invite anyone.",
    errors: [['mel@example.com', 'Already has an account.', false]],
  },
  {
    why: 'one is malformed',
    emails: 'zoe@example.com, nobody, <>',
    msg: "Some emails did not validate, so we didn't send any invitations.",
    errors: [['nobody', 'Invalid address.', false]],
  },
  {
    why: 'one is too long',
    emails: `zoe@example.com, ${'x'.repeat(250)}@example.com`,
    msg: "Some emails did not validate, so we didn't send any invitations.",
    errors: [[`${'x'.repeat(250)}@example.com`, 'Invalid address.', false]],
  },
])('nobody is invited when $why', async ({ emails, msg, errors }) => {
  const server = await startServer();
  const { status, body } = await invite(server, 'ada', emails);
  expect([status, body]).toEqual([400, failure({ msg, errors, sent_invitations: false })]);
  expect(await mails(server)).toEqual([]);
});

test('addresses outside the domains of the organization stop everything', async () => {
  const server = await startServer();
  await server.set('emails_restricted_to_domains', true);
  await server.perform((tx) => tx.realmDomains.put(['corp.example'], { allowsSubdomains: false }));
  const { body } = await invite(server, 'ada', 'a@corp.example, b@example.com');
  expect(body).toMatchObject({
    code: 'INVITATION_FAILED',
    sent_invitations: false,
    errors: [['b@example.com', expect.stringContaining('not in one of the domains'), false]],
  });
});

test('disposable addresses stop everything, unless the organization allows them', async () => {
  const server = await startServer();
  const { body } = await invite(server, 'ada', 'a@example.com, b@x.Mailinator.com');
  const reason = 'Disposable email addresses are not allowed in this organization';
  expect(body).toMatchObject({
    code: 'INVITATION_FAILED',
    sent_invitations: false,
    errors: [['b@x.Mailinator.com', reason, false]],
  });
  expect(await mails(server)).toEqual([]);
  await server.set('disallow_disposable_email_addresses', false);
  expect((await invite(server, 'ada', 'b@x.Mailinator.com')).status).toBe(200);
});

test.each([
  { as: 'gus', more: {}, msg: 'Not allowed for guest users' },
  { as: 'bot', more: {}, msg: 'This endpoint does not accept bot requests.' },
  {
    as: 'mel',
    more: { invite_as: 300 },
    msg: 'You may invite only with roles that may no more than your own',
  },
  { as: 'ada', more: { stream_ids: [9] }, msg: 'Invalid channel ID 9. No invites were sent.' },
  {
    as: 'ada',
    more: { invitee_emails: ' , \n' },
    msg: 'You must specify at least one email address.',
  },
  {
    as: 'ada',
    more: { invitee_emails: 'x'.repeat(INVITEES_LENGTH_MAX + 1) },
    msg: 'invitee_emails is too long',
  },
  {
    as: 'ada',
    more: { invitee_emails: addresses(INVITEES_PER_REQUEST_MAX + 1) },
    msg: `At most ${INVITEES_PER_REQUEST_MAX} people are invited at once.`,
  },
  {
    as: 'ada',
    more: { notify_referrer_on_join: 1 },
    msg: 'notify_referrer_on_join is not a boolean',
  },
] as const)('$as is refused: $msg', async ({ as, more, msg }) => {
  const server = await startServer();
  const { status, body } = await invite(server, as, 'zoe@example.com', more);
  expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
  expect(await mails(server)).toEqual([]);
});

test('as many as the bound are invited at once', async () => {
  const server = await startServer();
  expect((await invite(server, 'ada', addresses(INVITEES_PER_REQUEST_MAX))).status).toBe(200);
  expect(await mails(server)).toHaveLength(INVITEES_PER_REQUEST_MAX);
});

test.each(['invitee_emails', 'stream_ids'])('inviting needs %s', async (name) => {
  const server = await startServer();
  const params = { invitee_emails: 'zoe@example.com', stream_ids: [], [name]: undefined };
  const { status, body } = await server.post(server.people.ada, '/invites', params);
  expect([status, body.code, body.var_name]).toEqual([400, 'REQUEST_VARIABLE_MISSING', name]);
});

test('who may not invite does not, nor in an open organization who is too new', async () => {
  const server = await startServer();
  await server.set('can_invite_users_group', systemGroupId('role:administrators'));
  expect((await invite(server, 'mel', 'zoe@example.com')).body.msg).toBe('Insufficient permission');
  await server.set('can_invite_users_group', systemGroupId('role:members'));
  await server.set('invite_required', false);
  const { body } = await invite(server, 'mel', 'zoe@example.com');
  expect(body).toEqual(
    failure({
      msg: 'Your account is too new to send invites for this organization. Ask an organization admin, or a more experienced user.',
      errors: [],
      sent_invitations: false,
    }),
  );
  await server.leap(3 * 86_400_000);
  expect((await invite(server, 'mel', 'zoe@example.com')).status).toBe(200);
});

test('so many are invited in a day and not one more', async () => {
  const server = await startServer();
  const { ada } = server.people;
  await server.perform((tx) => {
    const inviter = tx.users.get([ada.id]) ?? expect.fail('ada is there');
    for (let n = 1; n < INVITATIONS_PER_DAY_MAX; n++) {
      const email = `p${n}@example.org`;
      invitations.store(tx, 'email', { ...OFFER, inviter, email, notifiesInviter: false });
    }
  });
  expect((await invite(server, 'ada', 'zoe@example.com')).status).toBe(200);
  const { body } = await invite(server, 'ada', 'yan@example.com');
  expect(body).toMatchObject({
    code: 'INVITATION_FAILED',
    daily_limit_reached: true,
    sent_invitations: false,
  });
  const resent = await server.post(ada, '/invites/1/resend');
  expect([resent.status, resent.body.code]).toEqual([400, 'BAD_REQUEST']);
});

test('an invitation is sent once more with as much time as at first, or revoked', async () => {
  const server = await startServer();
  const { mel, max, ada } = server.people;
  await invite(server, 'mel', 'zoe@example.com', { invite_expires_in_minutes: 10 });
  const [first] = await mails(server);
  await server.advance(660_000);
  expect((await server.get(mel, '/invites')).body.invites).toEqual([]);
  const queue = await server.register(ada, { event_types: ['invites_changed'] });
  expect((await server.post(mel, '/invites/1/resend')).body).toEqual(success());
  expect((await server.get(mel, '/invites')).body.invites).toMatchObject([
    { id: 1, invited: NOW + 660, expiry_date: NOW + 660 + 600 },
  ]);
  const again = (await mails(server)).map(({ text }) => text);
  expect(again).toContain(
    first?.text.replace('by 2026-01-05 09:10 UTC', 'by 2026-01-05 09:21 UTC'),
  );
  expect((await server.post(max, '/invites/1/resend')).body.msg).toBe('Insufficient permission');
  expect((await server.delete(max, '/invites/1')).body.msg).toBe('Insufficient permission');
  expect((await server.delete(ada, '/invites/1')).body).toEqual(success());
  expect(await queue.now()).toHaveLength(2);
  expect((await openPage(at(server, linkIn(first?.text ?? '')))).status).toBe(410);
  for (const reply of [
    await server.delete(ada, '/invites/7'),
    await server.post(ada, '/invites/7/resend'),
    await server.post(ada, '/invites/1/resend'),
  ]) {
    expect([reply.status, reply.body.code, reply.body.msg]).toEqual([
      400,
      'BAD_REQUEST',
      'No such invitation',
    ]);
  }
  const twice = await server.delete(ada, '/invites/1');
  expect(twice.body.msg).toBe('Invitation has already been revoked');
});

test('mails and links are numbered apart', async () => {
  const server = await startServer();
  const { ada } = server.people;
  await server.post(ada, '/invites/multiuse');
  await invite(server, 'ada', 'zoe@example.com');
  await server.delete(ada, '/invites/1');
  expect((await server.get(ada, '/invites')).body.invites).toMatchObject([
    { id: 1, is_multiuse: true },
  ]);
});

const OFFER = {
  expiresInMinutes: null,
  role: 400,
  channelIds: [],
  groupIds: [],
  includesDefaultChannels: false,
  welcomeText: null,
} as const;

function addresses(count: number): string {
  return Array.from({ length: count }, (_, n) => `p${n}@example.org`).join(',');
}

/** Returns the mails that wait to leave the server: the clock stands still, so all of them wait. */
const mails = (server: TestServer) =>
  server.perform((tx) =>
    Array.from(tx.outbox.range({}), ([, { content }]) => content as Mail).filter(
      (content) => 'subject' in content,
    ),
  );

const linkIn = (text: string) => /^http\S+$/m.exec(text)?.[0] ?? '';

/** The link on the port that this server happens to have. */
const at = (server: TestServer, link: string) =>
  link.includes(`:${server.app.port}`)
    ? link
    : link.replace('test.localhost', `test.localhost:${server.app.port}`);

const success = (fields: object = {}) => ({ result: 'success', msg: '', ...fields });
