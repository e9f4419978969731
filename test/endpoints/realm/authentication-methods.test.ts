import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import type { Params } from '../../support/client.ts';
import { temporaryFolder } from '../../support/scratch.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const update = (server: TestServer, params: Params) =>
  server.patch(server.people.ona, '/realm', params);

const stateOf = async ({ register, people }: TestServer) => (await register(people.gus)).state;

/** Starts a server whose `CONFAB_SIGN_IN` has one entry. */
async function startWithEntry(entry: object) {
  const path = join(temporaryFolder(), 'sign-in.json');
  writeFileSync(path, JSON.stringify({ entries: [{ name: 'office', ...entry }] }));
  return await startServer({ env: { CONFAB_SIGN_IN: path } });
}

const OPENID = { type: 'openid', issuer: 'https://idp.example.com', client_id: 'chat' };
const LDAP = { type: 'ldap', url: 'ldaps://ldap.example.com', base: 'dc=example' };
const JWT = { type: 'jwt', algorithms: ['HS256'], key: 'k'.repeat(32) };

test.each([OPENID, LDAP])('passwords can be off where people log in by $type', async (entry) => {
  const server = await startWithEntry(entry);
  const refused = { status: 400, body: { code: 'BAD_REQUEST' } };
  expect(await update(server, { authentication_methods: {} })).toMatchObject(refused);
  const { status, body } = await update(server, { authentication_methods: { Email: false } });
  expect({ status, body }).toEqual({
    status: 200,
    body: { result: 'success', msg: '', authentication_methods: { Email: false } },
  });
  expect(await stateOf(server)).toMatchObject({ realm_email_auth_enabled: false });
  expect((await update(server, { authentication_methods: { Email: true } })).status).toBe(200);
});

test.each([{ ...OPENID, realms: ['other'] }, { ...LDAP, realms: ['other'] }, JWT])(
  'passwords stay on while the only entry is %j',
  async (entry) => {
    const server = await startWithEntry(entry);
    expect(await update(server, { authentication_methods: { Email: false } })).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST', msg: 'At least one authentication method must be enabled.' },
    });
    expect(await stateOf(server)).toMatchObject({ realm_email_auth_enabled: true });
  },
);

test('the operator may turn passwords off while there is no other way in', async () => {
  const server = await startServer();
  const set = (Email: boolean) =>
    runCommand(server.app.realms, 'realm set', {
      realm: 'test',
      setting: 'authentication_methods',
      value: { Email },
    });
  await set(false);
  expect(await stateOf(server)).toMatchObject({ realm_email_auth_enabled: false });
  await set(true);
  expect(await stateOf(server)).toMatchObject({ realm_email_auth_enabled: true });
});
