import { writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hashPassword } from '../../../src/endpoints/server/password-hash.ts';
import {
  ADMIN,
  BASE,
  groupOf,
  isSlapdMissing,
  startDirectory,
} from '../../support/people/slapd.ts';
import { temporaryFolder } from '../../support/scratch.ts';
import { startServer } from '../../support/start-server.ts';

const ZOE = { uid: 'zoe', name: 'Zoe Zhou', mail: 'zoe@example.com', password: 'quince-tart' };
const ABE = { uid: 'abe', name: 'Abe Archer', mail: 'abe@example.com', password: 'plum-cake-9' };

const entryFor = (url: string) => ({
  type: 'ldap',
  name: 'office',
  display_name: 'The Office',
  url,
  allows_plain_text: true,
  bind_dn: ADMIN.dn,
  bind_password: { env: 'LDAP_PASSWORD' },
  base: `ou=people,${BASE}`,
  timeout_ms: 2_000,
});

/** The password of mel at this server. */
const PASSWORD = 'correct horse';
const HASH = hashPassword(PASSWORD);

async function serve(entry: object) {
  const path = join(temporaryFolder(), 'sign-in.json');
  writeFileSync(path, JSON.stringify({ entries: [entry] }));
  const server = await startServer({
    env: { CONFAB_SIGN_IN: path, LDAP_PASSWORD: ADMIN.password },
  });
  await server.set('invite_required', false);
  const logIn = (username: string, password: string) =>
    server.post(null, '/fetch_api_key', { username, password });
  const passwordHash = await HASH;
  const { mel } = server.people;
  await server.perform((tx) => {
    const row = tx.users.get([mel.id]);
    if (row) tx.users.put([mel.id], { ...row, passwordHash });
  });
  return { server, logIn };
}

async function started(entry: object = {}) {
  const directory = await startDirectory();
  directory.add(ZOE, ABE);
  return { directory, ...(await serve({ ...entryFor(directory.url), ...entry })) };
}

const FAILED = {
  status: 401,
  body: { code: 'AUTHENTICATION_FAILED', msg: 'Your username or password is incorrect' },
};

describe.skipIf(isSlapdMissing)('a log-in by a directory', () => {
  test('takes a name or an address, and a wrong password is wrong', async () => {
    const { server, logIn } = await started();
    const settings = await server.get(null, '/server_settings');
    expect(settings.body).toMatchObject({
      authentication_methods: { ldap: true, password: true },
      require_email_format_usernames: false,
    });
    const byName = await logIn('zoe', ZOE.password);
    expect(byName).toMatchObject({ status: 200, body: { email: ZOE.mail } });
    const byAddress = await logIn('Zoe@Example.com', ZOE.password);
    expect(byAddress.body['user_id']).toBe(byName.body['user_id']);
    expect(await logIn('zoe', ABE.password)).toMatchObject(FAILED);
    expect(await logIn('nobody', ZOE.password)).toMatchObject(FAILED);
    const row = await server.perform((tx) => tx.users.get([Number(byName.body['user_id'])]));
    expect(row).toMatchObject({ fullName: 'Zoe Zhou', role: 400, passwordHash: null });
    expect(server.bugs).toEqual([]);
  });

  test('never sends an empty password, which a directory accepts for nobody', async () => {
    const { logIn } = await started();
    expect(await logIn('zoe', '')).toMatchObject({ body: { result: 'error' } });
    expect((await logIn('zoe', '')).status).toBe(401);
  });

  test('searches for what was typed, as it was', async () => {
    const { directory, server, logIn } = await started();
    const names = ['*', 'z*', 'zoe)(uid=*', '*)(objectClass=*', 'zoe\\2a', '\\', '(', 'zo\0e'];
    for (const name of [...names, '{name}']) {
      expect(await logIn(name, ZOE.password)).toMatchObject(FAILED);
    }
    directory.add({ ...ZOE, uid: 'o(scar)*', mail: 'oscar@example.com' });
    expect(await logIn('o(scar)*', ZOE.password)).toMatchObject({ status: 200 });
    expect(server.bugs).toEqual([]);
  });

  test('limits guesses of one person, however the name is spelled', async () => {
    const { logIn } = await started();
    const spellings = ['zoe', 'ZOE', 'Zoe', ZOE.mail, 'ZOE@example.com'];
    for (const one of spellings) expect(await logIn(one, 'wrong-one')).toMatchObject(FAILED);
    expect(await logIn('zoe', ZOE.password)).toMatchObject({ status: 429 });
    expect(await logIn('abe', ABE.password)).toMatchObject({ status: 200 });
  });

  test('leaves passwords of others alone, also while the directory is down', async () => {
    const { directory, server, logIn } = await started();
    const { mel } = server.people;
    const local = () => logIn(mel.email, PASSWORD);
    expect(await local()).toMatchObject({ status: 200 });
    expect(await logIn('zoe', ZOE.password)).toMatchObject({ status: 200 });
    await directory.stop();
    expect(await local()).toMatchObject({ status: 200 });
    const refused = await logIn('zoe', ZOE.password);
    expect(refused.status).toBe(400);
    expect(refused.body['msg']).toMatch(/^The directory \(The Office\) .* cannot be reached/);
    await directory.start();
    expect(await logIn('zoe', ZOE.password)).toMatchObject({ status: 200 });
  });

  test('does not make others wait for a directory that is silent', async () => {
    const { directory, server, logIn } = await started({ timeout_ms: 1_000 });
    directory.freeze();
    const begun = performance.now();
    const waiting = logIn('zoe', ZOE.password);
    expect(await server.get(null, '/server_settings')).toMatchObject({ status: 200 });
    expect(performance.now() - begun).toBeLessThan(900);
    expect((await waiting).body['msg']).toContain('takes too long');
    directory.wake();
    expect(await logIn('zoe', ZOE.password)).toMatchObject({ status: 200 });
  });

  test('trusts TLS only from the right authority', async () => {
    const directory = await startDirectory();
    directory.add(ZOE);
    const entry = { ...entryFor(directory.url), allows_plain_text: false, start_tls: true };
    const trusting = await serve({ ...entry, ca_file: directory.ca });
    expect(await trusting.logIn('zoe', ZOE.password)).toMatchObject({ status: 200 });
    const other = await startDirectory();
    for (const ca of [{ ca_file: other.ca }, {}]) {
      const { logIn, server } = await serve({ ...entry, ...ca });
      const refused = await logIn('zoe', ZOE.password);
      expect(refused.status).toBe(400);
      expect(server.bugs).toEqual([]);
    }
  });

  test('gives and takes roles and user groups by groups of the directory', async () => {
    const grants = [
      { group: groupOf('Heads').toUpperCase(), role: 'administrator', user_groups: ['Crew'] },
    ];
    const { directory, server, logIn } = await started({ grants });
    const made = await server.post(server.people.ona, '/user_groups/create', {
      name: 'Crew',
      description: '',
      members: [],
    });
    const crew = Number(made.body['group_id']);
    directory.addGroup('heads', 'zoe');
    const { body } = await logIn('zoe', ZOE.password);
    const id = Number(body['user_id']);
    const rights = () =>
      server.perform((tx) => [tx.users.get([id])?.role, tx.groupMembers.has([crew, id])]);
    expect(await rights()).toEqual([200, true]);
    directory.removeGroup('heads');
    await logIn('zoe', ZOE.password);
    expect(await rights()).toEqual([400, false]);
  });

  test('a password of this server does not count for a person of the directory', async () => {
    const { directory, server, logIn } = await started();
    const { mel } = server.people;
    directory.add({ ...ZOE, uid: 'mel', mail: mel.email });
    expect(await logIn('mel', ZOE.password)).toMatchObject({ body: { user_id: mel.id } });
    expect(await logIn(mel.email, PASSWORD)).toMatchObject(FAILED);
    directory.remove('mel');
    expect(await logIn(mel.email, PASSWORD)).toMatchObject(FAILED);
  });

  test('a wrong password of the account that searches is no fault of the person', async () => {
    const { logIn } = await started({ bind_password: 'not-this' });
    const refused = await logIn('zoe', ZOE.password);
    expect(refused).toMatchObject({ status: 400 });
    expect(JSON.stringify(refused.body)).not.toMatch(/not-this|cn=admin/);
  });
});

test('an answer without end is cut off', async () => {
  const sockets = new Set<Socket>();
  // An LDAP message of 2 GiB, which never comes to its end.
  const head = Buffer.from([0x30, 0x84, 0x7f, 0xff, 0xff, 0xff]);
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => socket.destroy()));
    socket.once('data', () => {
      socket.write(head);
      const more = () => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536)));
      };
      socket.on('drain', more);
      more();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as { port: number };
  const { logIn } = await serve(entryFor(`ldap://127.0.0.1:${port}`));
  const refused = await logIn('zoe', ZOE.password);
  expect(refused.body['msg']).toContain('too large');
  const [read = 0] = Array.from(sockets, (socket) => socket.bytesWritten);
  expect(read).toBeLessThan(16 * 1024 * 1024);
});
