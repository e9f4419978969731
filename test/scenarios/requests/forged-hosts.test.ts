import { expect, test } from 'vitest';
import { openClient } from '../../support/client.ts';
import { tus } from '../../support/files/tus.ts';
import { openPage } from '../../support/pages/page.ts';
import { openRandom } from '../../support/random.ts';
import {
  document,
  OPERATIONS,
  openRestoring,
  populated,
  unparked,
} from '../../support/realms/populated-realm.ts';
import { generatedRequest } from '../../support/requests/generated-requests.ts';
import { runs } from '../../support/runs.ts';
import { startServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const SEED = 20_261_126;
const ROUNDS = runs({ few: 7, all: 8 });

/** The first names no realm, so that it means the only one; the others name it. */
const FORGED = ['evil.example.com', 'test.evil.example.com', 'TEST.Evil.example.com:666'] as const;
const TRACE = /evil/i;

test('no reply and no event repeats the host of a request that names another one', async () => {
  const { server, reader, callers, vocabulary } = await populated();
  const restore = await openRestoring(server);
  const { ona, mel, gus } = server.people;
  const random = openRandom(SEED);
  const forged = FORGED.map((host) => openClient(() => server.app.port, host));
  const register = async (as: Person) => {
    const queue = (await forged[1]?.register(as)) ?? expect.fail();
    expect(JSON.stringify(queue.state)).not.toMatch(TRACE);
    return queue;
  };
  let queues = await Promise.all([ona, mel, gus].map(register));
  const kinds = new Set<string>();
  const succeeded = new Set<string>();
  let version = reader.accountsVersion();
  for (let round = 0; round < ROUNDS; round++) {
    for (const target of OPERATIONS) {
      const request = unparked(generatedRequest({ random, document, vocabulary }, target));
      const as = callers[random.below(callers.length)] ?? null;
      const { method, path, body } = request;
      const host = random.pick(FORGED);
      const reply = await server.request(method, path, {
        as,
        headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
        ...(body === undefined ? {} : { body }),
      });
      const what = `seed ${SEED}, round ${round}: ${method} ${path} at ${host}`;
      expect(JSON.stringify([reply.headers, reply.body]), what).not.toMatch(TRACE);
      if (reply.status === 200) succeeded.add(`${target.method} ${target.path}`);
      if (reader.accountsVersion() === version) continue;
      await restore();
      version = reader.accountsVersion();
    }
    for (const queue of queues) {
      const poll = await queue.poll({ dont_block: true });
      expect(JSON.stringify(poll.body)).not.toMatch(TRACE);
      // One of the requests has ended the queue.
      if (poll.status !== 200) continue;
      for (const { id, type } of poll.body.events) {
        queue.lastEventId = Math.max(queue.lastEventId, id);
        kinds.add(type);
      }
    }
    queues = await Promise.all([ona, mel, gus].map(register));
  }
  expect(server.bugs).toEqual([]);
  expect(succeeded.size).toBeGreaterThan(OPERATIONS.length / 2);
  expect(kinds.size).toBeGreaterThan(20);
});

test('nor do pages, uploads, links to join, and sockets', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ada, mel } = server.people;
  const [, named] = FORGED;
  const forged = openClient(() => server.app.port, named);
  const { body: link } = await forged.post(ada, '/invites/multiuse');
  expect(link.invite_link).toMatch(/^http:\/\/test\.localhost\/join\//);
  const { body: upload } = await forged.post(mel, '/user_uploads');
  expect(JSON.stringify(upload)).not.toMatch(TRACE);
  const path = new URL(link.invite_link).pathname;
  for (const opened of [path, '/', '/login', '/nowhere', '/static/nothing.png']) {
    const { text, headers } = await openPage(`${server.url}${opened}`, { host: named });
    expect(`${JSON.stringify(headers)}${text}`).not.toMatch(TRACE);
  }
  const begun = { method: 'POST', as: mel, headers: { 'upload-length': '3' }, host: named };
  const { status, headers } = await tus(server.app.port, begun);
  expect(status).toBe(201);
  expect(JSON.stringify(headers)).not.toMatch(TRACE);
  const socket = await forged.socket(mel);
  socket.send({ type: 'register', id: 1, params: {} });
  expect(JSON.stringify(await socket.frame('registered'))).not.toMatch(TRACE);
});

test.each([
  { host: 'localhost:9000', url: 'http://localhost:9000' },
  { host: 'test.localhost:9000', url: 'http://test.localhost:9000' },
  { host: '127.0.0.1:9000', url: 'http://127.0.0.1:9000' },
  { host: '127.8.7.6', url: 'http://127.8.7.6' },
  { host: '[::1]:9000', url: 'http://[::1]:9000' },
  { host: 'test.chat.example.com:9000', url: 'http://test.chat.example.com:9000' },
  { host: 'chat.example.com', url: 'http://chat.example.com' },
  // These are of another machine, of a realm that does not exist, and names that only look like
  // those of this server.
  { host: '203.0.113.9', url: 'http://test.chat.example.com' },
  { host: '[2001:db8::1]', url: 'http://test.chat.example.com' },
  { host: 'other.chat.example.com', url: undefined },
  { host: 'localhost.evil.example.com', url: undefined },
  { host: '127.0.0.1.evil.example.com', url: undefined },
  { host: 'evilchat.example.com', url: undefined },
  { host: 'test.evil.example.com', url: 'http://test.chat.example.com' },
])('a realm asked as $host says that it is at $url', async ({ host, url }) => {
  const server = await startServer({ env: { CONFAB_DOMAIN: 'chat.example.com' } });
  const { body } = await server.request('GET', '/server_settings', { headers: { host } });
  expect(body.realm_url).toBe(url);
});
