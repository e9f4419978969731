import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Reply } from '../../support/client.ts';
import { addApp, addPasskey, codeAt, openDevice } from '../../support/people/second-steps.ts';
import { FROM_OWN_PAGE } from '../../support/people/session-browser.ts';
import {
  personOf,
  type ServerProcess,
  startProcess,
} from '../../support/processes/start-process.ts';
import type { Person } from '../../support/users.ts';

const PERIOD_MS = 30_000;

test('with two gateways a code and the answer of a passkey count once, wherever they are sent', async () => {
  const server = await startProcess({ CONFAB_GATEWAYS: '2' });
  const mel = personOf(server, 'mel');
  const password = passwordOf(server, mel);
  const { codes } = await addApp(server, mel, { password, at: Date.now() });
  const [code = '', other = ''] = codes;
  const replies = await Promise.all([1, 2, 3].map(() => fetchKey(server, mel, code)));
  expect(replies.map(outcomeOf).toSorted()).toEqual([
    'SECOND_STEP_FAILED',
    'SECOND_STEP_FAILED',
    'success',
  ]);
  expect(outcomeOf(await fetchKey(server, mel))).toBe('SECOND_STEP_REQUIRED');
  expect(outcomeOf(await fetchKey(server, mel, other))).toBe('success');

  const device = openDevice(`http://demo.localhost:${server.port()}`);
  expect(outcomeOf(await addPasskey(server, mel, { device, password }))).toBe('success');
  const response = device.sign((await page(server, '/sessions/passkey/options')).body.options);
  const sent = await Promise.all(
    Array.from({ length: 4 }, () => page(server, '/sessions/passkey', { response })),
  );
  expect(sent.map(outcomeOf).toSorted()).toEqual([
    ...Array(3).fill('SECOND_STEP_FAILED'),
    'success',
  ]);
  // One of another account, and one that was signed for another host, are refused by each gateway.
  const stranger = openDevice(`http://elsewhere.localhost:${server.port()}`);
  const { options } = (await server.post(mel, '/users/me/passkeys/options', { password })).body;
  const forged = { name: 'Forged', response: stranger.register(options) };
  expect((await server.post(mel, '/users/me/passkeys', forged)).body).toMatchObject({
    msg: 'The passkey was not accepted.',
  });
});

test('a code that was used does not count again after a kill, and others still count', async () => {
  const server = await startProcess();
  const mel = personOf(server, 'mel');
  const password = passwordOf(server, mel);
  const at = Date.now();
  const { secret, codes } = await addApp(server, mel, { password, at });
  const [first = '', second = '', third = ''] = codes;
  const device = openDevice(`http://demo.localhost:${server.port()}`);
  expect(outcomeOf(await addPasskey(server, mel, { device, password }))).toBe('success');
  const response = device.sign((await page(server, '/sessions/passkey/options')).body.options);
  expect(outcomeOf(await page(server, '/sessions/passkey', { response }))).toBe('success');
  expect(outcomeOf(await fetchKey(server, mel, first))).toBe('success');
  await server.kill();
  expect(outcomeOf(await page(server, '/sessions/passkey', { response }))).toBe(
    'SECOND_STEP_FAILED',
  );
  expect(outcomeOf(await fetchKey(server, mel, first))).toBe('SECOND_STEP_FAILED');
  expect(outcomeOf(await fetchKey(server, mel, codeAt(secret, at)))).toBe('SECOND_STEP_FAILED');
  expect(outcomeOf(await fetchKey(server, mel, second))).toBe('success');
  expect(outcomeOf(await fetchKey(server, mel, codeAt(secret, at + PERIOD_MS)))).toBe('success');

  // Killed in a log-in: the code has counted once at most, whether it was answered or not.
  const caught = fetchKey(server, mel, third).then(outcomeOf, () => 'no answer');
  await server.kill();
  const again = outcomeOf(await fetchKey(server, mel, third));
  if ((await caught) === 'success') expect(again).toBe('SECOND_STEP_FAILED');
  else expect(['success', 'SECOND_STEP_FAILED']).toContain(again);
  expect(outcomeOf(await fetchKey(server, mel, third))).toBe('SECOND_STEP_FAILED');
});

const outcomeOf = ({ body }: Reply): string => body.code ?? body.result;

const fetchKey = (server: ServerProcess, as: Person, code?: string) =>
  server.post(null, '/fetch_api_key', {
    username: as.email,
    password: passwordOf(server, as),
    ...(code === undefined ? {} : { second_step_code: code }),
  });

/** Sends a request as a page of the server does. */
const page = (server: ServerProcess, path: string, params: Record<string, string> = {}) =>
  server.ask(null, { method: 'POST', path, params, headers: FROM_OWN_PAGE });

const passwordOf = ({ data }: ServerProcess, { email }: Person): string => {
  const { users } = JSON.parse(readFileSync(join(data, 'demo-credentials.json'), 'utf8')) as {
    readonly users: readonly { readonly email: string; readonly password: string }[];
  };
  return users.find((user) => user.email === email)?.password ?? expect.fail('they have one');
};
