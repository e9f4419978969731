import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import { hashPassword } from '../../../src/endpoints/server/password-hash.ts';
import { startDemo } from '../../support/people/demo-server.ts';
import { FROM_OWN_PAGE, openBrowser } from '../../support/people/session-browser.ts';

const NOBODY = {
  status: 400,
  body: { code: 'BAD_REQUEST', msg: expect.stringMatching(/^Nobody/) },
};
const MEL = 4;

test('a browser at this machine sees the people of the demo realm, and is one of them at a click', async () => {
  const { client } = await startDemo();
  const browser = openBrowser(client);
  const { body } = await browser.get('/server_settings');
  expect(body.service_demo_people).toEqual(
    [
      'Ona Owner',
      'Ada Administrator',
      'Mia Moderator',
      'Mel Member',
      'Max Member',
      'Gus Guest',
    ].map((full_name, index) => ({
      user_id: index + 1,
      email: `${full_name.slice(0, 3).toLowerCase()}@demo.example.com`,
      full_name,
      role: [100, 200, 300, 400, 400, 600][index],
    })),
  );
  const reply = await browser.send('POST', '/sessions/demo', { user_id: MEL });
  expect(reply).toMatchObject({ status: 200, body: { user_id: MEL } });
  expect((await browser.get('/users/me')).body.full_name).toBe('Mel Member');
  for (const user_id of [0, 7, 99]) {
    expect(await browser.send('POST', '/sessions/demo', { user_id })).toMatchObject(NOBODY);
  }
});

interface Unfit {
  readonly why: string;
  readonly headers?: Record<string, string>;
  readonly env?: Record<string, string>;
}

test.each<Unfit>([
  { why: 'a program', headers: { 'user-agent': 'curl/8' } },
  { why: 'another name', headers: { ...FROM_OWN_PAGE, host: 'demo.example.com:80' } },
  { why: 'a name that begins alike', headers: { ...FROM_OWN_PAGE, host: 'localhost.example.com' } },
  ...['x-forwarded-for', 'x-forwarded-host', 'forwarded', 'via', 'x-real-ip'].map((name) => ({
    why: `a proxy with ${name}`,
    headers: { ...FROM_OWN_PAGE, [name]: '192.0.2.7' },
  })),
  { why: 'a public URL', env: { CONFAB_PUBLIC_URL: 'https://chat.example.com' } },
  { why: 'a host that others reach', env: { CONFAB_HOST: '0.0.0.0', CONFAB_DEMO: '1' } },
])('nobody logs in without a password through $why', async ({ env = {}, headers }) => {
  const { client } = await startDemo(env);
  const browser = openBrowser(client);
  const said = headers ?? FROM_OWN_PAGE;
  const settings = await browser.get('/server_settings', said);
  expect(settings.status).toBe(200);
  expect(settings.body).not.toHaveProperty('service_demo_people');
  const reply = await browser.send('POST', '/sessions/demo', { user_id: MEL }, said);
  expect([400, 403]).toContain(reply.status);
  expect(browser.cookie).toBe('');
});

test('a client of another machine logs in without a password only if the operator says so', async () => {
  const forwarded = { 'x-forwarded-for': '192.0.2.7', 'x-forwarded-host': 'chat.example.com' };
  const proxied = { CONFAB_TRUSTED_PROXIES: '127.0.0.1' };
  const closed = openBrowser((await startDemo(proxied)).client, undefined, forwarded);
  expect(await closed.send('POST', '/sessions/demo', { user_id: MEL })).toMatchObject(NOBODY);
  const { client } = await startDemo({ ...proxied, CONFAB_DEMO: 'open' });
  const open = openBrowser(client, undefined, forwarded);
  expect((await open.get('/server_settings')).body.service_demo_people).toHaveLength(6);
  expect((await open.send('POST', '/sessions/demo', { user_id: MEL })).status).toBe(200);
});

test('who has another password, or is deactivated, is no demo person any more', async () => {
  const { client, app, data } = await startDemo();
  const browser = openBrowser(client);
  const people = async () =>
    (await browser.get('/server_settings')).body.service_demo_people.map(
      ({ user_id }: { user_id: number }) => user_id,
    );
  await browser.send('POST', '/sessions/demo', { user_id: MEL });
  const { users } = JSON.parse(readFileSync(join(data, 'demo-credentials.json'), 'utf8'));
  const { password } = users.find(({ user_id }: { user_id: number }) => user_id === MEL);
  const change = { old_password: password, new_password: 'battery staple' };
  expect((await browser.send('PATCH', '/settings', change)).status).toBe(200);
  expect(await people()).toEqual([1, 2, 3, 5, 6]);
  expect(await browser.send('POST', '/sessions/demo', { user_id: MEL })).toMatchObject(NOBODY);
  await runCommand(app.realms, 'user deactivate', { email: 'gus@demo.example.com' });
  expect(await people()).toEqual([1, 2, 3, 5]);
  expect(await browser.send('POST', '/sessions/demo', { user_id: 6 })).toMatchObject(NOBODY);
});

test('the file of an earlier version, or none, lets nobody in', async () => {
  const { client, data } = await startDemo();
  const browser = openBrowser(client);
  const file = join(data, 'demo-credentials.json');
  const stored = JSON.parse(readFileSync(file, 'utf8'));
  const other = await hashPassword('battery staple');
  const contents = [
    stored.users.map(({ password_hash: _, ...user }: Record<string, unknown>) => user),
    stored.users.map((user: object) => ({ ...user, password_hash: other })),
  ].map((users) => JSON.stringify({ ...stored, users }));
  for (const content of [...contents, '{', '']) {
    writeFileSync(file, content);
    expect((await browser.get('/server_settings')).body).not.toHaveProperty('service_demo_people');
    expect(await browser.send('POST', '/sessions/demo', { user_id: MEL })).toMatchObject(NOBODY);
  }
});
