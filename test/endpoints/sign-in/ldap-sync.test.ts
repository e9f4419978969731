import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import {
  ADMIN,
  BASE,
  groupOf,
  isSlapdMissing,
  startDirectory,
} from '../../support/people/slapd.ts';
import { temporaryFolder } from '../../support/scratch.ts';
import { startServer } from '../../support/start-server.ts';

const PASSWORD = 'quince-tart';
const person = (uid: string) => ({
  uid,
  name: `Person ${uid}`,
  mail: `${uid}@example.com`,
  password: PASSWORD,
});

async function started(entry: object = {}) {
  const directory = await startDirectory();
  const path = join(temporaryFolder(), 'sign-in.json');
  const whole = {
    type: 'ldap',
    name: 'office',
    url: directory.url,
    allows_plain_text: true,
    bind_dn: ADMIN.dn,
    bind_password: ADMIN.password,
    base: `ou=people,${BASE}`,
    sync_minutes: 0,
    timeout_ms: 5_000,
    ...entry,
  };
  writeFileSync(path, JSON.stringify({ entries: [whole] }));
  const server = await startServer({ env: { CONFAB_SIGN_IN: path } });
  await server.set('invite_required', false);
  const logIn = (username: string) =>
    server.post(null, '/fetch_api_key', { username, password: PASSWORD });
  const sync = (args: object = {}) => runCommand(server.app.realms, 'ldap sync', args);
  const account = (uid: string) =>
    server.perform((tx) => {
      const row = tx.users.get([tx.userEmails.get([`${uid}@example.com`])?.userId ?? -1]);
      return row && { name: row.fullName, isActive: row.isActive, role: row.role };
    });
  return { directory, server, logIn, sync, account };
}

describe.skipIf(isSlapdMissing)('a sync with a directory', () => {
  test('deactivates people who are gone, and only those whom it brings back', async () => {
    const { directory, server, logIn, sync, account } = await started();
    directory.add(person('zoe'), person('abe'));
    const { body } = await logIn('zoe');
    await logIn('abe');
    directory.modify('abe', 'cn', 'Abe Archer');
    directory.remove('zoe');
    const counts = { deactivated: 1, reactivated: 0, changed: 1, refused: 0 };
    expect(await sync({ 'dry-run': true })).toMatchObject([{ ...counts, state: 'dry_run' }]);
    expect(await account('zoe')).toMatchObject({ isActive: true });
    expect(await account('abe')).toMatchObject({ name: 'Person abe' });
    expect(await sync()).toMatchObject([{ ...counts, state: 'done', people: 1 }]);
    expect(await account('zoe')).toMatchObject({ isActive: false });
    expect(await account('abe')).toMatchObject({ isActive: true, name: 'Abe Archer' });
    const zoe = { email: 'zoe@example.com', apiKey: String(body['api_key']) };
    expect((await server.get(zoe as never, '/users/me')).status).toBe(401);
    expect(await sync()).toMatchObject([{ deactivated: 0, changed: 0 }]);
    // People of this server alone are none of its business.
    expect(await account('mel')).toMatchObject({ isActive: true });
  });

  test('follows time zones, and leaves those that there are not', async () => {
    const { directory, server, logIn, sync } = await started({
      attributes: { timezone: 'timeZone', id: 'objectGUID' },
    });
    const zone = (uid: string) =>
      server.perform(
        (tx) => tx.users.get([tx.userEmails.get([`${uid}@example.com`])?.userId ?? -1])?.timezone,
      );
    const guid = (first: string) => `${first}${'00'.repeat(15)}`;
    directory.add(
      { ...person('zoe'), guid: guid('01'), timezone: 'Europe/Berlin' },
      { ...person('abe'), guid: guid('28'), timezone: '20261127120000Z' },
    );
    for (const uid of ['zoe', 'abe']) await logIn(uid);
    expect(await sync()).toMatchObject([{ state: 'done', changed: 1, refused: 1 }]);
    expect([await zone('zoe'), await zone('abe')]).toEqual(['Europe/Berlin', '']);
    directory.modify('zoe', 'timeZone', 'America/New_York');
    directory.modify('abe', 'timeZone', 'Mars/Base');
    expect(await sync()).toMatchObject([{ changed: 1, refused: 1, deactivated: 0 }]);
    expect([await zone('zoe'), await zone('abe')]).toEqual(['America/New_York', '']);
    // People with a binary id are asked for one by one as well.
    directory.remove('abe');
    directory.add({ ...person('eve'), guid: guid('29') });
    expect(await sync()).toMatchObject([{ deactivated: 1, refused: 0 }]);
  });

  test('brings back whom it has deactivated, and not whom an administrator has', async () => {
    const { directory, server, logIn, sync, account } = await started({
      attributes: { id: 'uid' },
      deactivates_percent_max: 100,
    });
    directory.add(person('zoe'), person('abe'), person('eve'));
    await logIn('zoe');
    const { body } = await logIn('abe');
    await server.delete(server.people.ada, `/users/${body['user_id']}`);
    directory.remove('zoe', 'abe');
    expect(await sync()).toMatchObject([{ deactivated: 1 }]);
    directory.add(person('zoe'), person('abe'));
    expect(await sync()).toMatchObject([{ reactivated: 1, refused: 0 }]);
    expect(await account('zoe')).toMatchObject({ isActive: true });
    expect(await account('abe')).toMatchObject({ isActive: false });
    expect(await logIn('zoe')).toMatchObject({ status: 200 });
  });

  test('refuses to deactivate many at once, and a directory that is down nobody', async () => {
    const { directory, logIn, sync, account } = await started();
    const all = ['zoe', 'abe', 'eve'];
    directory.add(...all.map(person));
    for (const uid of all) await logIn(uid);
    directory.remove('zoe', 'abe');
    const [refused] = await sync();
    expect(refused).toMatchObject({ state: 'not_done', why: expect.stringContaining('2 of 3') });
    directory.remove('eve');
    expect(await sync()).toMatchObject([{ why: expect.stringContaining('finds nobody') }]);
    await directory.stop();
    expect(await sync()).toMatchObject([{ state: 'not_done', why: 'unreachable (ECONNREFUSED)' }]);
    for (const uid of all) expect(await account(uid)).toMatchObject({ isActive: true });
  });

  test('reads a directory of thousands page by page, while others are served', async () => {
    const { directory, server, logIn, sync, account } = await started();
    const many = Array.from({ length: 3_000 }, (_, index) => person(`p${index}`));
    // Passwords are hashed by nobody here, so only one has one.
    directory.add(...many.map(({ password, ...one }) => one), person('zoe'), person('abe'));
    await logIn('zoe');
    await logIn('abe');
    // The directory holds the sync at its first question, until others were answered.
    directory.freeze();
    const ended: string[] = [];
    const syncing = sync().finally(() => ended.push('sync'));
    expect(await server.get(null, '/server_settings')).toMatchObject({ status: 200 });
    expect(ended).toEqual([]);
    directory.wake();
    expect(await syncing).toMatchObject([{ people: 3_002, deactivated: 0 }]);
    directory.remove('zoe');
    expect(await sync()).toMatchObject([{ people: 3_001, deactivated: 1 }]);
    expect(await account('abe')).toMatchObject({ isActive: true });
  });

  test('runs by a timer, tells the log of a refusal, and follows groups', async () => {
    const grants = [{ group: groupOf('heads'), role: 'administrator' }];
    const { directory, server, logIn, account } = await started({ sync_minutes: 5, grants });
    directory.add(person('zoe'), person('abe'), person('eve'));
    for (const uid of ['zoe', 'abe', 'eve']) await logIn(uid);
    directory.addGroup('heads', 'zoe');
    directory.remove('eve');
    await server.leap(300_000);
    await vi.waitFor(async () => {
      expect(await account('zoe')).toMatchObject({ role: 200 });
      expect(await account('eve')).toMatchObject({ isActive: false });
    }, 10_000);
    directory.remove('abe', 'zoe');
    directory.add(person('ivy'));
    await vi.waitFor(async () => {
      await server.leap(300_000);
      expect(server.bugs.join()).toContain('accounts did not follow their directory');
    }, 10_000);
    expect(await account('zoe')).toMatchObject({ isActive: true });
  });
});
