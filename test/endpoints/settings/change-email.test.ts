import { request } from 'node:http';
import { SMTPServer } from 'smtp-server';
import { expect, onTestFinished, test } from 'vitest';
import { expectExactAfter } from '../../support/applying/follow.ts';
import { mails } from '../../support/notifications/mails.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { PersonName } from '../../support/users.ts';

const ok = { result: 'success', msg: '' };

test('an address changes once it is confirmed on the page that a mail to it leads to', async () => {
  const server = await startServer();
  const { mel, gus, ada } = server.people;
  const queue = await server.register(gus, { event_types: ['realm_user'] });
  const reply = await server.patch(mel, '/settings', { email: ' melanie@example.org ' });
  expect(reply.body).toEqual(ok);
  const [mail] = await mails(server, 1);
  expect(mail).toContain('To: melanie@example.org');
  expect(mail).toContain('Subject: Confirm your new email address');
  expect(await queue.now()).toEqual([]);
  expect((await server.get(ada, '/users/4')).body.user.delivery_email).toBe(mel.email);

  const page = await open(server, linkIn(mail), 'POST');
  expect([page.status, page.type]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.text).toContain('melanie@example.org');
  const person = { user_id: mel.id };
  const update = { type: 'realm_user', op: 'update' };
  expect((await queue.now()).map(({ id, ...event }) => event)).toEqual([
    { ...update, person: { ...person, delivery_email: 'melanie@example.org' } },
    {
      ...update,
      person: {
        ...person,
        avatar_url: '/avatar/4?v=2',
        avatar_url_medium: '/avatar/4/medium?v=2',
        avatar_source: 'G',
        avatar_version: 2,
      },
    },
    { ...update, person: { ...person, new_email: 'melanie@example.org' } },
  ]);
  const renewed = { ...mel, email: 'melanie@example.org' };
  expect((await server.get(renewed, '/users/me')).status).toBe(200);
  expect((await server.get(mel, '/users/me')).status).toBe(401);
  // The former address gets a mail about it.
  expect((await mails(server, 2)).some((text) => text.includes(`To: ${mel.email}`))).toBe(true);
});

test('opening the link, as programs that look into mails do, changes nothing', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await server.patch(mel, '/settings', { email: 'melanie@example.org' });
  const [mail] = await mails(server, 1);
  const queue = await server.register(mel);
  const page = await open(server, linkIn(mail));
  expect([page.status, page.type]).toEqual([200, 'text/html; charset=utf-8']);
  for (const part of [mel.email, 'melanie@example.org', '<form method="post"><button']) {
    expect(page.text).toContain(part);
  }
  expect(await open(server, linkIn(mail), 'HEAD')).toMatchObject({ status: 200, text: '' });
  expect(await open(server, linkIn(mail))).toEqual(page);
  expect(await queue.now()).toEqual([]);
  expect((await server.get(mel, '/users/me')).body.delivery_email).toBe(mel.email);
  expect((await open(server, linkIn(mail), 'POST')).status).toBe(200);
});

test('what an address holds is shown as text', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await server.patch(mel, '/settings', { email: "o'mel&co@example.org" });
  const [mail] = await mails(server, 1);
  const shown = '<strong>o&#39;mel&amp;co@example.org</strong>';
  expect((await open(server, linkIn(mail))).text).toContain(shown);
});

test('a link is good for once', async () => {
  const server = await startServer();
  await server.patch(server.people.mel, '/settings', { email: 'melanie@example.org' });
  const [mail] = await mails(server, 1);
  expect((await open(server, linkIn(mail), 'POST')).status).toBe(200);
  for (const method of ['GET', 'POST']) {
    const again = await open(server, linkIn(mail), method);
    expect([again.status, again.text], method).toEqual([
      400,
      expect.stringContaining('This link has been used already.'),
    ]);
  }
});

test.each([
  {
    why: 'a day has passed',
    async spoil(server: TestServer) {
      server.clock.advance(86_400_000);
      await server.perform(() => undefined);
    },
    msg: 'This link has expired.',
  },
  {
    why: 'somebody else has the address by now',
    spoil: (server: TestServer) =>
      server.perform((tx) => tx.userEmails.put(['melanie@example.org'], { userId: 5 })),
    msg: 'Already has an account.',
  },
  {
    why: 'the organization allows no changes any more',
    spoil: (server: TestServer) => server.set('email_changes_disabled', true),
    msg: 'Email address changes are disabled in this organization.',
  },
  {
    why: 'the organization has named its domains',
    spoil: (server: TestServer) => server.set('emails_restricted_to_domains', true),
    msg: 'is not in one of the domains that are allowed',
  },
])('a link does nothing when $why', async ({ spoil, msg }) => {
  const server = await startServer();
  const { mel } = server.people;
  await server.patch(mel, '/settings', { email: 'melanie@example.org' });
  const [mail] = await mails(server, 1);
  await spoil(server);
  for (const method of ['GET', 'POST']) {
    const page = await open(server, linkIn(mail), method);
    expect(page.status, method).toBe(400);
    expect(page.text).toContain(msg);
  }
  expect((await server.get(mel, '/users/me')).body.delivery_email).toBe(mel.email);
});

test.each(['x', `4x${'0'.repeat(64)}`, `999x${'0'.repeat(64)}`])(
  'a made-up link is not valid: %s',
  async (key) => {
    const server = await startServer();
    for (const method of ['GET', 'POST']) {
      const page = await open(server, `/accounts/confirm_new_email/${key}`, method);
      expect([page.status, page.text]).toEqual([400, expect.stringContaining('not valid')]);
    }
  },
);

test.each<{ email: string; msg: string; as?: PersonName }>([
  { email: 'nobody', msg: 'Invalid email address' },
  { email: '', msg: 'Invalid email address' },
  { email: `${'x'.repeat(250)}@example.com`, msg: 'Invalid email address' },
  { email: 'a@b.c\r\nBcc: d@e.f', msg: 'Invalid email address' },
  { email: 'MAX@example.com', msg: 'Already has an account.' },
  {
    email: 'mel@mailinator.com',
    msg: 'Disposable email addresses are not allowed in this organization',
  },
])('is refused: $email', async ({ email, msg }) => {
  const server = await startServer();
  const reply = await server.patch(server.people.mel, '/settings', { email });
  expect([reply.status, reply.body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
});

test('a new address keeps to the domains of the organization, which may be disposable ones', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const ask = (email: string) => server.patch(mel, '/settings', { email });
  await server.set('emails_restricted_to_domains', true);
  await server.perform((tx) =>
    tx.realmDomains.put(['mailinator.com'], { allowsSubdomains: false }),
  );
  expect((await ask('mel@example.org')).body).toMatchObject({
    code: 'BAD_REQUEST',
    msg: expect.stringContaining('mel@example.org, is not in one of the domains'),
  });
  expect((await ask('mel+1@mailinator.com')).body).toMatchObject({
    code: 'BAD_REQUEST',
    msg: 'Email addresses containing + are not allowed in this organization.',
  });
  expect((await ask('mel@mailinator.com')).body).toEqual(ok);
});

test('a disposable address is allowed where the organization says so', async () => {
  const server = await startServer();
  await server.set('disallow_disposable_email_addresses', false);
  const change = { email: 'mel@mailinator.com' };
  expect((await server.patch(server.people.mel, '/settings', change)).body).toEqual(ok);
});

test('where addresses are locked, only administrators may ask', async () => {
  const server = await startServer();
  await server.set('email_changes_disabled', true);
  const ask = (name: PersonName) =>
    server.patch(server.people[name], '/settings', { email: `new-${name}@example.com` });
  expect((await ask('mel')).body).toMatchObject({
    code: 'BAD_REQUEST',
    msg: 'Email address changes are disabled in this organization.',
  });
  expect((await ask('ada')).body).toEqual(ok);
});

test('two changes an hour and five a day may be asked for', async () => {
  const server = await startServer();
  const { mel } = server.people;
  let count = 0;
  const ask = async () => {
    count += 1;
    const reply = await server.patch(mel, '/settings', { email: `mel${count}@example.org` });
    return reply.status === 200 ? 'ok' : [reply.status, reply.body.code, reply.body['retry-after']];
  };
  const pass = async (hours: number) => {
    server.clock.advance(hours * 3_600_000);
    await server.perform(() => undefined);
  };
  expect([await ask(), await ask()]).toEqual(['ok', 'ok']);
  expect(await ask()).toEqual([429, 'RATE_LIMIT_HIT', 3_600]);
  await pass(1);
  expect([await ask(), await ask()]).toEqual(['ok', 'ok']);
  await pass(1);
  expect(await ask()).toBe('ok');
  await pass(1);
  expect(await ask()).toEqual([429, 'RATE_LIMIT_HIT', 21 * 3_600]);
  await pass(21);
  expect(await ask()).toBe('ok');
});

test.each([1, 2, 4])(
  'a snapshot and the events of a new address give what a fresh register gives, seen by %s',
  async (email_address_visibility) => {
    const server = await startServer();
    const { mel, ada, gus, max } = server.people;
    await server.patch(mel, '/settings', { email_address_visibility });
    const change = async () => {
      await server.patch(mel, '/settings', { email: 'melanie@example.org' });
      const [mail] = await mails(server, 1);
      await open(server, linkIn(mail), 'POST');
    };
    await expectExactAfter(server, change, { people: [ada, gus, max] });
  },
);

test('mails go to the mail server that is configured', async () => {
  const received: string[] = [];
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address).join();
        received.push(`${to}\n${Buffer.concat(chunks).toString()}`);
        done();
      });
    },
  });
  await new Promise<void>((resolve) => void smtp.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => void smtp.close(() => resolve())));
  const { port } = smtp.server.address() as { port: number };
  const server = await startServer({ env: { CONFAB_SMTP_URL: `smtp://127.0.0.1:${port}` } });
  await server.patch(server.people.mel, '/settings', { email: 'melanie@example.org' });
  const receivedLater = () => {
    server.clock.advance(1);
    return received;
  };
  await expect.poll(receivedLater).toHaveLength(1);
  const [mail = ''] = received;
  expect(mail.startsWith('melanie@example.org\n')).toBe(true);
  expect((await open(server, linkIn(mail))).status).toBe(200);
});

/** The path of the link, whose lines a mail may have broken. */
const linkIn = (mail: string | undefined) =>
  /\/accounts\/confirm_new_email\/\w+/.exec((mail ?? '').replace(/=\r?\n/g, ''))?.[0] ??
  expect.fail('there is a link');

function open(server: TestServer, path: string, method = 'GET') {
  return new Promise<{ status: number; type: string; text: string }>((resolve, reject) => {
    const { port } = server.app;
    const headers = { host: `test.localhost:${port}` };
    request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        resolve({
          status: response.statusCode ?? 0,
          type: response.headers['content-type'] ?? '',
          text: Buffer.concat(chunks).toString(),
        });
      });
    })
      .on('error', reject)
      .end();
  });
}
