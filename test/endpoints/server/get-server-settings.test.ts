import { expect, test } from 'vitest';
import { SERVICE_FEATURE_LEVEL, SERVICE_VERSION } from '../../../src/domain/version.ts';
import type { RealmTransaction } from '../../../src/operations/access/caller.ts';
import { serverSettings } from '../../../src/operations/registration/server-settings.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

test('anyone may know what the specification lists, and no more', async () => {
  const server = await startServer();
  const { status, body } = await server.get(null, '/server_settings');
  const url = `http://test.localhost:${server.app.port}`;
  expect([status, body]).toEqual([
    200,
    {
      result: 'success',
      msg: '',
      authentication_methods: {
        password: true,
        dev: false,
        email: true,
        ldap: false,
        remoteuser: false,
        saml: false,
        'openid connect': false,
        apple: false,
        azuread: false,
        github: false,
        gitlab: false,
        google: false,
      },
      external_authentication_methods: [],
      service_feature_level: SERVICE_FEATURE_LEVEL,
      service_version: SERVICE_VERSION,
      service_merge_base: SERVICE_VERSION,
      push_notifications_enabled: false,
      is_incompatible: false,
      email_auth_enabled: true,
      require_email_format_usernames: true,
      realm_url: url,
      realm_uri: url,
      realm_name: 'test',
      realm_icon: expect.stringMatching(/^http:\/\//),
      realm_description: '',
      realm_web_public_access_enabled: false,
    },
  ]);
});

test('a store that has lost its organization is a bug, and no half of an answer', async () => {
  const { app } = await startServer();
  const { realm, site } = app.realms.at('test.localhost');
  const { reader } = realm ?? expect.fail('it is there');
  const lost = { ...reader, realm: { ...reader.realm, get: () => undefined } };
  expect(() => serverSettings(lost, site)).toThrow('the store holds no realm');
});

test.each(['Bearer x', 'Basic x', 'nonsense'])(
  'credentials are ignored even when they are wrong: %s',
  async (authorization) => {
    const server = await startServer();
    const reply = await server.request('GET', '/server_settings', { headers: { authorization } });
    expect(reply).toMatchObject({ status: 200, body: { realm_name: 'test' } });
  },
);

test('where several realms are, a subdomain of none is refused, and the server itself is not', async () => {
  const server = await startServer();
  await server.addRealm('other');
  const ask = async (host: string) => {
    const { status, body } = await server.request('GET', '/server_settings', { headers: { host } });
    return [status, body.code ?? body.realm_name, body.msg];
  };
  const refusal = [400, 'BAD_REQUEST', 'Invalid subdomain'];
  expect(await ask('nowhere.localhost')).toEqual(refusal);
  expect(await ask(`a.Other.LOCALHOST:${server.app.port}`)).toEqual(refusal);
  expect(await ask('localhost')).toEqual([200, undefined, '']);
  expect(await ask('chat.example.com')).toEqual([200, undefined, '']);
  expect(await ask('OTHER.localhost')).toEqual([200, 'other', '']);
});

test('the server itself has no fields of a realm, and all the others', async () => {
  const server = await startServer();
  const ofRealm = (await server.get(null, '/server_settings')).body;
  await server.addRealm('other');
  const headers = { host: 'localhost' };
  const { body } = await server.request('GET', '/server_settings', { headers });
  const left = Object.entries(ofRealm).filter(([name]) => !/^realm_/.test(name));
  expect(left.length).toBe(Object.keys(ofRealm).length - 6);
  expect(body).toEqual(Object.fromEntries(left));
});

test('existing clients find the spelling they look for, where a prefix is configured', async () => {
  const server = await startServer({ env: { CONFAB_ALIAS_PREFIX: 'acme' } });
  const { body } = await server.get(null, '/server_settings');
  expect(body).toMatchObject({
    acme_version: SERVICE_VERSION,
    acme_feature_level: SERVICE_FEATURE_LEVEL,
    acme_merge_base: SERVICE_VERSION,
    service_version: SERVICE_VERSION,
    service_feature_level: SERVICE_FEATURE_LEVEL,
    service_merge_base: SERVICE_VERSION,
  });
});

test('settings of the organization show: its description as HTML, and no password where none is taken', async () => {
  const server = await startServer();
  await changeRealm(server, {
    description: 'We **chat**, <script> and @**Mel Member**',
    settings: { authentication_methods: { Email: false } },
  });
  const { body } = await server.get(null, '/server_settings');
  expect(body).toMatchObject({
    realm_description: '<p>We <strong>chat</strong>, &lt;script&gt; and @**Mel Member**</p>',
    email_auth_enabled: false,
    authentication_methods: { password: false, email: false },
  });
});

test('web-public access shows when it is on and there is a channel for it', async () => {
  const server = await startServer();
  const { ona } = server.people;
  await changeRealm(server, { settings: { enable_spectator_access: true } });
  const isEnabled = async () =>
    (await server.get(null, '/server_settings')).body.realm_web_public_access_enabled;
  expect(await isEnabled()).toBe(false);
  const wanted = { subscriptions: [{ name: 'open' }], is_web_public: true };
  expect((await server.post(ona, '/users/me/subscriptions', wanted)).status).toBe(200);
  expect(await isEnabled()).toBe(true);
  await changeRealm(server, { settings: {} });
  expect(await isEnabled()).toBe(false);
});

type RealmRow = NonNullable<ReturnType<RealmTransaction['realm']['get']>>;

function changeRealm(server: TestServer, change: Partial<RealmRow>): Promise<void> {
  const realm = server.app.realms.named('test') ?? expect.fail('there is a realm');
  return realm.perform((tx) => {
    const row = tx.realm.get(['realm']) ?? expect.fail('the realm has a row');
    tx.realm.put(['realm'], { ...row, ...change });
  });
}
