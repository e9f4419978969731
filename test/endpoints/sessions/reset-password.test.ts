import { expect, test } from 'vitest';
import { PASSWORD_LINKS_MAX, PASSWORD_RESETS_MAX } from '../../../src/domain/limits/accounts.ts';
import { withMailServer } from '../../support/notifications/mail-server.ts';
import { openPage } from '../../support/pages/page.ts';
import { givePasswords, openBrowser } from '../../support/people/session-browser.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const NEW = 'battery staple 7';
const PAGE = '/accounts/password/reset/';

test('who has forgotten a password is mailed a link, by which all sessions and keys end', async () => {
  const mailing = await withMailServer();
  const { server } = mailing;
  const { mel } = server.people;
  await givePasswords(server, mel);
  const browser = openBrowser(server);
  await browser.logIn(mel);
  const { body } = await browser.get('/server_settings');
  expect(body.service_password_reset_enabled).toBe(true);
  const stranger = openBrowser(server);
  const asked = await stranger.send('POST', '/password_reset', { username: mel.email });
  expect(asked).toMatchObject({ status: 200, body: { result: 'success', msg: '' } });
  const link = await linkIn(mailing, mel.email);
  expect((await browser.get('/users/me')).status).toBe(200);
  const done = await openPage(link, { method: 'POST', form: { password: NEW } });
  expect(done.status).toBe(200);
  expect((await browser.get('/users/me')).status).toBe(401);
  expect((await server.get(mel, '/users/me')).status).toBe(401);
  expect((await stranger.logIn(mel, NEW)).status).toBe(200);
});

test('the page for it needs no script, and shows the same for every address', async () => {
  const mailing = await withMailServer();
  const { server } = mailing;
  const { mel } = server.people;
  const url = `http://127.0.0.1:${server.app.port}`;
  for (const path of [PAGE, PAGE.slice(0, -1)]) {
    const page = await openPage(`${url}${path}`);
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toContain('<input name="email" type="email" autocomplete="username"');
  }
  const ask = (email: string) => openPage(`${url}${PAGE}`, { method: 'POST', form: { email } });
  const known = await ask(mel.email);
  const unknown = await ask('nobody@example.com');
  expect([known.status, unknown.status]).toEqual([200, 200]);
  const blurred = (text: string, email: string) => text.replaceAll(email, 'EMAIL');
  expect(blurred(known.text, mel.email)).toBe(blurred(unknown.text, 'nobody@example.com'));
  expect(await linkIn(mailing, mel.email)).toContain('/accounts/password/');
  const faulty = await ask('<b>');
  expect([faulty.status, faulty.text]).toEqual([400, expect.stringContaining('role="alert"')]);
  expect(faulty.text).toContain('value="&lt;b&gt;"');
});

test('no answer tells whether there is an account, and only accounts that may have a link get one', async () => {
  const mailing = await withMailServer();
  const { server } = mailing;
  const { ada, mel, max, bot } = server.people;
  await server.delete(ada, `/users/${max.id}`);
  const answers = [];
  for (const username of [mel.email, max.email, bot.email, 'nobody@example.com']) {
    const { status, body } = await server.post(null, '/password_reset', { username });
    answers.push({ status, body });
  }
  expect(answers).toEqual(Array(4).fill({ status: 200, body: { result: 'success', msg: '' } }));
  await linkIn(mailing, mel.email);
  expect(mailing.received.map(({ to }) => to)).toEqual([mel.email]);
});

test('an account gets five links that were not used, and an address asks ten times', async () => {
  const mailing = await withMailServer();
  const { server } = mailing;
  const { mel } = server.people;
  const ask = (localAddress: string) =>
    server.request('POST', '/password_reset', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `username=${mel.email}`,
      localAddress,
    });
  const few = await Promise.all(
    Array.from({ length: PASSWORD_RESETS_MAX }, () => ask('127.0.0.2')),
  );
  expect(few.map(({ status }) => status)).toEqual(Array(PASSWORD_RESETS_MAX).fill(200));
  expect(await ask('127.0.0.2')).toMatchObject({ status: 429, body: { code: 'RATE_LIMIT_HIT' } });
  expect((await ask('127.0.0.3')).status).toBe(200);
  const links = () => server.perform((tx) => [...tx.passwordLinks.keysUnder([mel.id])].length);
  expect(await links()).toBe(PASSWORD_LINKS_MAX);
  await server.leap(86_400_000);
  expect((await ask('127.0.0.2')).status).toBe(200);
  expect(await links()).toBe(1);
});

test.each([
  { why: 'no address', username: 'mel', code: 'BAD_REQUEST' },
  { why: 'a long one', username: `${'x'.repeat(400)}@example.com`, code: 'BAD_REQUEST' },
  { why: 'nothing', code: 'REQUEST_VARIABLE_MISSING' },
])('a request for a link is refused: $why', async ({ username, code }) => {
  const { server } = await withMailServer();
  const reply = await server.post(null, '/password_reset', { username });
  expect(reply).toMatchObject({ status: 400, body: { code } });
});

test('a server that sends no mails says so, and so does an organization without passwords', async () => {
  const without = await startServer();
  const { mel } = without.people;
  const page = `http://127.0.0.1:${without.app.port}${PAGE}`;
  const reply = await without.post(null, '/password_reset', { username: mel.email });
  expect(reply).toMatchObject({ status: 400, body: { msg: expect.stringContaining('no mails') } });
  expect((await openBrowser(without).get('/server_settings')).body).toMatchObject({
    service_password_reset_enabled: false,
  });
  for (const method of ['GET', 'POST']) {
    const shown = await openPage(page, { method, form: { email: mel.email } });
    expect([shown.status, shown.text]).toEqual([400, expect.stringContaining('sends no mails')]);
  }
  expect(await without.perform((tx) => [...tx.passwordLinks.keys({})])).toEqual([]);

  const { server } = await withMailServer();
  await server.set('authentication_methods', { Email: false });
  const refused = await server.post(null, '/password_reset', { username: mel.email });
  expect(refused.body.code).toBe('PASSWORD_AUTH_DISABLED');
  expect((await openBrowser(server).get('/server_settings')).body).toMatchObject({
    service_password_reset_enabled: false,
  });
});

/** The link in the mail to this address, by the address at which the test reaches the server. */
async function linkIn(mailing: Awaited<ReturnType<typeof withMailServer>>, to: string) {
  const { server }: { server: TestServer } = mailing;
  const found = () => {
    server.clock.advance(1);
    return mailing.received.filter((mail) => mail.to === to);
  };
  await expect.poll(found).not.toEqual([]);
  const [, path] =
    /https?:\/\/[^/\s]+(\/accounts\/password\/\w+)/.exec(found()[0]?.text ?? '') ?? [];
  expect(path).toBeDefined();
  return `http://127.0.0.1:${server.app.port}${path}`;
}
