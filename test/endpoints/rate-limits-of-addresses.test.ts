import { expect, test } from 'vitest';
import { openPage } from '../support/pages/page.ts';
import {
  askFrom,
  nowOf,
  outcomes,
  rateOf,
  replyTo,
  whoAmI,
  withLimits,
} from '../support/requests/limited.ts';
import { makeSender, post } from '../support/webhooks/deliveries.ts';

test('log-ins count for the address, whatever credentials come with them', async () => {
  const server = await withLimits({ perUser: 9, perAddress: 2 });
  const { mel } = server.people;
  const guess = { username: 'max@example.com', password: 'wrong horse' };
  expect(await outcomes(3, () => server.post(mel, '/fetch_api_key', guess))).toEqual([
    401, 401, 429,
  ]);
  expect((await server.get(null, '/server_settings')).status).toBe(200);
  expect((await whoAmI(server, mel)).status).toBe(200);
});

test('without credentials an address has so many requests, and another has its own', async () => {
  const server = await withLimits({ perAddress: 2 });
  const { mel } = server.people;
  const reply = await server.get(null, '/server_settings');
  expect([reply.status, ...rateOf(reply)]).toEqual([200, '2', '1', `${nowOf(server) + 30}`]);
  expect((await server.get(null, '/users/me')).status).toBe(401);
  const refused = await server.get(null, '/server_settings');
  expect([refused.status, refused.body['retry-after']]).toEqual([429, 30]);
  expect((await server.get(null, '/openapi.json')).status).toBe(429);
  expect([await askFrom('127.0.0.2', server), await askFrom('127.0.0.3', server)]).toEqual([
    200, 200,
  ]);
  // An account that is logged in is not limited here, and its answers name no limit.
  const own = await whoAmI(server, mel);
  expect([own.status, ...rateOf(own)]).toEqual([200, undefined, undefined, undefined]);
});

test('wrong credentials count for the address, over a socket too, and right ones are served all the same', async () => {
  const server = await withLimits({ perUser: 2, perAddress: 3 });
  const { mel } = server.people;
  const wrong = { ...mel, apiKey: 'x'.repeat(32) };
  const reply = await whoAmI(server, wrong);
  expect([reply.status, ...rateOf(reply)]).toEqual([401, '3', '2', `${nowOf(server) + 20}`]);
  const scheme = { headers: { authorization: 'Bearer x' } };
  expect((await server.request('GET', '/users/me', scheme)).status).toBe(400);
  const socket = await server.socket(wrong);
  expect((await socket.closed()).code).toBe(4001);
  await expect(server.socket(wrong)).rejects.toThrow('Unexpected server response: 429');
  expect((await whoAmI(server, wrong)).status).toBe(429);
  expect(await outcomes(3, () => whoAmI(server, mel))).toEqual([200, 200, 429]);
});

test('a socket whose key was changed counts for its address', async () => {
  const server = await withLimits({ perAddress: 2 });
  const { mel } = server.people;
  const socket = await server.socket(mel);
  await server.post(mel, '/users/me/api_key/regenerate');
  const statuses = await outcomes(3, () => replyTo(socket, '/users/me'));
  expect(statuses).toEqual([401, 401, 429]);
  expect((await server.get(null, '/server_settings')).status).toBe(429);
});

test('a host of no realm, and a realm that is deactivated, have nobody but addresses', async () => {
  const server = await withLimits({ perUser: 9, perAddress: 3 });
  const { ona } = server.people;
  expect((await server.post(ona, '/realm/deactivate')).status).toBe(200);
  expect(await outcomes(4, () => whoAmI(server, ona))).toEqual([401, 401, 401, 429]);
});

test('the key in a URL counts for its bot, whatever the header says; a wrong one for the address', async () => {
  const server = await withLimits({ perUser: 2, perAddress: 1 });
  const bot = await makeSender(server, server.people.mel);
  const posting = {
    query: { stream: 'general', topic: 'builds' },
    headers: { authorization: 'Bearer of-the-service' },
    payload: { build: 7 },
  };
  const ask = () => post(server, 'json', bot, posting);
  expect(await outcomes(3, ask)).toEqual([200, 200, 429]);
  const wrong = { ...bot, apiKey: 'x'.repeat(32) };
  expect(await outcomes(2, () => post(server, 'json', wrong, posting))).toEqual([401, 429]);
});

test('files and images are exempt, whoever asks for them', async () => {
  const server = await withLimits({ perUser: 1, perAddress: 1 });
  const { mel } = server.people;
  const url = `http://test.localhost:${server.app.port}`;
  await outcomes(2, () => server.get(null, '/server_settings'));
  await outcomes(2, () => whoAmI(server, mel));
  for (const path of ['/static/unknown-user.png', `/avatar/${mel.id}`, '/user_uploads/1/a/b.txt']) {
    const replies = [await openPage(url + path), await openPage(url + path, { as: mel })];
    for (const { status, headers } of replies) {
      expect([200, 302, 403, 404]).toContain(status);
      expect(headers).not.toHaveProperty('x-ratelimit-limit');
    }
  }
});

test('pages with a form count for the address, and say so as a page', async () => {
  const server = await withLimits({ perAddress: 1 });
  const page = `http://test.localhost:${server.app.port}/join/abc/`;
  const first = await openPage(page);
  expect([first.status, first.headers['x-ratelimit-remaining']]).toEqual([404, '0']);
  const form = { full_name: 'Eve', email: 'eve@example.com', password: 'correct horse' };
  const { status, headers, text } = await openPage(page, { method: 'POST', form });
  expect([status, headers['retry-after'], headers['content-type']]).toEqual([
    429,
    '60',
    'text/html; charset=utf-8',
  ]);
  expect(text).toContain('API usage exceeded rate limit');
});
