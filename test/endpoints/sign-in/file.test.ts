import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSettings } from '../../../src/config.ts';
import { temporaryFolder } from '../../support/scratch.ts';

const SECRET = 'what-nobody-may-read-in-a-log';
const OPENID = {
  type: 'openid',
  name: 'idp',
  issuer: 'https://idp.example.com',
  client_id: 'chat',
  client_secret: SECRET,
};
const LDAP = { type: 'ldap', name: 'office', url: 'ldaps://ldap.example.com', base: 'dc=example' };
const JWT = { type: 'jwt', name: 'portal', algorithms: ['HS256'], key: SECRET.repeat(2) };

function read(text: string) {
  const path = join(temporaryFolder(), 'sign-in.json');
  writeFileSync(path, text);
  return readSettings({ CONFAB_SIGN_IN: path, HELD: SECRET }).signIn;
}

const entries = (...list: readonly unknown[]) => JSON.stringify({ entries: list });

test.each([
  { says: 'is no JSON', text: `{"entries": [{"client_secret": "${SECRET}"` },
  { says: 'has the form {"entries": […]}', text: JSON.stringify([OPENID]) },
  { says: 'has the form {"entries": […]}', text: '{}' },
  { says: 'more than 1 MiB', text: ' '.repeat(1_048_577) },
  { says: 'two entries called idp', text: entries(OPENID, { ...JWT, name: 'idp' }) },
  { says: 'entry 2: ', text: entries(OPENID, SECRET) },
  { says: 'entry idp: ', text: entries({ ...OPENID, type: SECRET }) },
  { says: 'entry idp: has an unknown field: sekret', text: entries({ ...OPENID, sekret: SECRET }) },
  { says: 'entry idp: client_id ', text: entries({ ...OPENID, client_id: 7 }) },
  { says: 'entry idp: issuer is not a URL of https', text: entries(issuer('http://example.com')) },
  {
    says: 'entry idp: issuer is not a URL of https',
    text: entries(issuer(`http://localhost:${SECRET}@example.com`)),
  },
  {
    says: 'entry idp: client_secret cannot be read: the variable MISSING',
    text: entries({ ...OPENID, client_secret: { env: 'MISSING' } }),
  },
  {
    says: 'entry idp: client_secret cannot be read: the file /nowhere',
    text: entries({ ...OPENID, client_secret: { file: '/nowhere' } }),
  },
  { says: 'entry idp: scopes ', text: entries({ ...OPENID, scopes: ['email'] }) },
  { says: 'entry idp: grants.0.role ', text: entries({ ...OPENID, grants: [grant('king')] }) },
  { says: 'entry portal: algorithms names both', text: entries(algorithms('HS256', 'RS256')) },
  { says: 'entry portal: algorithms', text: entries(algorithms('none')) },
  { says: 'entry portal: key is no public key', text: entries(algorithms('RS256')) },
  {
    says: 'entry office: url is not like ldaps://host',
    text: ldap({ url: 'https://example.com' }),
  },
  { says: 'entry office: url is not like', text: ldap({ url: `ldaps://me:${SECRET}@host` }) },
  { says: 'entry office: url is without TLS', text: ldap({ url: 'ldap://ldap.example.com' }) },
  { says: 'entry office: start_tls is for ldap://', text: ldap({ start_tls: true }) },
  {
    says: 'entry office: ca_file names a file without certificates',
    text: ldap({ ca_file: '/nowhere' }),
  },
  { says: 'entry office: bind_password is missing', text: ldap({ bind_dn: 'cn=confab' }) },
  { says: 'entry office: bind_password is missing', text: ldap({ bind_password: SECRET }) },
  {
    says: 'entry office: bind_password cannot be read: the variable MISSING',
    text: ldap({ bind_dn: 'cn=confab', bind_password: { env: 'MISSING' } }),
  },
  { says: 'entry office: base ', text: ldap({ base: '' }) },
  { says: 'entry office: filter is no filter', text: ldap({ filter: 'uid={name}' }) },
  {
    says: 'entry office: filter is no filter',
    text: ldap({ filter: '(uid={name})(mail={name})' }),
  },
  { says: 'entry office: filter does not have {name}', text: ldap({ filter: '(uid=me)' }) },
  { says: 'entry office: filter does not have {name}', text: ldap({ filter: '(uid={name}*)' }) },
  { says: 'entry office: attributes.id is no name', text: ldap({ attributes: { id: '1(x)' } }) },
  {
    says: 'entry office: attributes has an unknown field: mail',
    text: ldap({ attributes: { mail: 'mail' } }),
  },
  { says: 'entry office: timeout_ms ', text: ldap({ timeout_ms: 1 }) },
  { says: 'entry office: sync_minutes ', text: ldap({ sync_minutes: -1 }) },
  { says: 'entry office: deactivates_percent_max ', text: ldap({ deactivates_percent_max: 101 }) },
  { says: 'entry idp: logs_out ', text: entries({ ...OPENID, logs_out: 'yes' }) },
  {
    says: 'entry portal: has an unknown field: makes_accounts',
    text: entries({ ...JWT, makes_accounts: true }),
  },
  {
    says: 'entry portal: has an unknown field: grants',
    text: entries({ ...JWT, grants: [grant('member')] }),
  },
  {
    says: 'entry portal: has an unknown field: display_name',
    text: entries({ ...JWT, display_name: 'Portal' }),
  },
  { says: 'entry portal: key ', text: entries({ ...JWT, key: SECRET.slice(0, 20) }) },
])('a file that is wrong is refused, without its secrets: $says', ({ says, text }) => {
  let message = '';
  try {
    read(text);
  } catch (error) {
    message = String(error);
  }
  expect(message).toContain('CONFAB_SIGN_IN');
  expect(message).toContain(says);
  expect(message).not.toContain(SECRET.slice(0, 20));
});

function ldap(fields: object) {
  return entries({ ...LDAP, ...fields });
}

function issuer(url: string) {
  return { ...OPENID, issuer: url };
}

function grant(role: string) {
  return { group: 'staff', role };
}

function algorithms(...names: readonly string[]) {
  return { ...JWT, algorithms: names };
}

test('a secret is a text, or in a file or a variable, and nobody can change the list', () => {
  const file = join(temporaryFolder(), 'secret');
  writeFileSync(file, `${SECRET}\n`);
  const secrets = [SECRET, { file }, { env: 'HELD' }];
  const found = read(
    entries(...secrets.map((one, n) => ({ ...OPENID, name: `idp-${n}`, client_secret: one }))),
  );
  expect(found).toMatchObject(secrets.map(() => ({ client_secret: SECRET })));
  expect(Object.isFrozen(found)).toBe(true);
});
