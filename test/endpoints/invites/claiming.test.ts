import { expect, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import type { Mail } from '../../../src/operations/access/mails.ts';
import { accept } from '../../../src/operations/accounts/joining.ts';
import { mailForgotten } from '../../../src/operations/accounts/passwords.ts';
import { enterUser } from '../../../src/operations/importing/people.ts';
import { openPage } from '../../support/pages/page.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const PASSWORD = 'correct horse 7';

/** Adds an account as an import does. Returns its id. */
function imported(
  server: TestServer,
  name: string,
  role: 'owner' | 'member' | 'guest' = 'member',
  keepsRoles = false,
): Promise<number> {
  const email = `${name}@example.com`;
  return server.perform((tx, site) => {
    const of = { source: 'slack:old', format: 'slack', site, keepsRoles };
    enterUser(tx, of, { id: name, email, name: `Old ${name}`, role });
    return tx.userEmails.get([email])?.userId ?? 0;
  });
}

const account = (server: TestServer, id: number) => server.perform((tx) => tx.users.get([id]));

const mailsTo = (server: TestServer, to: string) =>
  server.perform((tx) =>
    Array.from(tx.outbox.range({}), ([, { content }]) => content as Mail).filter(
      (mail) => mail.to === to,
    ),
  );

/** The address of a page of this server that a text names. */
function pageIn(server: TestServer, text: string): string {
  const [, path] =
    /https?:\/\/[^/\s]+(\/\S+)/.exec(text.slice(text.lastIndexOf('open this'))) ?? [];
  return `http://127.0.0.1:${server.app.port}${path}`;
}

const invite = (server: TestServer, as: Person, name: string, more: object = {}) =>
  server.post(as, '/invites', {
    invitee_emails: `${name}@example.com`,
    stream_ids: [],
    ...more,
  });

const join = (url: string, name: string, full_name = 'New Name') =>
  openPage(url, {
    method: 'POST',
    form: { full_name, email: `${name}@example.com`, password: PASSWORD },
  });

const logIn = async (server: TestServer, name: string) =>
  (
    await server.post(null, '/fetch_api_key', {
      username: `${name}@example.com`,
      password: PASSWORD,
    })
  ).body;

test('an invitation by mail hands over the account that an import made, with its rights', async () => {
  const server = await startServer();
  const { ona, ada, max } = server.people;
  await server.set('invite_required', true);
  const id = await imported(server, 'zoe');
  const { body } = await invite(server, ada, 'zoe', { invite_as: 400 });
  expect(body).toMatchObject({ result: 'success' });
  expect(await account(server, id)).toMatchObject({ isActive: false });
  const [mail] = await mailsTo(server, 'zoe@example.com');
  const url = pageIn(server, mail?.text ?? '');

  // A name that none may have is refused, and the invitation goes on.
  expect((await join(url, 'zoe', 'x')).status).toBe(400);
  expect(await logIn(server, 'zoe')).toMatchObject({ result: 'error' });
  expect((await join(url, 'zoe')).status).toBe(200);
  expect(await account(server, id)).toMatchObject({
    isActive: true,
    fullName: 'New Name',
    role: 400,
    email: 'zoe@example.com',
  });
  expect(await logIn(server, 'zoe')).toMatchObject({ result: 'success', user_id: id });
  const audit = (await runCommand(server.app.realms, 'audit', { realm: 'test' })) as object[];
  expect(audit).toContainEqual(
    expect.objectContaining({ kind: 'user', op: 'update', target: id, user_id: id }),
  );

  // It works once, and the account is like any other from now on.
  expect((await join(url, 'zoe')).status).toBe(410);
  expect((await invite(server, ada, 'zoe')).body).toMatchObject({ code: 'INVITATION_FAILED' });
  await server.delete(ona, `/users/${id}`);
  const refused = await invite(server, ada, 'zoe');
  expect(refused.body).toMatchObject({ errors: [['zoe@example.com', expect.anything(), true]] });

  // An import in a realm that is there makes nobody an owner.
  const chief = await imported(server, 'chief', 'owner');
  expect(await account(server, chief)).toMatchObject({ role: 400 });
  // In a realm that it has made, the inviter does not give more rights than they have.
  const boss = await imported(server, 'boss', 'owner', true);
  expect(await account(server, boss)).toMatchObject({ role: 100 });
  await invite(server, max, 'boss');
  const [toBoss] = await mailsTo(server, 'boss@example.com');
  expect((await join(pageIn(server, toBoss?.text ?? ''), 'boss')).status).toBe(200);
  expect(await account(server, boss)).toMatchObject({ isActive: true, role: 400 });
  const head = await imported(server, 'head', 'owner', true);
  await invite(server, ona, 'head');
  const [toHead] = await mailsTo(server, 'head@example.com');
  await join(pageIn(server, toHead?.text ?? ''), 'head');
  expect(await account(server, head)).toMatchObject({ isActive: true, role: 100 });
  expect(server.bugs).toEqual([]);
});

test('a link that many have hands over nothing: it mails a link to the address', async () => {
  const server = await startServer();
  const { ona } = server.people;
  const id = await imported(server, 'zoe');
  const { body } = await server.post(ona, '/invites/multiuse', { invite_as: 400 });
  const link = String(body.invite_link);
  const tried = await join(link, 'zoe');
  expect([tried.status, tried.text]).toEqual([200, expect.stringContaining('Look into your mail')]);
  expect(await account(server, id)).toMatchObject({
    isActive: false,
    fullName: 'Old zoe',
    passwordHash: null,
  });
  expect(await logIn(server, 'zoe')).toMatchObject({ result: 'error' });
  // The page before the operation is not what protects it.
  const key = /\/join\/([a-z2-7]+)\//.exec(link)?.[1] ?? '';
  const given = { key, fullName: 'Thief', email: 'zoe@example.com', passwordHash: 'x' };
  await expect(server.perform((tx, site) => accept(tx, site, given))).rejects.toThrow(
    'Email is already in use.',
  );
  const made = await server.post(ona, '/users', {
    full_name: 'Thief',
    email: 'zoe@example.com',
    password: PASSWORD,
  });
  expect(made.body).toMatchObject({ result: 'error', msg: 'Email is already in use.' });

  const [mail] = await mailsTo(server, 'zoe@example.com');
  expect((await join(pageIn(server, mail?.text ?? ''), 'zoe')).status).toBe(200);
  expect(await logIn(server, 'zoe')).toMatchObject({ result: 'success', user_id: id });
  // An address without an account needs no proof.
  expect((await join(link, 'yan')).status).toBe(200);
  expect(await logIn(server, 'yan')).toMatchObject({ result: 'success' });
});

test('an account without an address gets a link by hand, and no mail is sent to what it has', async () => {
  const server = await startServer();
  const id = await server.perform((tx, site) => {
    const of = { source: 'discord:old', format: 'discord', site, keepsRoles: false };
    enterUser(tx, of, { id: '7', name: 'Noa' });
    return tx.importedIds.get(['discord:old', 'user', '7'])?.id ?? 0;
  });
  const email = (await account(server, id))?.email ?? '';
  expect(email).toMatch(/@imported\.invalid$/);
  const mailed = runCommand(server.app.realms, 'user password-link', { email, mail: true });
  await expect(mailed).rejects.toThrow(/^No mail reaches .*: make the link without --mail$/);
  const [line] = await runCommand(server.app.realms, 'user password-link', { email });
  const { pathname } = new URL((line as { url: string }).url);
  const page = `http://127.0.0.1:${server.app.port}${pathname}`;
  const done = await openPage(page, { method: 'POST', form: { password: PASSWORD } });
  expect(done.status).toBe(200);
  expect(await account(server, id)).toMatchObject({ isActive: true });
  expect(await mailsTo(server, email)).toEqual([]);
});

test('a link for a password opens an account that an import made, when it is used', async () => {
  const server = await startServer();
  const { ada } = server.people;
  const id = await imported(server, 'zoe');
  const email = 'zoe@example.com';
  // A request for a forgotten password opens none.
  await server.perform((tx, site) => mailForgotten(tx, { username: email, site }));
  expect(await mailsTo(server, email)).toEqual([]);
  const [line] = await runCommand(server.app.realms, 'user password-link', { email });
  const url = new URL((line as { url: string }).url);
  const page = `http://127.0.0.1:${server.app.port}${url.pathname}`;
  expect((await openPage(page)).text).toContain(`value="${email}" readonly`);
  expect(await account(server, id)).toMatchObject({ isActive: false });
  const done = await openPage(page, { method: 'POST', form: { password: PASSWORD } });
  expect(done.status).toBe(200);
  expect(await account(server, id)).toMatchObject({ isActive: true, fullName: 'Old zoe' });
  expect(await server.perform((tx) => tx.placeholders.has([id]))).toBe(false);
  expect(await logIn(server, 'zoe')).toMatchObject({ result: 'success', user_id: id });
  const again = await openPage(page, { method: 'POST', form: { password: PASSWORD } });
  expect([again.status, again.text]).toEqual([400, expect.stringContaining('been used already')]);

  // An account that was deactivated gets none, and a link that was made before is of no use.
  const [other] = await runCommand(server.app.realms, 'user password-link', { email });
  await server.delete(ada, `/users/${id}`);
  await expect(runCommand(server.app.realms, 'user password-link', { email })).rejects.toThrow(
    /deactivated/,
  );
  const late = `http://127.0.0.1:${server.app.port}${new URL((other as { url: string }).url).pathname}`;
  expect((await openPage(late, { method: 'POST', form: { password: PASSWORD } })).status).toBe(400);
  expect(await account(server, id)).toMatchObject({ isActive: false });
  expect(await mailsTo(server, email)).toHaveLength(1);
});
