import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { examine } from '../../src/command-line/doctor.ts';
import { readSettings } from '../../src/config.ts';
import { temporaryFolder } from '../support/scratch.ts';
import { startServer } from '../support/start-server.ts';

const FIXTURES = resolve(import.meta.dirname, '../fixtures');
const EXPIRES = Date.parse('2126-10-27T19:35:35Z');
const DAY_MS = 86_400_000;

test.each([
  { why: 'long before its end', days: 30, result: 'ok' },
  { why: 'a week before its end', days: 7, result: 'warn' },
  { why: 'after its end', days: -1, result: 'fail' },
])('a certificate is examined $why', async ({ days, result }) => {
  const found = await examined({ now: EXPIRES - days * DAY_MS });
  expect(found.filter(({ check }) => check === 'tls')).toMatchObject([
    { result, says: expect.stringContaining(`(${days} days)`) },
  ]);
});

test('a certificate has to cover the names of the realms', async () => {
  const server = await startServer();
  const found = await examined({
    now: EXPIRES - 30 * DAY_MS,
    data: server.data,
    env: { CONFAB_DOMAIN: 'chat.invalid' },
  });
  expect(found.filter(({ check }) => check === 'tls')).toMatchObject([
    { result: 'ok' },
    { result: 'fail', says: 'it does not cover test.chat.invalid' },
  ]);
  expect(found.filter(({ check }) => check === 'dns')).toMatchObject([{ result: 'fail' }]);
});

test('a clock that is behind the data has failed', async () => {
  const server = await startServer();
  const [right, wrong] = await Promise.all(
    [Date.now(), Date.now() - DAY_MS].map((now) => examined({ now, data: server.data })),
  );
  expect(right?.find(({ check }) => check === 'clock')).toMatchObject({ result: 'ok' });
  expect(wrong?.find(({ check }) => check === 'clock')).toMatchObject({
    result: 'fail',
    advice: expect.stringContaining('NTP'),
  });
});

test('it is told whether mails to the addresses of channels are received', async () => {
  const incoming = async (env = {}) =>
    (await examined({ now: Date.now(), env })).filter(({ check }) => check === 'mail').at(-1);
  expect(await incoming()).toEqual({
    check: 'mail',
    result: 'ok',
    says: 'none are received, not even at the addresses of channels: CONFAB_MAIL_IN is not set',
  });
  expect(await incoming({ CONFAB_MAIL_IN: '[::1]:2525' })).toMatchObject({
    result: 'ok',
    says: 'received at [::1]:2525, from relays in 127.0.0.0/8, ::1',
  });
});

interface Case {
  readonly now: number;
  readonly data?: string;
  readonly env?: Readonly<Record<string, string>>;
}

function examined({ now, data = temporaryFolder(), env = {} }: Case) {
  const settings = readSettings({
    CONFAB_TLS_KEY: join(FIXTURES, 'test-only-key.pem'),
    CONFAB_TLS_CERT: join(FIXTURES, 'test-only-cert.pem'),
    ...env,
  });
  return examine({ settings, data, pid: null, now: () => now });
}
