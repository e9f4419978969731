import { writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LOGIN_FAILURES_MAX, LOGIN_FAILURES_MS } from '../../../src/domain/limits/credentials.ts';
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

async function serve(...entries: readonly object[]) {
  const path = join(temporaryFolder(), 'sign-in.json');
  writeFileSync(path, JSON.stringify({ entries }));
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

/** Lets a server ask a directory, and notes the kinds of its requests (RFC 4511 section 4). */
async function watch(port: number) {
  const seen: string[] = [];
  const kinds = new Map([
    [0x60, 'bind'],
    [0x63, 'search'],
  ]);
  const proxy = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    near.on('data', (chunk: Buffer) => {
      // A sequence with its length, the number of the message, and the operation.
      for (let at = 0; at < chunk.length; ) {
        const long = (chunk[at + 1] ?? 0) & 0x80 ? (chunk[at + 1] ?? 0) & 0x7f : 0;
        const head = at + 2 + long;
        const length = long === 0 ? (chunk[at + 1] ?? 0) : chunk.readUIntBE(at + 2, long);
        const kind = kinds.get(chunk[head + 2 + (chunk[head + 1] ?? 0)] ?? 0);
        if (kind !== undefined) seen.push(kind);
        at = head + length;
      }
    });
    near.pipe(far).pipe(near);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void proxy.close());
  const { port: own } = proxy.address() as { port: number };
  return { url: `ldap://127.0.0.1:${own}`, seen };
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

  test('asks the same of the directories for a name that there is and one that there is not', async () => {
    const [first, second] = [await startDirectory(), await startDirectory()];
    first.add(ZOE);
    second.add(ABE);
    const watched = await Promise.all([watch(first.port), watch(second.port)]);
    const [one, other] = watched;
    const { logIn } = await serve(
      { ...entryFor(one.url), name: 'one' },
      { ...entryFor(other.url), name: 'other' },
    );
    const asked = async (username: string) => {
      for (const { seen } of watched) seen.length = 0;
      expect(await logIn(username, 'wrong-one')).toMatchObject(FAILED);
      return watched.map(({ seen }) => [...seen]);
    };
    const every = ['bind', 'search', 'bind'];
    expect(await asked('zoe')).toEqual([every, every]);
    expect(await asked('abe')).toEqual([every, every]);
    expect(await asked('nobody')).toEqual([every, every]);
    expect(await logIn('zoe', ZOE.password)).toMatchObject({ status: 200 });
  });

  test('knows people by objectGUID, whatever bytes it has', async () => {
    const { directory, logIn } = await started({
      filter: '(&(objectClass=inetOrgPerson)(uid={name}))',
      attributes: { id: 'objectGUID' },
    });
    // Active Directory turns the bytes of the first three groups around: what counts is the bytes.
    const guids = ['33221100554477668899aabbccddeeff', '002a28295c00ff80c3283a0a0d202122'];
    const ids: unknown[] = [];
    for (const [index, guid] of guids.entries()) {
      directory.add({ ...ZOE, uid: `z${index}`, mail: `z${index}@example.com`, guid });
      ids.push((await logIn(`z${index}`, ZOE.password)).body['user_id']);
    }
    expect(new Set(ids).size).toBe(2);
    // Somebody with the name and the address of another is somebody else; the number follows.
    directory.remove('z0', 'z1');
    directory.add({ ...ZOE, uid: 'y1', mail: 'y1@example.com', guid: guids[1] ?? '' });
    expect((await logIn('y1', ZOE.password)).body['user_id']).toBe(ids[1]);
    directory.add({ ...ZOE, uid: 'z0', mail: 'z0@example.com', guid: 'f'.repeat(32) });
    expect((await logIn('z0', ZOE.password)).body['msg']).toContain('belongs to somebody else');
    // Without the id nobody is known by it.
    expect((await logIn('zoe', ZOE.password)).body['msg']).toContain('which person you are');
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
    // So often nobody may guess; but nobody has guessed.
    for (let count = 0; count <= LOGIN_FAILURES_MAX; count += 1) {
      const refused = await logIn('zoe', count === 0 ? ZOE.password : 'wrong-one');
      expect(refused).toMatchObject({ status: 503, body: { code: 'DIRECTORY_AWAY' } });
      expect(refused.headers['retry-after']).toBe(String(refused.body['retry-after']));
      expect(refused.body['msg']).toMatch(/^The directory \(The Office\) .* cannot be reached/);
      expect(refused.body['msg']).not.toMatch(/password|incorrect/);
    }
    await directory.start();
    expect(await logIn('zoe', ZOE.password)).toMatchObject({ status: 200 });
  });

  test('tells no names apart while one of the directories is down', async () => {
    const [first, second] = [await startDirectory(), await startDirectory()];
    first.add(ZOE);
    second.add(ABE);
    const { server, logIn } = await serve(
      { ...entryFor(first.url), name: 'one' },
      { ...entryFor(second.url), name: 'other', display_name: 'The Other' },
    );
    const { mel } = server.people;
    for (const [away, here, there] of [
      [second, ZOE, ABE],
      [first, ABE, ZOE],
    ] as const) {
      await away.stop();
      const name = away === first ? 'The Office' : 'The Other';
      // A name of the one that is up, of the other, of this server, and of none.
      const names = [here.uid, there.uid, mel.email, 'nobody'];
      expect(await logIn(here.uid, here.password)).toMatchObject({ status: 200 });
      expect(await logIn(mel.email, PASSWORD)).toMatchObject({ status: 200 });
      const answers = new Set<string>();
      for (let count = 0; count <= LOGIN_FAILURES_MAX; count += 1) {
        for (const one of names) {
          const { status, body } = await logIn(one, 'wrong-one');
          answers.add(JSON.stringify([status, body]));
        }
      }
      expect([...answers]).toEqual([expect.stringMatching(`^\\[503,.*\\(${name}\\)`)]);
      // So often nobody may guess, also with the right password, until the directory is back.
      expect(await logIn(here.uid, here.password)).toMatchObject({ status: 503 });
      expect(await logIn(mel.email, PASSWORD)).toMatchObject({ status: 503 });
      await away.start();
      for (const { uid, password } of [here, there]) {
        expect(await logIn(uid, password)).toMatchObject({ status: 200 });
        expect(await logIn(uid, 'wrong-one')).toMatchObject(FAILED);
      }
      expect(await logIn(mel.email, PASSWORD)).toMatchObject({ status: 200 });
      await server.leap(LOGIN_FAILURES_MS);
    }
    expect(server.bugs).toEqual([]);
  });

  test('does not make others wait for a directory that is silent', async () => {
    const { directory, server, logIn } = await started({ timeout_ms: 1_000 });
    directory.freeze();
    const answered: string[] = [];
    const waiting = logIn('zoe', ZOE.password).finally(() => answered.push('log-in'));
    expect(await server.get(null, '/server_settings')).toMatchObject({ status: 200 });
    expect(answered).toEqual([]);
    expect((await waiting).body['msg']).toContain('takes too long');
    directory.wake();
    expect(await logIn('zoe', ZOE.password)).toMatchObject({ status: 200 });
  });

  test('trusts TLS only from the right authority', async () => {
    const directory = await startDirectory();
    directory.add(ZOE);
    const entry = { ...entryFor(directory.url), allows_plain_text: false, start_tls: true };
    const byTls = { ...entry, url: directory.tlsUrl, start_tls: false };
    const other = await startDirectory();
    for (const way of [entry, byTls]) {
      const trusting = await serve({ ...way, ca_file: directory.ca });
      expect(await trusting.logIn('zoe', ZOE.password)).toMatchObject({ status: 200 });
      expect(await trusting.logIn('zoe', ABE.password)).toMatchObject(FAILED);
      for (const ca of [{ ca_file: other.ca }, {}]) {
        const { logIn, server } = await serve({ ...way, ...ca });
        const refused = await logIn('zoe', ZOE.password);
        expect(refused).toMatchObject({ status: 503, body: { code: 'DIRECTORY_AWAY' } });
        expect(server.bugs).toEqual([]);
      }
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

  test('a person who gets no account is in the log, without name and address', async () => {
    const { directory, server, logIn } = await started({ makes_accounts: false });
    const { mel } = server.people;
    const warned = () => server.warnings.filter((line) => line.includes('a sign-in by'));
    expect(await logIn('zoe', ABE.password)).toMatchObject(FAILED);
    expect(warned()).toEqual([]);
    const refused = { status: 400, body: { code: 'BAD_REQUEST' } };
    expect(await logIn('zoe', ZOE.password)).toMatchObject(refused);
    expect(warned()).toHaveLength(1);
    // The address of mel is given to another entry.
    directory.add({ ...ZOE, uid: 'mel', mail: mel.email });
    expect(await logIn('mel', ZOE.password)).toMatchObject({ status: 200 });
    directory.remove('mel');
    directory.add({ ...ZOE, uid: 'mel2', mail: mel.email });
    const foreign = await logIn('mel2', ZOE.password);
    expect(foreign).toMatchObject(refused);
    expect(foreign.body['msg']).toContain('belongs to somebody else at this provider');
    expect(warned()).toHaveLength(2);
    for (const line of warned()) {
      expect(JSON.parse(line)).toMatchObject({ provider: 'office', outcome: 'no_account' });
      expect(line).not.toMatch(/zoe|mel/i);
    }
  });

  test('changes of the second step take the password of the directory', async () => {
    const { directory, server, logIn } = await started();
    const { body } = await logIn('zoe', ZOE.password);
    const zoe = { ...server.people.mel, email: body.email, apiKey: body.api_key };
    const add = (password: string) => server.post(zoe, '/users/me/second_step/app', { password });
    expect((await server.get(zoe, '/users/me/second_step')).body.asks_password).toBe(true);
    expect(await add(ABE.password)).toMatchObject({
      status: 400,
      body: { msg: 'Wrong password!' },
    });
    expect(await add(ZOE.password)).toMatchObject({ status: 200 });
    for (let count = 0; count < LOGIN_FAILURES_MAX; count++) await add('wrong');
    expect(await add(ZOE.password)).toMatchObject({ status: 429 });
    await server.leap(LOGIN_FAILURES_MS);
    await directory.stop();
    expect(await add(ZOE.password)).toMatchObject({
      status: 503,
      body: { code: 'DIRECTORY_AWAY' },
    });
  });

  test('a wrong password of the account that searches is no fault of the person', async () => {
    const { logIn } = await started({ bind_password: 'not-this' });
    const refused = await logIn('zoe', ZOE.password);
    expect(refused).toMatchObject({ status: 503, body: { code: 'DIRECTORY_AWAY' } });
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
