import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { checkTlsPair } from '../../../src/admin/tls/tls-pair.ts';
import { ConfigError } from '../../../src/settings/reading.ts';

const FIXTURES = resolve(import.meta.dirname, '../../fixtures');
const KEY = join(FIXTURES, 'test-only-key.pem');
const CERT = join(FIXTURES, 'test-only-cert.pem');
const OTHER_KEY = join(FIXTURES, 'test-only-other-key.pem');

test('a key and its certificate are taken', () => {
  expect(() => checkTlsPair({ key: KEY, cert: CERT })).not.toThrow();
});

test.each([
  { why: 'a missing key', key: '/nowhere', cert: CERT, msg: /CONFAB_TLS_KEY cannot be read/ },
  { why: 'a missing certificate', key: KEY, cert: '/nowhere', msg: /CONFAB_TLS_CERT cannot be/ },
  { why: 'a file without a key', key: CERT, cert: CERT, msg: /CONFAB_TLS_KEY holds no private/ },
  { why: 'a file without a certificate', key: KEY, cert: KEY, msg: /CONFAB_TLS_CERT holds no/ },
  { why: 'the key of another certificate', key: OTHER_KEY, cert: CERT, msg: /belong together/ },
])('the setting is named when it is $why', ({ key, cert, msg }) => {
  expect(() => checkTlsPair({ key, cert })).toThrow(ConfigError);
  expect(() => checkTlsPair({ key, cert })).toThrow(msg);
});
