import { expect, test } from 'vitest';
import { TEMPORARY_LINK_MS } from '../../../src/domain/limits/files.ts';
import { isReadable } from '../../../src/operations/files/attachment-access.ts';
import { download, uploaded } from '../../support/files/uploads.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const start = () => startServer({ channels: ['general'] });

const sendTo = async (server: TestServer, as: Person, to: object, content: string) => {
  const reply = await server.post(as, '/messages', { topic: 'files', content, ...to });
  if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
  return reply.body.id as number;
};

test('a file is for its owner, and for those who may read a message that links it', async () => {
  const server = await start();
  const { mel, max, mia, gus, ona } = server.people;
  const url = await uploaded(server, mel);
  const statuses = () =>
    Promise.all(
      [mel, max, mia, gus, ona].map(async (as) => (await download(server, url, { as })).status),
    );
  expect(await statuses()).toEqual([200, 403, 403, 403, 403]);
  const direct = await sendTo(server, mel, { type: 'direct', to: [max.id] }, `[f](${url})`);
  expect(await statuses()).toEqual([200, 200, 403, 403, 403]);
  await server.post(mel, '/users/me/subscriptions', {
    subscriptions: [{ name: 'secret' }],
    invite_only: true,
    principals: [mel.id, mia.id],
  });
  await sendTo(server, mel, { type: 'channel', to: 'secret' }, `[f](${url})`);
  expect(await statuses()).toEqual([200, 200, 200, 403, 403]);
  await server.delete(ona, `/messages/${direct}`);
  await server.post(mel, '/users/me/subscriptions', { subscriptions: [{ name: 'open' }] });
  const open = await sendTo(server, mel, { type: 'channel', to: 'open' }, `[f](${url})`);
  // Members may read public channels; a guest may not read one that they are not in.
  expect(await statuses()).toEqual([200, 200, 200, 403, 200]);
  await server.patch(mel, `/messages/${open}`, { content: 'nothing' });
  const moved = await sendTo(server, mel, { type: 'channel', to: 'general' }, `[f](${url})`);
  expect(await statuses()).toEqual([200, 200, 200, 200, 200]);
  const { stream_id } = (await server.get(mel, '/get_stream_id', { stream: 'secret' })).body;
  expect((await server.patch(ona, `/messages/${moved}`, { stream_id })).status).toBe(400);
  expect((await download(server, url, { as: gus })).bytes.toString()).toBe('hello');
});

test('where history is not for those who come later, nor are its files, but for what is linked since', async () => {
  const server = await start();
  const { mel, max, mia } = server.people;
  const subscribe = (principals: number[]) =>
    server.post(mel, '/users/me/subscriptions', {
      subscriptions: [{ name: 'secret' }],
      invite_only: true,
      history_public_to_subscribers: false,
      principals,
    });
  await subscribe([mel.id, mia.id]);
  const [before, after] = [await uploaded(server, mel), await uploaded(server, mel)];
  const say = (url: string) =>
    sendTo(server, mel, { type: 'channel', to: 'secret' }, `[f](${url})`);
  const statuses = (as: Person) =>
    Promise.all([before, after].map(async (url) => (await download(server, url, { as })).status));
  await say(before);
  await say(after);
  await subscribe([max.id]);
  expect([await statuses(mia), await statuses(max)]).toEqual([
    [200, 200],
    [403, 403],
  ]);
  await say(after);
  expect(await statuses(max)).toEqual([403, 200]);
});

test('a file goes with a message that is moved to another channel', async () => {
  const server = await start();
  const { mel, max, mia, gus, ona } = server.people;
  const url = await uploaded(server, ona);
  for (const [name, who] of [
    ['first', mia],
    ['second', max],
  ] as const) {
    const subscriptions = [{ name }];
    const principals = [ona.id, who.id];
    const wanted = { subscriptions, principals, invite_only: true };
    await server.post(ona, '/users/me/subscriptions', wanted);
  }
  const statuses = () =>
    Promise.all(
      [mel, max, mia, gus].map(async (as) => (await download(server, url, { as })).status),
    );
  const id = await sendTo(server, ona, { type: 'channel', to: 'first' }, `[f](${url})`);
  const moveTo = async (stream: string) => {
    const { stream_id } = (await server.get(ona, '/get_stream_id', { stream })).body;
    expect((await server.patch(ona, `/messages/${id}`, { stream_id })).status).toBe(200);
  };
  expect(await statuses()).toEqual([403, 403, 200, 403]);
  await moveTo('second');
  expect(await statuses()).toEqual([403, 200, 403, 403]);
  await moveTo('general');
  expect(await statuses()).toEqual([200, 200, 200, 200]);
  await server.patch(ona, `/messages/${id}`, { topic: 'other', content: 'nothing' });
  expect(await statuses()).toEqual([403, 403, 403, 403]);
  expect(await server.perform((tx) => [...tx.attachmentPlaces.keys({})])).toEqual([]);
});

test('a file in any number of messages is looked for once in each place', async () => {
  const server = await start();
  const { mel, max } = server.people;
  const url = await uploaded(server, mel);
  await sendTo(server, mel, { type: 'direct', to: [mel.id] }, `[f](${url})`);
  await server.perform((tx) => {
    const [[key, row] = []] = tx.attachmentPlaces.range({});
    if (key === undefined || row === undefined) throw new Error('nothing links the file');
    const [attachmentId, recipientId] = key;
    for (let id = 1_000; id < 21_000; id++) {
      tx.attachmentPlaces.put([attachmentId, recipientId, id, id], row);
    }
  });
  const reads = await server.perform((tx) => {
    let count = 0;
    const counted = {
      ...tx,
      attachmentPlaces: {
        ...tx.attachmentPlaces,
        keys(options: Parameters<typeof tx.attachmentPlaces.keys>[0]) {
          count += 1;
          return tx.attachmentPlaces.keys(options);
        },
      },
    };
    const user = tx.users.get([max.id]);
    const row = tx.attachments.get([1]);
    if (user === undefined || row === undefined) throw new Error('no such user or file');
    expect(isReadable(counted, user, { id: 1, row })).toBe(false);
    return count;
  });
  expect(reads).toBe(2);
});

test('what is not there is a 404 and what is not for one a 403, each in the form of the API', async () => {
  const server = await start();
  const { mel, max } = server.people;
  const url = await uploaded(server, mel);
  const refusal = async (path: string, as?: Person) => {
    const reply = await download(server, path, as === undefined ? {} : { as });
    const { code, result } = JSON.parse(reply.bytes.toString());
    expect([result, reply.headers['content-type']]).toEqual(['error', 'application/json']);
    return [reply.status, code];
  };
  for (const path of [
    '/user_uploads/',
    '/user_uploads/1/ab/x/file.txt',
    `${url}x`,
    `${url}/`,
    `${url}%00`,
    `${url}%ff`,
    url.replace('/1/', '/2/'),
    '/user_uploads/1/../1/ab/x',
    '/user_uploads/%2e%2e/%2e%2e/data.mdb',
    `/user_uploads/${'x'.repeat(5_000)}`,
  ]) {
    expect([path, await refusal(path, mel)]).toEqual([path, [404, 'NOT_FOUND']]);
  }
  expect(await refusal(url, max)).toEqual([403, 'BAD_REQUEST']);
  expect(await refusal(url)).toEqual([403, 'BAD_REQUEST']);
  expect(await refusal(url, { ...mel, apiKey: 'wrong' })).toEqual([401, 'UNAUTHORIZED']);
  expect(await refusal(`${url}?api_key=wrong`)).toEqual([401, 'UNAUTHORIZED']);
  const acme = await server.addRealm('acme');
  const there = await download(server, url, { as: acme.admin, host: 'acme.localhost' });
  expect(there.status).toBe(404);
  const wrongMethod = await download(server, url, { as: mel, method: 'DELETE' });
  expect([wrongMethod.status, wrongMethod.headers.allow]).toEqual([405, 'GET, HEAD']);
  expect(server.bugs).toEqual([]);
});

test('a key in the address of a file lets nobody in; a link for a minute is what browsers open', async () => {
  const server = await start();
  const { mel, max } = server.people;
  const url = await uploaded(server, mel);
  for (const { apiKey } of [mel, max]) {
    expect((await download(server, `${url}?api_key=${apiKey}`)).status).toBe(401);
  }
  const link = await server.get(mel, url);
  expect((await download(server, link.body.url)).status).toBe(200);
  await server.advance(60_000);
  expect((await download(server, link.body.url)).status).toBe(403);
});

test('who is not logged in gets what web-public messages link, where the realm shows itself', async () => {
  const server = await start();
  const { ona } = server.people;
  await server.set('enable_spectator_access', true);
  const url = await uploaded(server, ona);
  const status = async () => (await download(server, url)).status;
  await sendTo(server, ona, { type: 'channel', to: 'general' }, `[f](${url})`);
  expect(await status()).toBe(403);
  await server.post(ona, '/users/me/subscriptions', {
    subscriptions: [{ name: 'world' }],
    is_web_public: true,
  });
  const id = await sendTo(server, ona, { type: 'channel', to: 'world' }, `[f](${url})`);
  expect(await status()).toBe(200);
  await server.set('enable_spectator_access', false);
  expect(await status()).toBe(403);
  await server.set('enable_spectator_access', true);
  await server.delete(ona, `/messages/${id}`);
  expect(await status()).toBe(403);
});

test('a temporary link works for a minute without credentials, and for its file alone', async () => {
  const server = await start();
  const { mel, max } = server.people;
  const url = await uploaded(server, mel, { content: 'hello', filename: 'müll.txt' });
  const { status, body } = await server.get(mel, encodeURI(url));
  expect(status).toBe(200);
  expect(body.url).toMatch(/^\/user_uploads\/temporary\/[0-9a-f-]+\/m%C3%BCll\.txt$/);
  const [, , , token, name] = body.url.split('/');
  const get = async (path: string) => (await download(server, path)).status;
  expect((await download(server, body.url)).bytes.toString()).toBe('hello');
  expect(await get(`/user_uploads/temporary/${token.slice(0, -1)}/${name}`)).toBe(403);
  expect(await get(`/user_uploads/temporary/${token.replace(/^1/, '2')}/${name}`)).toBe(403);
  expect(await get(`/user_uploads/temporary//${name}`)).toBe(403);
  await server.addRealm('acme');
  expect((await download(server, body.url, { host: 'acme.localhost' })).status).toBe(403);
  await server.advance(TEMPORARY_LINK_MS - 1);
  expect(await get(body.url)).toBe(200);
  await server.advance(1);
  expect(await get(body.url)).toBe(403);

  const refused = await server.get(max, encodeURI(url));
  expect(refused).toMatchObject({ status: 403, body: { code: 'BAD_REQUEST' } });
  for (const path of ['/user_uploads/1/ab/x/y', '/user_uploads/2/ab/x/y', '/user_uploads/1/x']) {
    expect(await server.get(mel, path)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  }
});

test('a temporary link to a file that was deleted since leads nowhere', async () => {
  const server = await start();
  const { mel } = server.people;
  const url = await uploaded(server, mel);
  const { body } = await server.get(mel, url);
  await server.delete(mel, '/attachments/1');
  expect((await download(server, body.url)).status).toBe(404);
  expect((await download(server, url, { as: mel })).status).toBe(404);
});
