import { createHash } from 'node:crypto';
import http from 'node:http';
import { expect, test } from 'vitest';
import {
  EXTERNAL_CONTENTS_AT_ONCE_MAX,
  EXTERNAL_CONTENTS_PER_SITE_MAX,
  EXTERNAL_IMAGE_BYTES_MAX,
} from '../../../src/domain/limits/external-content.ts';
import { fetched, open, PNG, pathOf, showing } from '../../support/pages/external-content.ts';

test('of a client that reads nothing, no more is taken from the site', async () => {
  const bytes = EXTERNAL_IMAGE_BYTES_MAX - 1;
  const body = Buffer.alloc(bytes, 'something that repeats at no power of two');
  let source: http.ServerResponse | undefined;
  const { server, site } = await showing((_path, response) => {
    source = response;
    response.writeHead(200, { 'content-type': 'image/png' });
    response.write(body, () => undefined);
    response.end();
  });
  const response = await open(server, await pathOf(server, `${site.url}/a.png`));
  await untilStill(() => source?.socket?.bytesWritten ?? 0);
  expect(source?.writableFinished).toBe(false);
  const hash = createHash('sha256');
  for await (const chunk of response as AsyncIterable<Buffer>) hash.update(chunk);
  expect(hash.digest('hex')).toBe(createHash('sha256').update(body).digest('hex'));
});

/**
 * Waits until a number has not changed for some hundred turns of the loop that client, server and
 * site share.
 */
async function untilStill(count: () => number) {
  for (let turns = 0, last = count(); turns < 500; turns += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (count() !== last) turns = 0;
    last = count();
  }
}

test.each(['before the site answers', 'on the way'])(
  'a client that goes away %s ends the fetch',
  async (when) => {
    let closed: () => void = () => undefined;
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    let reached: () => void = () => undefined;
    const isReached = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const { server, site } = await showing((_path, response) => {
      response.on('close', closed);
      if (when === 'on the way') {
        response.writeHead(200, { 'content-type': 'image/png' });
        response.write('begun');
      }
      reached();
    });
    const path = await pathOf(server, `${site.url}/a.png`);
    const request = http.request({
      host: '127.0.0.1',
      port: server.app.port,
      path,
      headers: { host: 'test.localhost' },
      agent: false,
    });
    request.on('error', () => undefined);
    const begun = new Promise<void>((resolve) => {
      request.on('response', (response) => response.once('data', () => resolve()));
    });
    request.end();
    await (when === 'on the way' ? begun : isReached);
    request.destroy();
    await isClosed;
    expect(server.bugs).toEqual([]);
  },
);

test('a site that breaks off breaks off the answer', async () => {
  const { server, site } = await showing((_path, response) => {
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': 100 });
    response.write('begun', () => response.destroy());
  });
  const path = await pathOf(server, `${site.url}/a.png`);
  await expect(fetched(server, path)).rejects.toThrow('aborted');
  expect(server.bugs).toEqual([]);
});

test('more than a bounded number at once are told to come again, of one site and of all', async () => {
  const waiting: http.ServerResponse[] = [];
  const { server, site } = await showing((_path, response) => void waiting.push(response));
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const untilAsked = async (count: number) => {
    while (waiting.length < count) await turn();
  };
  // Two names of the same site.
  const first = await pathOf(server, `${site.url}/a.png`);
  const second = await pathOf(server, `http://[::ffff:127.0.0.1]:${site.port}/a.png`);
  const many = (path: string) =>
    Array.from({ length: EXTERNAL_CONTENTS_PER_SITE_MAX }, () => fetched(server, path));
  const isBusy = async (path: string) => {
    const { status, headers } = await fetched(server, path);
    expect([status, headers['retry-after']]).toEqual([429, '1']);
  };
  const replies = many(first);
  await untilAsked(EXTERNAL_CONTENTS_PER_SITE_MAX);
  await isBusy(first);
  replies.push(...many(second));
  await untilAsked(EXTERNAL_CONTENTS_AT_ONCE_MAX);
  await isBusy(await pathOf(server, `http://localhost:${site.port}/a.png`));
  for (const response of waiting) {
    response.writeHead(200, { 'content-type': 'image/png' }).end(PNG);
  }
  for (const reply of await Promise.all(replies)) expect(reply.status).toBe(200);
  const again = fetched(server, first);
  await untilAsked(EXTERNAL_CONTENTS_AT_ONCE_MAX + 1);
  waiting.at(-1)?.writeHead(200, { 'content-type': 'image/png' }).end(PNG);
  expect((await again).status).toBe(200);
});
