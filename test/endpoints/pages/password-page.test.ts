import { expect, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import { PASSWORD_LINK_LIFE_MS } from '../../../src/domain/limits/accounts.ts';
import { PASSWORD_LENGTH_MAX } from '../../../src/domain/limits/credentials.ts';
import { mails } from '../../support/notifications/mails.ts';
import { openPage } from '../../support/pages/page.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const NEW = 'battery staple 7';

async function makeLink(server: TestServer, more: object = {}): Promise<string> {
  const args = { email: server.people.mel.email, ...more };
  const [line] = await runCommand(server.app.realms, 'user password-link', args);
  const { url } = line as { url: string };
  return `http://127.0.0.1:${server.app.port}${new URL(url).pathname}`;
}

const logIn = async (server: TestServer, password: string) =>
  (await server.post(null, '/fetch_api_key', { username: server.people.mel.email, password })).body;

const submit = (link: string, password: string) =>
  openPage(link, { method: 'POST', form: { password } });

test('somebody without a password sets one by a link, and all keys and queues end', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  const parked = (await server.register(mel)).poll();
  await server.patch(mel, '/settings', { email: 'thief@example.com' });
  const [link, other] = [await makeLink(server), await makeLink(server)];

  const page = await openPage(link);
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.text).toMatch(/<input name="password" type="password" autocomplete="new-password" /);
  expect(page.text).toContain(`value="${mel.email}" readonly`);
  // Looking at the page changes nothing.
  expect((await server.get(mel, '/users/me')).status).toBe(200);

  const done = await submit(link, NEW);
  expect(done.status).toBe(200);
  expect(done.text).toContain(`<strong>${mel.email}</strong>`);
  expect(await logIn(server, NEW)).toMatchObject({ result: 'success', user_id: mel.id });
  expect((await server.get(mel, '/users/me')).status).toBe(401);
  expect((await parked).body.events).toEqual([]);
  expect((await server.get(max, '/users/me')).status).toBe(200);
  const left = await server.perform((tx) => [...tx.emailChanges.keysUnder([mel.id])]);
  expect(left).toEqual([]);

  const again = await submit(link, 'another staple 8');
  expect([again.status, again.text]).toEqual([400, expect.stringContaining('been used already')]);
  expect((await submit(other, 'another staple 8')).text).toContain('This link is not valid.');
  expect(await logIn(server, NEW)).toMatchObject({ result: 'success' });
  expect(server.bugs).toEqual([]);
});

test.each([
  { why: 'too short', password: 'short', says: 'between 6 and 100' },
  { why: 'too long', password: 'x'.repeat(PASSWORD_LENGTH_MAX + 1), says: 'between 6 and 100' },
  { why: 'too common', password: 'password', says: 'too weak' },
])('a password that is $why is refused, and the link goes on', async ({ password, says }) => {
  const server = await startServer();
  const link = await makeLink(server);
  const refused = await submit(link, password);
  expect(refused.status).toBe(400);
  expect(refused.text).toMatch(new RegExp(`role="alert">[^<]*${says}`));
  expect(refused.text).not.toContain(`value="${password}"`);
  expect((await server.get(server.people.mel, '/users/me')).status).toBe(200);
  expect((await submit(link, NEW)).status).toBe(200);
});

test('a link lasts a day, and no longer', async () => {
  const server = await startServer();
  const link = await makeLink(server);
  await server.leap(PASSWORD_LINK_LIFE_MS - 1_000);
  expect((await openPage(link)).status).toBe(200);
  await server.leap(1_000);
  for (const page of [await openPage(link), await submit(link, NEW)]) {
    expect(page.status).toBe(400);
    expect(page.text).toContain('This link has expired.');
  }
  // Its row goes with the next link.
  await makeLink(server);
  const rows = await server.perform((tx) => [
    ...tx.passwordLinks.keysUnder([server.people.mel.id]),
  ]);
  expect(rows).toHaveLength(1);
});

test('a link ends with another change of the password, and with its account', async () => {
  const server = await startServer();
  const { ada, mel } = server.people;
  const first = await makeLink(server);
  await runCommand(server.app.realms, 'user password', { email: mel.email, password: NEW });
  expect((await openPage(first)).text).toContain('This link is not valid.');

  const second = await makeLink(server);
  await server.delete(ada, `/users/${mel.id}`);
  expect((await openPage(second)).text).toContain('role="alert"');
  await expect(makeLink(server)).rejects.toThrow('deactivated');
  await server.post(ada, `/users/${mel.id}/reactivate`);
  expect((await openPage(second)).text).toContain('This link is not valid.');
});

test('a bot has no link, nor anybody where passwords are off', async () => {
  const server = await startServer();
  await expect(makeLink(server, { email: server.people.bot.email })).rejects.toThrow(
    'A bot has no password.',
  );
  const link = await makeLink(server);
  await server.set('authentication_methods', { Email: false });
  expect((await openPage(link)).text).toContain('role="alert"');
  await expect(makeLink(server)).rejects.toMatchObject({ code: 'PASSWORD_AUTH_DISABLED' });
});

test('two who use a link at once set one password', async () => {
  const server = await startServer();
  const link = await makeLink(server);
  const pages = await Promise.all([submit(link, NEW), submit(link, 'another staple 8')]);
  expect(pages.map(({ status }) => status).sort()).toEqual([200, 400]);
  const winner = pages[0]?.status === 200 ? NEW : 'another staple 8';
  expect(await logIn(server, winner)).toMatchObject({ result: 'success' });
});

test('a link is mailed instead of printed, and a mail says that the password was set', async () => {
  const server = await startServer();
  const { email } = server.people.mel;
  const [line] = await runCommand(server.app.realms, 'user password-link', { email, mail: true });
  expect(line).toEqual({
    ...{ user_id: server.people.mel.id, email, mailed_to: email },
    expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  });
  const [asked = ''] = await mails(server, 1);
  expect(asked).toContain(`To: ${email}`);
  expect(asked).toContain('Subject: Set your password');
  const path = /\/accounts\/password\/\w+/.exec(asked.replace(/=\r?\n/g, ''))?.[0] ?? '';
  expect((await submit(`http://127.0.0.1:${server.app.port}${path}`, NEW)).status).toBe(200);
  const both = await mails(server, 2);
  expect(both.filter((mail) => mail.includes('Subject: Your password was set'))).toHaveLength(1);
});
