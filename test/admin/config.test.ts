import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSettings, startedByNpm } from '../../src/config.ts';
import { ConfigError } from '../../src/settings/reading.ts';
import { temporaryFolder } from '../support/scratch.ts';
import { startServer } from '../support/start-server.ts';

test('every setting has a default', () => {
  expect(readSettings({})).toEqual({
    host: '127.0.0.1',
    port: 8080,
    operator: { host: '127.0.0.1', port: 8081, path: null, tokenFile: null, isUsual: true },
    metricsRealms: false,
    drainMs: 0,
    gateways: 0,
    data: './data',
    logLevel: 'info',
    logsRequests: false,
    auditDays: 0,
    tls: null,
    acme: null,
    redirectPort: null,
    aliasPrefix: '',
    smtpUrl: null,
    mailIn: null,
    mailInRelays: ['127.0.0.0/8', '::1'],
    limitsPresence: false,
    isWebPublic: true,
    servesWeb: true,
    webFolder: null,
    makesDemo: true,
    wantsDemo: false,
    opensDemo: false,
    defaultRealm: 'demo',
    domain: 'localhost',
    pushBouncerUrl: '',
    allowsPrivateWebhooks: false,
    allowsPrivateWebPush: false,
    hasWebPush: true,
    apns: null,
    fcm: null,
    showsPreviews: true,
    signIn: [],
    allowsPrivatePreviews: false,
    publicUrl: null,
    allowedOrigins: [],
    trustedProxies: [],
    gravatarUrl: 'https://secure.gravatar.com/avatar/',
    hasDemoTalk: true,
    invitationMinutes: 14_400,
    maxUploadMib: 100,
    minFreeMib: null,
    backupTo: null,
    cluster: null,
    files: null,
    backupAt: [{ hour: 3, minute: 30 }],
    backupKeep: 7,
    s3: {
      endpoint: 'https://s3.us-east-1.amazonaws.com',
      region: 'us-east-1',
      accessKeyId: null,
      secretAccessKey: null,
      secretAccessKeyFile: null,
      authoritiesFile: null,
    },
    rateLimits: {
      request: 6_000,
      send: 3_000,
      search: 1_200,
      upload: 300,
      mail: 60,
      logIn: 60,
      anonymous: 1_200,
    },
  });
});

test.each([
  { said: '0', makesDemo: false, wantsDemo: false, opensDemo: false },
  { said: '', makesDemo: true, wantsDemo: false, opensDemo: false },
  { said: '1', makesDemo: true, wantsDemo: true, opensDemo: false },
  { said: 'open', makesDemo: true, wantsDemo: true, opensDemo: true },
])('CONFAB_DEMO=$said', ({ said, ...meant }) => {
  expect(readSettings({ CONFAB_DEMO: said })).toMatchObject(meant);
});

test('every setting is read from the environment, and an empty one counts as absent', () => {
  const signIn = join(temporaryFolder(), 'sign-in.json');
  const idp = { type: 'openid', name: 'idp', issuer: 'https://idp.example.com', client_id: 'chat' };
  writeFileSync(signIn, JSON.stringify({ entries: [idp] }));
  const env = {
    CONFAB_HOST: '::1',
    CONFAB_PORT: '0',
    CONFAB_OPERATOR: '[2001:db8::1]:9100',
    CONFAB_OPERATOR_TOKEN_FILE: '/etc/confab/token',
    CONFAB_METRICS_REALMS: '1',
    CONFAB_DRAIN_MS: '5000',
    CONFAB_GATEWAYS: '2',
    CONFAB_DATA: '/srv/confab',
    CONFAB_LOG_LEVEL: 'warn',
    CONFAB_ACCESS_LOG: '1',
    CONFAB_AUDIT_DAYS: '365',
    CONFAB_TLS_KEY: 'key.pem',
    CONFAB_TLS_CERT: 'cert.pem',
    CONFAB_REDIRECT_PORT: '80',
    CONFAB_ALIAS_PREFIX: 'acme',
    CONFAB_WEB_PUBLIC: '0',
    CONFAB_WEB: '0',
    CONFAB_WEB_DEV: '/srv/web',
    CONFAB_SIGN_IN: signIn,
    CONFAB_SMTP_URL: 'smtp://localhost:25',
    CONFAB_MAIL_IN: '[::1]:2525',
    CONFAB_MAIL_IN_RELAYS: '192.0.2.1, 10.0.0.0/8',
    CONFAB_LIMIT_PRESENCE: '1',
    CONFAB_DEMO: '0',
    CONFAB_DEFAULT_REALM: 'main',
    CONFAB_DOMAIN: 'chat.example.com',
    CONFAB_PUBLIC_URL: 'https://chat.example.com',
    CONFAB_WEBHOOK_PRIVATE_ADDRESSES: '1',
    CONFAB_PREVIEWS: '0',
    CONFAB_PREVIEW_PRIVATE_ADDRESSES: '1',
    CONFAB_PUSH_BOUNCER_URL: 'https://server:key@push.example.com/v1/',
    CONFAB_ALLOWED_ORIGINS: 'https://a.example.com,https://b.example.com',
    CONFAB_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8,2001:db8::/32',
    CONFAB_GRAVATAR: 'https://images.example.com/avatar',
    CONFAB_INVITATION_MINUTES: '5256000',
    CONFAB_MAX_UPLOAD_MIB: '100000',
    CONFAB_REQUESTS_PER_MINUTE: '60000',
    CONFAB_SENDS_PER_MINUTE: '50000',
    CONFAB_SEARCHES_PER_MINUTE: '40000',
    CONFAB_UPLOADS_PER_MINUTE: '30000',
    CONFAB_MAILS_PER_MINUTE: '20000',
    CONFAB_LOGINS_PER_MINUTE: '0',
    CONFAB_ANONYMOUS_REQUESTS_PER_MINUTE: '100',
    CONFAB_MIN_FREE_MIB: '512',
    CONFAB_BACKUP_TO: 's3://backups/confab',
    CONFAB_FILES: 's3://files/confab',
    CONFAB_BACKUP_AT: '03:30, *:15',
    CONFAB_BACKUP_KEEP: '30',
    CONFAB_S3_ENDPOINT: 'https://storage.example.com',
    CONFAB_S3_REGION: 'eu-central-1',
    CONFAB_S3_ACCESS_KEY_ID: 'id',
    CONFAB_S3_SECRET_ACCESS_KEY: 'secret',
    CONFAB_S3_SECRET_ACCESS_KEY_FILE: '/etc/confab/s3-key',
    CONFAB_S3_CA: '/etc/confab/s3-ca',
  };
  expect(readSettings(env)).toEqual({
    host: '::1',
    port: 0,
    operator: {
      host: '2001:db8::1',
      port: 9100,
      path: null,
      tokenFile: '/etc/confab/token',
      isUsual: false,
    },
    metricsRealms: true,
    drainMs: 5_000,
    gateways: 2,
    data: '/srv/confab',
    logLevel: 'warn',
    logsRequests: true,
    auditDays: 365,
    tls: { key: 'key.pem', cert: 'cert.pem' },
    acme: null,
    redirectPort: 80,
    aliasPrefix: 'acme',
    smtpUrl: 'smtp://localhost:25',
    mailIn: { host: '::1', port: 2525 },
    mailInRelays: ['192.0.2.1', '10.0.0.0/8'],
    limitsPresence: true,
    isWebPublic: false,
    servesWeb: false,
    webFolder: '/srv/web',
    makesDemo: false,
    wantsDemo: false,
    opensDemo: false,
    defaultRealm: 'main',
    domain: 'chat.example.com',
    pushBouncerUrl: 'https://server:key@push.example.com/v1',
    allowsPrivateWebhooks: true,
    allowsPrivateWebPush: false,
    hasWebPush: true,
    apns: null,
    fcm: null,
    showsPreviews: false,
    signIn: [expect.objectContaining({ name: 'idp', client_id: 'chat' })],
    allowsPrivatePreviews: true,
    publicUrl: 'https://chat.example.com',
    allowedOrigins: ['https://a.example.com', 'https://b.example.com'],
    trustedProxies: ['127.0.0.1', '10.0.0.0/8', '2001:db8::/32'],
    gravatarUrl: 'https://images.example.com/avatar/',
    hasDemoTalk: false,
    invitationMinutes: 5_256_000,
    maxUploadMib: 100_000,
    minFreeMib: 512,
    backupTo: 's3://backups/confab',
    cluster: null,
    files: 's3://files/confab',
    backupAt: [
      { hour: 3, minute: 30 },
      { hour: null, minute: 15 },
    ],
    backupKeep: 30,
    s3: {
      endpoint: 'https://storage.example.com',
      region: 'eu-central-1',
      accessKeyId: 'id',
      secretAccessKey: 'secret',
      secretAccessKeyFile: '/etc/confab/s3-key',
      authoritiesFile: '/etc/confab/s3-ca',
    },
    rateLimits: {
      request: 60_000,
      send: 50_000,
      search: 40_000,
      upload: 30_000,
      mail: 20_000,
      logIn: 0,
      anonymous: 100,
    },
  });
  const empty = Object.fromEntries(Object.keys(env).map((name) => [name, '']));
  expect(readSettings(empty)).toEqual(readSettings({}));
});

test('the settings are one object that nobody can change, nor anything in it', () => {
  const settings = readSettings({
    CONFAB_TLS_KEY: 'key.pem',
    CONFAB_TLS_CERT: 'cert.pem',
    CONFAB_ALLOWED_ORIGINS: 'https://example.com',
  });

  expect([settings, ...Object.values(settings)].filter((value) => !Object.isFrozen(value))).toEqual(
    [],
  );
});

test('all realms of a server, by whatever host, refer to one object of settings', async () => {
  const { app, addRealm } = await startServer({ env: { CONFAB_MAX_UPLOAD_MIB: '7' } });
  await addRealm('other');

  const sites = [
    ...app.realms.all().map((realm) => app.realms.siteOf(realm)),
    app.realms.at('test.localhost').site,
    app.realms.at('other.localhost').site,
    app.realms.at('nowhere.example.com').site,
  ];

  expect(new Set(sites).size).toBe(5);
  expect(new Set(sites.map(({ settings }) => settings)).size).toBe(1);
  expect(sites[0]?.settings.maxUploadMib).toBe(7);
});

test('metrics are asked for at a port of this machine or at a socket, or nowhere', () => {
  const operator = (said: string) => readSettings({ CONFAB_OPERATOR: said }).operator;
  expect(operator('[::1]:0')).toMatchObject({ host: '::1', port: 0, path: null });
  expect(operator('localhost:9100')).toMatchObject({ host: 'localhost', port: 9100 });
  expect(operator('/run/confab/operator.sock')).toMatchObject({
    path: '/run/confab/operator.sock',
  });
  expect([operator('off'), operator('0')]).toEqual([null, null]);
});

test('the process of npm is read beside the settings', () => {
  expect(startedByNpm({})).toBeNull();
  expect(startedByNpm({ NPM_PID: '4711' })).toEqual({ pid: 4711 });
  expect(() => startedByNpm({ NPM_PID: 'npm' })).toThrow(ConfigError);
  expect(startedByNpm({ npm_lifecycle_event: 'npx' })).toEqual({ pid: null });
  expect(startedByNpm({ npm_lifecycle_event: 'start' })).toBeNull();
});

test('variables of clients and of other programs are not taken for settings', () => {
  const env = { CONFAB_URL: 'http://a.example', CONFAB_EMAIL: 'a@b', CONFAB_KEY: 'k', PORT: '1' };
  expect(readSettings(env)).toEqual(readSettings({}));
});

test('origins may be given with spaces and with a slash at the end', () => {
  const { allowedOrigins } = readSettings({
    CONFAB_ALLOWED_ORIGINS: 'https://a.example.com, http://localhost:3000/',
  });
  expect(allowedOrigins).toEqual(['https://a.example.com', 'http://localhost:3000']);
});

test.each([
  ['0', null],
  ['1', 'https://secure.gravatar.com/avatar/'],
  ['http://images.internal:8000/', 'http://images.internal:8000/'],
])(
  'images of addresses come from the server that CONFAB_GRAVATAR names: %s',
  (given, gravatarUrl) => {
    expect(readSettings({ CONFAB_GRAVATAR: given })).toMatchObject({ gravatarUrl });
  },
);
