import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { EMAIL_LENGTH_MAX } from '../../../src/domain/limits/accounts.ts';
import { NOTIFICATION_BOT } from '../../../src/domain/rules/people/system-bots.ts';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import { openPage } from '../../support/pages/page.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

interface PageRequest {
  readonly as?: Person;
  readonly method?: string;
  readonly realm?: string;
}

const open = (
  { app }: TestServer,
  path: string,
  { realm = 'test', ...request }: PageRequest = {},
) => openPage(`http://${realm}.localhost:${app.port}${path}`, request);

const locationOf = async (server: TestServer, path: string, request: PageRequest = {}) => {
  const { status, headers } = await open(server, path, request);
  return status === 302 ? headers.location : status;
};

const md5 = (text: string) => createHash('md5').update(text).digest('hex');
const gravatarOf = ({ email }: Person, version = 1) =>
  `https://secure.gravatar.com/avatar/${md5(email)}?d=identicon&version=${version}`;
const OWN = /^\/static\/avatars\/[0-9a-f]{16}\.png$/;
const OWN_MEDIUM = /^\/static\/avatars\/[0-9a-f]{16}-medium\.png$/;

test('who may see an address is led to the image that is found by it, small or medium', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  for (const name of ['4', mel.email, 'MEL%40Example.com', 'user4@test.localhost']) {
    expect(await locationOf(server, `/avatar/${name}`, { as: max }), name).toBe(gravatarOf(mel));
    expect(await locationOf(server, `/avatar/${name}/medium?v=1`, { as: max }), name).toBe(
      `${gravatarOf(mel)}&s=500`,
    );
  }
});

test('clients that make a medium address of any small one find what is there', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  expect(await locationOf(server, '/avatar/4-medium.png?v=1', { as: max })).toBe(
    `${gravatarOf(mel)}&s=500`,
  );
  expect(await locationOf(server, '/avatar/4-medium.png?v=1')).toMatch(OWN_MEDIUM);
  expect(await locationOf(server, `/avatar/${mel.email}-medium.png`, { as: max })).toBe(404);
});

test.each([
  { visibility: 1, seenBy: ['ona', 'ada', 'mia', 'max', 'gus', 'bot', 'mel'] },
  { visibility: 2, seenBy: ['ona', 'ada', 'mia', 'max', 'bot', 'mel'] },
  { visibility: 3, seenBy: ['ona', 'ada', 'mel'] },
  { visibility: 4, seenBy: ['mel'] },
  { visibility: 5, seenBy: ['ona', 'ada', 'mia', 'mel'] },
] as const)(
  'an address that is seen by $seenBy shows in its image to nobody else',
  async ({ visibility, seenBy }) => {
    const server = await startServer();
    const { mel, ...others } = server.people;
    if (visibility !== 1) {
      await server.patch(mel, '/settings', { email_address_visibility: visibility });
    }
    const version = visibility === 1 ? 1 : 2;
    const ownImage = await locationOf(server, '/avatar/4');
    expect(ownImage).toMatch(OWN);
    for (const [name, as] of Object.entries({ ...others, mel })) {
      const isSeen = (seenBy as readonly string[]).includes(name);
      const expected = isSeen ? gravatarOf(mel, version) : ownImage;
      expect(await locationOf(server, '/avatar/4', { as }), name).toBe(expected);
      expect(await locationOf(server, '/avatar/user4@test.localhost', { as }), name).toBe(expected);
      // The real address works only for those who know it.
      expect(await locationOf(server, `/avatar/${mel.email}`, { as }), name).toBe(
        isSeen ? expected : 404,
      );
    }
  },
);

test('without credentials nothing is to be learnt of an address, not even whether it exists', async () => {
  const server = await startServer();
  const { mel, bot } = server.people;
  const known = await open(server, `/avatar/${mel.email}`);
  const unknown = await open(server, '/avatar/nobody@example.com');
  expect([known.status, known.text]).toEqual([404, unknown.text]);
  expect({ ...known.headers, date: '' }).toEqual({ ...unknown.headers, date: '' });
  expect((await open(server, `/avatar/${bot.email}`)).status).toBe(404);

  // The picture does not depend on the address: it is the same with another one.
  const before = await locationOf(server, '/avatar/4');
  await server.perform((tx) => {
    const row = tx.users.get([mel.id]) ?? expect.fail('mel is there');
    tx.users.put([mel.id], { ...row, email: 'other@example.org' });
  });
  expect(await locationOf(server, '/avatar/4')).toBe(before);
  expect(await locationOf(server, '/avatar/user4@test.localhost')).toBe(before);
  expect(await locationOf(server, '/avatar/5')).not.toBe(before);
});

test('an image of the server’s own may be kept for ever, and can do nothing', async () => {
  const server = await startServer();
  const shown = new Set<string>();
  for (const path of ['/avatar/4', '/avatar/4/medium', '/avatar/5']) {
    const image = await open(server, String(await locationOf(server, path)));
    expect(image.status).toBe(200);
    expect(image.headers).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'",
      'x-content-type-options': 'nosniff',
    });
    expect(image.body.subarray(1, 4).toString()).toBe('PNG');
    shown.add(image.body.toString('base64'));
  }
  expect(shown.size).toBe(3);
});

test('the way to an image is kept under the version it has, by the client that was shown it', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  const { headers } = await open(server, '/avatar/4?v=1', { as: max });
  expect(headers).toMatchObject({
    'cache-control': 'private, max-age=86400',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    vary: 'Authorization',
  });
  const cacheOf = async (path: string) =>
    (await open(server, path, { as: max })).headers['cache-control'];
  for (const path of ['/avatar/4', '/avatar/4?v=2', '/avatar/4?v=', '/avatar/4?v=1&v=2']) {
    expect(await cacheOf(path), path).toBe('private, no-cache');
  }
  await server.patch(mel, '/settings', { email_address_visibility: 4 });
  expect(await cacheOf('/avatar/4?v=1')).toBe('private, no-cache');
  expect(await cacheOf('/avatar/4?v=2')).toBe('private, max-age=86400');
});

test('accounts that are deactivated keep their image, bots have one, and the notification bot its own', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, mel, max, bot } = server.people;
  await server.perform((tx) => {
    const row = tx.users.get([mel.id]) ?? expect.fail('mel is there');
    tx.users.put([mel.id], { ...row, isActive: false });
  });
  expect(await locationOf(server, '/avatar/4', { as: max })).toBe(gravatarOf(mel));
  expect(await locationOf(server, '/avatar/7', { as: max })).toBe(gravatarOf(bot));
  expect(await locationOf(server, '/avatar/7')).toMatch(OWN);

  const [listed] = (await server.register(ona)).state.cross_realm_bots;
  expect(listed).toMatchObject({ avatar_url: '/static/notification-bot.png?v=1' });
  const names = [NOTIFICATION_BOT.id, `${NOTIFICATION_BOT.id}/medium`, listed.email];
  for (const name of names) {
    for (const request of [{}, { as: max }]) {
      expect(await locationOf(server, `/avatar/${name}`, request)).toBe(listed.avatar_url);
    }
  }
  const image = await open(server, listed.avatar_url);
  expect([image.status, image.headers['content-type']]).toEqual([200, 'image/png']);
});

test('a guest is not led to whom they may not know of', async () => {
  const server = await startServer();
  const { mel, gus, max } = server.people;
  await server.set('can_access_all_users_group', systemGroupId('role:members'));
  for (const name of ['4', mel.email, 'user4@test.localhost']) {
    expect(await locationOf(server, `/avatar/${name}`, { as: gus }), name).toBe(404);
    expect(await locationOf(server, `/avatar/${name}`, { as: max }), name).toBe(gravatarOf(mel));
  }
  expect(await locationOf(server, '/avatar/6', { as: gus })).toBe(gravatarOf(gus));
});

test('one realm knows nothing of the accounts of another', async () => {
  const server = await startServer();
  const { admin: eve } = await server.addRealm('acme');
  const { mel } = server.people;
  expect(await locationOf(server, '/avatar/1', { as: eve, realm: 'acme' })).toBe(gravatarOf(eve));
  expect(await locationOf(server, '/avatar/4', { as: eve, realm: 'acme' })).toBe(404);
  expect(await locationOf(server, '/avatar/user4@test.localhost', { realm: 'acme' })).toBe(404);
  // Credentials are those of one realm.
  expect(await locationOf(server, '/avatar/1', { as: mel, realm: 'acme' })).toBe(401);
  const [own, other] = [
    await locationOf(server, '/avatar/1'),
    await locationOf(server, '/avatar/1', { realm: 'acme' }),
  ];
  expect([own, other]).toEqual([expect.stringMatching(OWN), expect.stringMatching(OWN)]);
  expect(own).not.toBe(other);
});

test.each([
  { why: 'an id of nobody', path: '/avatar/99' },
  { why: 'the id of those who are not logged in', path: '/avatar/0' },
  { why: 'an id that no number holds', path: '/avatar/99999999999999999999' },
  { why: 'a negative id', path: '/avatar/-4' },
  { why: 'an address of nobody', path: '/avatar/nobody@example.com' },
  { why: 'a dummy address of nobody', path: '/avatar/user99@test.localhost' },
  { why: 'what is neither', path: '/avatar/mel' },
  { why: 'a dot', path: '/avatar/.' },
  { why: 'two dots', path: '/avatar/..' },
  { why: 'two encoded dots', path: '/avatar/%2e%2e' },
  { why: 'an encoded slash', path: '/avatar/4%2Fmedium' },
  { why: 'an encoded zero', path: '/avatar/4%00' },
  { why: 'spaces alone', path: '/avatar/%20' },
  { why: 'the longest address', path: `/avatar/${'a'.repeat(EMAIL_LENGTH_MAX - 2)}@b` },
  { why: 'a longer one', path: `/avatar/${'a'.repeat(EMAIL_LENGTH_MAX - 1)}@b` },
  { why: 'one that no key holds', path: `/avatar/${'a'.repeat(20_000)}@example.com` },
  { why: 'a medium one of nobody', path: '/avatar/99/medium' },
])('$why is answered with a page that is not found', async ({ path }) => {
  const server = await startServer();
  for (const request of [{}, { as: server.people.ona }]) {
    const { status, headers, text } = await open(server, path, request);
    expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(headers['cache-control']).toBe('private, no-store');
    expect(text).toContain('<h1>Not found</h1>');
  }
  expect(server.bugs).toEqual([]);
});

test.each([
  '/avatar',
  '/avatar/',
  '/avatar//medium',
  '/avatar/4/',
  '/avatar/4/large',
  '/avatar/../avatar/4',
])('there is nothing at %s', async (path) => {
  const server = await startServer();
  const { status, headers } = await open(server, path);
  expect([status, headers['content-type']]).toEqual([404, 'application/json']);
});

test('a path that is no text, and wrong credentials, are refused', async () => {
  const server = await startServer();
  expect((await open(server, '/avatar/%ff')).status).toBe(400);
  const stranger = { ...server.people.mel, apiKey: 'x'.repeat(64) };
  const refused = await open(server, '/avatar/4', { as: stranger });
  expect([refused.status, refused.headers['content-type']]).toEqual([
    401,
    'text/html; charset=utf-8',
  ]);
  expect(refused.headers).not.toHaveProperty('location');
  expect(server.bugs).toEqual([]);
});

test('an image is asked for with GET or HEAD', async () => {
  const server = await startServer();
  const whole = await open(server, '/avatar/4');
  const head = await open(server, '/avatar/4', { method: 'HEAD' });
  expect([head.status, head.headers.location, head.body.length]).toEqual([
    302,
    whole.headers.location,
    0,
  ]);
  for (const method of ['POST', 'DELETE', 'PUT']) {
    const refused = await open(server, '/avatar/4', { method });
    expect([refused.status, refused.headers.allow], method).toEqual([405, 'GET, HEAD']);
  }
  const options = await open(server, '/avatar/4/medium', { method: 'OPTIONS' });
  expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS']);
});

test('another service can be asked for images, which clients do not know of', async () => {
  const server = await startServer({ env: { CONFAB_GRAVATAR: 'https://images.example.com/a' } });
  const { mel, max } = server.people;
  expect(await locationOf(server, '/avatar/4', { as: max })).toBe(
    `https://images.example.com/a/${md5(mel.email)}?d=identicon&version=1`,
  );
  expect(await locationOf(server, '/avatar/4')).toMatch(OWN);
  const { body } = await server.get(max, '/users/4', { client_gravatar: true });
  expect(body.user.avatar_url).toBe('/avatar/4?v=1');
});

test('without any such service everybody has an image of the server, and clients are told where', async () => {
  const server = await startServer({ channels: ['general'], env: { CONFAB_GRAVATAR: '0' } });
  const { mel, max } = server.people;
  const own = await locationOf(server, '/avatar/4');
  expect(own).toMatch(OWN);
  expect(await locationOf(server, '/avatar/4', { as: max })).toBe(own);
  expect(await locationOf(server, '/avatar/4/medium', { as: mel })).toMatch(OWN_MEDIUM);

  const queue = await server.register(max, { client_gravatar: true });
  const { realm_users } = queue.state;
  expect(realm_users.map(({ avatar_url }: { avatar_url: string }) => avatar_url)).toEqual(
    [1, 2, 3, 4, 5, 6, 7].map((id) => `/avatar/${id}?v=1`),
  );
  const sent = { type: 'channel', to: 'general', topic: 'tea', content: 'hi' };
  const { id } = (await server.post(mel, '/messages', sent)).body;
  const event = (await queue.now()).find(({ type }) => type === 'message');
  expect(event?.['message'].avatar_url).toBe('/avatar/4?v=1');
  const { body } = await server.get(max, `/messages/${id}`, { client_gravatar: true });
  expect(body.message.avatar_url).toBe('/avatar/4?v=1');
});

test('every avatar_url ends with ?v= and the version, and tells nothing of the address', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, mel, gus } = server.people;
  await server.patch(mel, '/settings', { email_address_visibility: 4 });
  await server.set('can_access_all_users_group', systemGroupId('role:members'));
  await server.delete(gus, '/users/me/subscriptions', { subscriptions: ['general'] });
  const queue = await server.register(ona, { client_gravatar: false });
  const sent = { type: 'channel', to: 'general', topic: 'tea', content: 'hi' };
  await server.post(mel, '/messages', sent);
  await server.post(ona, '/bots', { full_name: 'Bee', short_name: 'bee' });
  await server.patch(mel, '/settings', { email_address_visibility: 3 });
  const around = { anchor: 'newest', num_before: 9, num_after: 0, client_gravatar: false };
  const told: unknown[] = [
    (await server.register(gus, { client_gravatar: false })).state,
    (await server.get(gus, '/users', { client_gravatar: false })).body,
    queue.state,
    await queue.now(),
    (await server.get(ona, '/users', { client_gravatar: false })).body,
    (await server.get(ona, '/bots')).body,
    (await server.get(ona, '/messages', around)).body,
    (await server.patch(ona, '/bots/8', { full_name: 'Bea' })).body,
  ];
  for (const [index, one] of told.entries()) {
    const urls = avatarsIn(one);
    expect(urls.length, String(index)).toBeGreaterThan(0);
    for (const { url, version } of urls) {
      expect(url).toMatch(/^\/(avatar\/\d+(\/medium)?|static\/[a-z-]+\.png)\?v=\d+$/);
      if (version !== undefined) expect(url.endsWith(`?v=${version}`), url).toBe(true);
    }
    expect(JSON.stringify(one)).not.toContain(md5(mel.email));
  }
});

/** Every address of an image within, with the version that stands beside it. */
function avatarsIn(value: unknown): { url: string; version: unknown }[] {
  if (typeof value !== 'object' || value === null) return [];
  const version = 'avatar_version' in value ? value.avatar_version : undefined;
  return Object.entries(value).flatMap(([name, inner]) =>
    /^avatar_url/.test(name) ? [{ url: String(inner), version }] : avatarsIn(inner),
  );
}
