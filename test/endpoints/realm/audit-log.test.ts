import { expect, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import { HIDDEN } from '../../../src/domain/wire/audit.ts';
import type { Params } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const PATH = '/realm/audit_log';

async function page(server: TestServer, as: Person, params: Params = {}) {
  const { status, body } = await server.get(as, PATH, params);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body as {
    readonly entries: readonly Record<string, unknown>[];
    readonly next_before: number | null;
  };
}

test('an administrator reads who changed what, and what it was before', async () => {
  const server = await startServer();
  const { ada, mel } = server.people;
  await server.patch(ada, `/users/${mel.id}`, { role: 300 });
  const [newest] = (await page(server, ada)).entries;
  expect(newest).toEqual({
    id: expect.any(Number),
    time: Math.floor(server.clock.now() / 1000),
    by: 'user',
    acting_user_id: ada.id,
    kind: 'user',
    op: 'update',
    target: mel.id,
    before: { role: 400 },
    after: { role: 300 },
  });
});

test('what the operator does by commands is said to be of the operator', async () => {
  const server = await startServer();
  const { ada, mel } = server.people;
  const email = mel.email;
  await runCommand(server.app.realms, 'user role', { realm: 'test', email, role: 'moderator' });
  expect((await page(server, ada)).entries[0]).toMatchObject({
    by: 'operator',
    acting_user_id: null,
    kind: 'user',
    target: mel.id,
    after: { role: 300 },
  });
});

test('somebody who joins, logs in or confirms an address does it themselves', async () => {
  const server = await startServer();
  const { ada, mel } = server.people;
  const password = 'correct horse battery';
  await runCommand(server.app.realms, 'user password', {
    realm: 'test',
    email: mel.email,
    password,
  });
  await server.post(null, '/fetch_api_key', { username: mel.email, password });
  expect((await page(server, ada)).entries[0]).toMatchObject({
    by: 'user',
    acting_user_id: mel.id,
    kind: 'key',
    op: 'add',
    after: { user_id: mel.id, made_by: 'login' },
  });
});

test('a refused request leaves nothing', async () => {
  const server = await startServer();
  const { ada, mel } = server.people;
  const before = await page(server, ada);
  expect((await server.patch(mel, `/users/${ada.id}`, { role: 400 })).status).toBe(400);
  expect((await server.patch(ada, `/users/${mel.id}`, { role: 123 })).status).toBe(400);
  expect((await server.patch(ada, '/realm', { name: '' })).status).toBe(400);
  expect(await page(server, ada)).toEqual(before);
});

test('pages that are asked for one after the other have every act once, newest first', async () => {
  const server = await startServer();
  const { ada } = server.people;
  const whole = (await page(server, ada, { num: 1_000 })).entries;
  expect(whole.length).toBeGreaterThan(10);
  const found: unknown[] = [];
  let before: number | null = null;
  do {
    const next = await page(server, ada, { num: 3, ...(before === null ? {} : { before }) });
    expect(next.entries.length).toBeLessThanOrEqual(3);
    found.push(...next.entries);
    before = next.next_before;
  } while (before !== null);
  expect(found).toEqual(whole);
  const ids = whole.map(({ id }) => Number(id));
  expect(ids).toEqual(ids.toSorted((one, other) => other - one));
});

test('acts are chosen by kind, by account and by time', async () => {
  const server = await startServer();
  const { ada, ona, mel } = server.people;
  const begun = Math.floor(server.clock.now() / 1000);
  await server.advance(10_000);
  await server.patch(ada, `/users/${mel.id}`, { role: 300 });
  await server.advance(10_000);
  await server.patch(ona, `/users/${mel.id}`, { role: 400 });
  await server.patch(ona, '/realm', { description: 'changed' });
  const chosen = async (params: Params) =>
    (await page(server, ada, params)).entries.map(
      ({ kind, acting_user_id: by }) => `${kind} by ${by}`,
    );
  expect(await chosen({ since: begun + 5 })).toEqual([
    `realm by ${ona.id}`,
    `user by ${ona.id}`,
    `user by ${ada.id}`,
  ]);
  expect(await chosen({ since: begun + 5, until: begun + 15 })).toEqual([`user by ${ada.id}`]);
  expect(await chosen({ since: begun + 5, kind: 'realm' })).toEqual([`realm by ${ona.id}`]);
  expect(await chosen({ acting_user_id: ada.id })).toEqual([`user by ${ada.id}`]);
  expect(await chosen({ since: begun + 100 })).toEqual([]);
  const wrong = await server.get(ada, PATH, { kind: 'weather' });
  expect(wrong.status).toBe(400);
});

test('an address that its owner shows to nobody is hidden from administrators, not from the operator', async () => {
  const server = await startServer();
  const { ada, ona, mel } = server.people;
  await server.patch(ada, `/users/${mel.id}`, { new_email: 'other@example.com' });
  const changes = { kind: 'user', acting_user_id: ada.id };
  expect((await page(server, ona, changes)).entries[0]).toMatchObject({
    before: { email: mel.email },
    after: { email: 'other@example.com' },
  });
  await server.patch({ ...mel, email: 'other@example.com' }, '/settings', {
    email_address_visibility: 4,
  });
  expect((await page(server, ona, changes)).entries[0]).toMatchObject({
    before: { email: HIDDEN },
    after: { email: HIDDEN },
  });
  const lines = await runCommand(server.app.realms, 'audit', { realm: 'test', kind: 'user' });
  expect(JSON.stringify(lines)).toContain('other@example.com');
});

test('people who may read a private channel are recorded, all of one request together', async () => {
  const server = await startServer();
  const { ada, mel, max } = server.people;
  const principals = [mel.id, max.id];
  await server.post(ada, '/users/me/subscriptions', {
    subscriptions: [{ name: 'secret' }],
    invite_only: true,
    principals,
  });
  const [, created] = (await page(server, ada)).entries;
  const [joined] = (await page(server, ada, { kind: 'channel_member' })).entries;
  expect(created).toMatchObject({ kind: 'channel', after: { name: 'secret', invite_only: true } });
  expect(joined).toMatchObject({ op: 'add', before: null, after: { ids: principals } });
  await server.delete(ada, '/users/me/subscriptions', {
    subscriptions: ['secret'],
    principals: [mel.id],
  });
  expect((await page(server, ada)).entries[0]).toMatchObject({
    kind: 'channel_member',
    op: 'remove',
    target: joined?.['target'],
    before: { ids: [mel.id] },
    after: null,
  });
});

test('a linkifier that changes its place stays the same thing', async () => {
  const server = await startServer();
  const { ada } = server.people;
  const add = async (pattern: string): Promise<number> =>
    (
      await server.post(ada, '/realm/filters', {
        pattern: `${pattern}-(?P<id>[0-9]+)`,
        url_template: 'https://example.com/{id}',
      })
    ).body.id;
  const [one, two] = [await add('A'), await add('B')];
  await server.delete(ada, `/realm/filters/${one}`);
  const [gone, moved] = (await page(server, ada, { kind: 'linkifier', num: 2 })).entries.toSorted(
    (first, second) => Number(first['target']) - Number(second['target']),
  );
  expect(gone).toMatchObject({ op: 'remove', target: one });
  expect(moved).toMatchObject({
    op: 'update',
    target: two,
    before: { place: 2 },
    after: { place: 1 },
  });
});

test('no password, key, token or secret gets into the log', async () => {
  const server = await startServer();
  const { ada, ona, mel } = server.people;
  const secrets: string[] = [];
  const password = 'correct horse battery staple';
  const email = 'new@example.com';
  await server.post(ada, '/users', { email, password, full_name: 'Nia New' });
  const login = await server.post(null, '/fetch_api_key', { username: email, password });
  const nia = { ...mel, email, apiKey: login.body.api_key };
  await server.patch(nia, '/settings', { old_password: password, new_password: `${password}!` });
  const bot = await server.post(ada, '/bots', {
    full_name: 'Hook',
    short_name: 'hook',
    bot_type: 3,
    payload_url: 'https://hooks.example.com/a-secret-path?token=of-the-service',
    interface_type: 1,
  });
  const regenerated = await server.post(ada, `/bots/${bot.body.user_id}/api_key/regenerate`);
  const further = await server.get(ada, `/bots/${bot.body.user_id}/api_key`);
  const link = await server.post(ona, '/invites/multiuse', { invite_as: 400 });
  const own = await server.post(mel, '/users/me/api_key/regenerate');
  const given = [bot, regenerated, further, own, login].map(({ body }) => String(body.api_key));
  secrets.push(password, ...given, 'a-secret-path', 'of-the-service');
  secrets.push(String(link.body.invite_link).split('/').filter(Boolean).at(-1) ?? '');
  const { log, kept } = await server.perform((tx) => ({
    log: JSON.stringify([...tx.auditLog.range({})]),
    kept: [
      ...Array.from(tx.users.range({}), ([, { passwordHash }]) => passwordHash),
      ...Array.from(tx.apiKeys.keys({}), ([, hash]) => hash),
      ...Array.from(tx.botServices.range({}), ([, { token }]) => token),
    ].filter((secret) => secret !== null),
  }));
  expect(kept.length).toBeGreaterThan(8);
  expect(secrets.filter((secret) => secret.length < 5 || log.includes(secret))).toEqual([]);
  expect(kept.filter((secret) => log.includes(secret))).toEqual([]);
  expect(log).toContain('"password":"(hidden)"');
  expect(log).toContain('"base_url":"(hidden)"');
  expect(log).toContain('"site":"https://hooks.example.com"');
});

test('long texts and lists are cut', async () => {
  const server = await startServer();
  const { ada } = server.people;
  const description = '😀'.repeat(400);
  await server.patch(ada, '/realm', { description });
  const [changed] = (await page(server, ada)).entries;
  expect(changed).toMatchObject({ after: { description: `${'😀'.repeat(100)}…` } });
});

test('without a setting the log is kept for ever, and with one for so many days', async () => {
  const DAY = 86_400_000;
  const kept = await startServer();
  const before = (await page(kept, kept.people.ada)).entries;
  await kept.leap(400 * DAY);
  expect((await page(kept, kept.people.ada)).entries).toEqual(before);

  const server = await startServer({ env: { CONFAB_AUDIT_DAYS: '30' } });
  const { ada, mel } = server.people;
  await server.leap(20 * DAY);
  await server.patch(ada, `/users/${mel.id}`, { role: 300 });
  expect((await page(server, ada)).entries.length).toBeGreaterThan(10);
  await server.leap(11 * DAY);
  await expect
    .poll(async () => (await page(server, ada)).entries.map(({ kind }) => kind))
    .toEqual(['user']);
  expect(server.bugs).toEqual([]);
});
