import { expect, test } from 'vitest';
import {
  INVITATIONS_PER_DAY_MAX,
  PROOFS_PER_LINK_MAX,
} from '../../../src/domain/limits/accounts.ts';
import type { Mail } from '../../../src/operations/access/mails.ts';
import { openPage } from '../../support/pages/page.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const ZOE = { full_name: 'Zoe New', email: 'zoe@corp.example', password: 'correct horse' };

test('where domains are restricted, a link sends a mail, and an account is made by the link in it alone', async () => {
  const { server, link } = await startWithLink();
  const page = await openPage(link);
  expect(page.text).toContain('name="email"');
  expect(page.text).not.toContain('name="password"');

  const submitted = await openPage(link, { method: 'POST', form: ZOE });
  expect([submitted.status, submitted.text.includes('zoe@corp.example')]).toEqual([200, true]);
  expect(await accountOf(server, ZOE.email)).toBeUndefined();
  // A second request for the same address sends no further mail.
  await openPage(link, { method: 'POST', form: { email: 'Zoe@corp.example' } });
  const sent = await mails(server);
  expect(sent.map(({ to }) => to)).toEqual([ZOE.email]);

  const mailed = linkIn(server, sent[0]);
  // The account has the address that was shown, even if the form names another.
  const form = { ...ZOE, email: 'ceo@corp.example' };
  expect((await openPage(mailed, { method: 'POST', form })).status).toBe(200);
  expect(await accountOf(server, ZOE.email)).toMatchObject({ role: 300 });
  expect(await accountOf(server, 'ceo@corp.example')).toBeUndefined();
  expect((await openPage(mailed)).status).toBe(410);
});

test.each([
  { email: 'zoe@else.example', msg: 'is not in one of the domains' },
  { email: 'zoe+more@corp.example', msg: 'containing + are not allowed' },
  { email: 'no address', msg: 'Invalid email address' },
  { email: 'ona@example.com', msg: 'already in use' },
])('no mail is sent to $email', async ({ email, msg }) => {
  const { server, link } = await startWithLink();
  const refused = await openPage(link, { method: 'POST', form: { email } });
  expect([refused.status, refused.text.includes(msg)]).toEqual([400, true]);
  expect(await mails(server)).toEqual([]);
});

test('what was mailed for a link ends with it, and a day later', async () => {
  const { server, link } = await startWithLink();
  await openPage(link, { method: 'POST', form: ZOE });
  await openPage(link, { method: 'POST', form: { email: 'yan@corp.example' } });
  const [zoe, yan] = (await mails(server)).map((mail) => linkIn(server, mail));
  await server.leap(86_400_000);
  expect((await openPage(zoe ?? '')).status).toBe(410);
  await openPage(link, { method: 'POST', form: ZOE });
  const links = (await mails(server)).map((mail) => linkIn(server, mail));
  const again = links.find((one) => one !== zoe && one !== yan) ?? expect.fail('a third mail');
  expect((await openPage(again)).status).toBe(200);
  expect((await server.delete(server.people.ona, '/invites/multiuse/1')).status).toBe(200);
  for (const one of [again, yan ?? '']) {
    expect((await openPage(one, { method: 'POST', form: ZOE })).status).toBe(410);
  }
});

test('a link sends so many mails that nobody answers and not one more, until one of them is answered', async () => {
  const { server, link } = await startWithLink();
  const ask = (email: string) => openPage(link, { method: 'POST', form: { email } });
  await ask(ZOE.email);
  await sendUnanswered(server, PROOFS_PER_LINK_MAX - 2);
  expect((await ask('last@corp.example')).status).toBe(200);
  const refused = await ask('more@corp.example');
  expect([refused.status, refused.text.includes('have not opened the mail')]).toEqual([400, true]);
  const sent = await mails(server);
  expect(sent.map(({ to }) => to)).toEqual([ZOE.email, 'last@corp.example']);
  // An address that has a mail already gets the same answer.
  expect((await ask(ZOE.email)).status).toBe(200);
  const { body } = await server.post(server.people.ona, '/invites/multiuse');
  const other = await openPage(body.invite_link, {
    method: 'POST',
    form: { email: 'more@corp.example' },
  });
  expect(other.status).toBe(200);
  await openPage(linkIn(server, sent[0]), { method: 'POST', form: ZOE });
  expect((await ask('new@corp.example')).status).toBe(200);
});

test('what strangers have mailed by links takes nothing of what members may send in a day', async () => {
  const { server, link } = await startWithLink();
  await openPage(link, { method: 'POST', form: ZOE });
  await sendUnanswered(server, INVITATIONS_PER_DAY_MAX);
  const invited = { invitee_emails: 'yan@corp.example', stream_ids: '[]' };
  const { status } = await server.post(server.people.ona, '/invites', invited);
  expect(status).toBe(200);
});

/** Adds so many more invitations like the last one, to others. */
const sendUnanswered = (server: TestServer, count: number) =>
  server.perform((tx) => {
    const [, row] = [...tx.invitations.under(['email'])].at(-1) ?? expect.fail('none was sent');
    for (let n = 1; n <= count; n++) {
      const email = `stranger${n}@corp.example`;
      tx.invitations.put(['email', row.id + n], { ...row, id: tx.nextId('invitation'), email });
    }
  });

async function startWithLink() {
  const server = await startServer();
  await server.set('emails_restricted_to_domains', true);
  await server.perform((tx) => tx.realmDomains.put(['corp.example'], { allowsSubdomains: false }));
  const offer = { invite_as: 300 };
  const { body } = await server.post(server.people.ona, '/invites/multiuse', offer);
  return { server, link: String(body.invite_link) };
}

const accountOf = (server: TestServer, email: string) =>
  server.perform((tx) => {
    const known = tx.userEmails.get([email]);
    return known && tx.users.get([known.userId]);
  });

const mails = (server: TestServer) =>
  server.perform((tx) =>
    Array.from(tx.outbox.range({}), ([, { content }]) => content as Mail).filter(
      (content) => 'subject' in content,
    ),
  );

/** The link of a mail, at the port that this server happens to have. */
function linkIn(server: TestServer, mail: Mail | undefined): string {
  const path = /\/join\/\w+\//.exec(mail?.text ?? '')?.[0] ?? expect.fail('no link');
  return `http://test.localhost:${server.app.port}${path}`;
}
