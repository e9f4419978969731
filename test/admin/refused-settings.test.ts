import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSettings } from '../../src/config.ts';
import { ConfigError } from '../../src/settings/reading.ts';
import { builtFile } from '../support/processes/dist.ts';
import { run, runMain } from '../support/processes/run.ts';
import { temporaryFolder } from '../support/scratch.ts';

test.each([
  { env: { CONFAB_PORT: 'http' }, msg: 'CONFAB_PORT is not a port' },
  ...['9100', 'localhost', '127.0.0.1:99999', '::1:80', 'confab.sock'].map((address) => ({
    env: { CONFAB_OPERATOR: address },
    msg: 'CONFAB_OPERATOR is no address like 127.0.0.1:8081, no path and not off',
  })),
  ...['0.0.0.0:8081', '[::]:8081', 'metrics.example.com:8081'].map((address) => ({
    env: { CONFAB_OPERATOR: address },
    msg: 'CONFAB_OPERATOR lets other machines in, so it needs CONFAB_OPERATOR_TOKEN_FILE',
  })),
  {
    env: { CONFAB_GATEWAYS: '16' },
    msg: 'CONFAB_GATEWAYS is not a number from 0 to 15',
  },
  {
    env: { CONFAB_DRAIN_MS: '600001' },
    msg: 'CONFAB_DRAIN_MS is not a number from 0 to 600000',
  },
  { env: { CONFAB_PORT: '-1' }, msg: 'CONFAB_PORT is not a port' },
  { env: { CONFAB_PORT: '65536' }, msg: 'CONFAB_PORT is not a port' },
  ...['s3', 's3://', 's3://B', '/srv/files', 's3://files/a b'].map((files) => ({
    env: { CONFAB_FILES: files },
    msg: 'CONFAB_FILES is neither local nor an address like s3://bucket/folder',
  })),
  { env: { CONFAB_LOG_LEVEL: 'loud' }, msg: /CONFAB_LOG_LEVEL is none of trace, debug, info/ },
  { env: { CONFAB_TLS_KEY: 'key.pem' }, msg: 'CONFAB_TLS_KEY and CONFAB_TLS_CERT go together' },
  { env: { CONFAB_TLS_CERT: 'cert.pem' }, msg: 'CONFAB_TLS_KEY and CONFAB_TLS_CERT go together' },
  { env: { CONFAB_ALIAS_PREFIX: 'Acme' }, msg: 'CONFAB_ALIAS_PREFIX is not a lower-case word' },
  { env: { CONFAB_ALIAS_PREFIX: 'a_b' }, msg: 'CONFAB_ALIAS_PREFIX is not a lower-case word' },
  { env: { CONFAB_SMTP_URL: 'localhost:25' }, msg: 'CONFAB_SMTP_URL is no smtp://' },
  {
    env: { CONFAB_LIMIT_PRESENCE: 'yes' },
    msg: 'CONFAB_LIMIT_PRESENCE is neither 0 nor 1',
  },
  { env: { CONFAB_DEMO: 'no' }, msg: 'CONFAB_DEMO is none of 0, 1, empty and open' },
  { env: { CONFAB_ACME_EMAIL: 'ops' }, msg: /^CONFAB_ACME_EMAIL is not a mail address/ },
  { env: { CONFAB_ACME_DIRECTORY: 'http://x' }, msg: /^CONFAB_ACME_DIRECTORY is not a URL/ },
  {
    env: { CONFAB_ACME_EMAIL: 'ops@example.com' },
    msg: /^CONFAB_ACME_EMAIL needs CONFAB_REDIRECT_PORT/,
  },
  { env: { CONFAB_REDIRECT_PORT: '80' }, msg: /^CONFAB_REDIRECT_PORT needs TLS/ },
  { env: { CONFAB_DOMAIN: 'Chat.example.com' }, msg: 'CONFAB_DOMAIN is not a domain name' },
  { env: { CONFAB_DOMAIN: 'https://x' }, msg: 'CONFAB_DOMAIN is not a domain name' },
  { env: { CONFAB_DEFAULT_REALM: 'Main' }, msg: /CONFAB_DEFAULT_REALM is not the name of a realm/ },
  { env: { CONFAB_ALLOWED_ORIGINS: 'example.com' }, msg: /CONFAB_ALLOWED_ORIGINS is not a list/ },
  ...['3:30', '24:00', '03:60', '*', '03:30,', 'daily'].map((at) => ({
    env: { CONFAB_BACKUP_AT: at },
    msg: 'CONFAB_BACKUP_AT is not a list of times like 03:30 or *:15',
  })),
  { env: { CONFAB_BACKUP_KEEP: '0' }, msg: 'CONFAB_BACKUP_KEEP is not a number from 1 to 10000' },
  { env: { CONFAB_S3_ENDPOINT: 'example.com' }, msg: 'CONFAB_S3_ENDPOINT is not a URL of http' },
  { env: { CONFAB_GRAVATAR: '2' }, msg: 'CONFAB_GRAVATAR is neither 0 nor 1 nor a URL' },
  { env: { CONFAB_GRAVATAR: 'ftp://a.example' }, msg: 'CONFAB_GRAVATAR is neither 0 nor 1' },
  { env: { CONFAB_GRAVATAR: 'https://a.example/?hash=' }, msg: /CONFAB_GRAVATAR is neither/ },
  { env: { CONFAB_GRAVATAR: 'https://' }, msg: /CONFAB_GRAVATAR is neither/ },
  ...['0', '100001', '1.5', 'much'].map((mib) => ({
    env: { CONFAB_MAX_UPLOAD_MIB: mib },
    msg: 'CONFAB_MAX_UPLOAD_MIB is not a number from 1 to 100000',
  })),
  ...['-1', '1000001', '1.5', 'few'].flatMap((requests) =>
    ['CONFAB_REQUESTS_PER_MINUTE', 'CONFAB_ANONYMOUS_REQUESTS_PER_MINUTE'].map((name) => ({
      env: { [name]: requests },
      msg: `${name} is not a number from 0 to 1000000`,
    })),
  ),
  {
    env: { CONFAB_INVITATION_MINUTES: '0' },
    msg: 'CONFAB_INVITATION_MINUTES is not a number from 1 to 5256000',
  },
  {
    env: { CONFAB_INVITATION_MINUTES: '5256001' },
    msg: 'CONFAB_INVITATION_MINUTES is not a number from 1 to 5256000',
  },
  {
    env: { CONFAB_INVITATION_MINUTES: 'a week' },
    msg: 'CONFAB_INVITATION_MINUTES is not a number from 1 to 5256000',
  },
])('a wrong setting is refused by name: $env', ({ env, msg }) => {
  expect(() => readSettings(env)).toThrow(ConfigError);
  expect(() => readSettings(env)).toThrow(msg);
});

test.each([
  ['CONFAB_PROT', 'CONFAB_PROT is not a setting; did you mean CONFAB_PORT?'],
  ['CONFAB_SMTP', 'CONFAB_SMTP is not a setting; did you mean CONFAB_SMTP_URL?'],
  ['CONFAB_TLS_CRET', 'CONFAB_TLS_CRET is not a setting; did you mean CONFAB_TLS_CERT?'],
  ['confab_port', 'confab_port is not a setting; did you mean CONFAB_PORT?'],
  [
    'CONFAB_FAVOURITE_COLOUR',
    'CONFAB_FAVOURITE_COLOUR is not a setting; docs/settings.md lists all of them',
  ],
])('a variable that is no setting is refused with the nearest name: %s', (name, msg) => {
  expect(() => readSettings({ [name]: '1' })).toThrow(new ConfigError(msg));
  expect(readSettings({ [name]: '' })).toEqual(readSettings({}));
});

test.each([
  { of: 'the server', start: runMain },
  {
    of: 'the command line',
    start: (env: Record<string, string>) =>
      run(process.execPath, [builtFile('confab'), 'realm', 'list'], env),
  },
])('$of does not start with a mistyped setting', async ({ start }) => {
  const data = join(temporaryFolder(), 'none');
  expect(await start({ CONFAB_DATA: data, CONFAB_PROT: '1' })).toMatchObject({
    code: expect.toSatisfy((code) => code !== 0),
    stdout: '',
    stderr: 'confab: CONFAB_PROT is not a setting; did you mean CONFAB_PORT?\n',
  });
  expect(existsSync(data)).toBe(false);
});
