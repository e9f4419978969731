import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openHolderLinks } from '../../../src/cluster/passing/holder-links.ts';
import { openPassing } from '../../../src/cluster/passing/passing.ts';
import type { RequestHost } from '../../../src/domain/request-host.ts';
import { socketLibrary } from '../../../src/transport/library/sockets.ts';
import { passedRequest } from '../../../src/transport/passing.ts';

interface Got {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

type Behave = (got: Got, res: http.ServerResponse) => void;

/** A node that behaves as a test says, and what it was asked. */
async function startHolder(behave: Behave) {
  const got: Got[] = [];
  const server = http.createServer(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += chunk;
    const { method = '', url = '', headers } = req;
    const one = { method, url, headers, body };
    got.push(one);
    behave(one, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { got, port: (server.address() as AddressInfo).port };
}

const ends: Behave = (_, res) => void res.socket?.destroy();
const answers: Behave = (_, res) => {
  res.setHeader('x-of-holder', 'yes');
  res.setHeader('set-cookie', ['a=1', 'b=2']);
  res.end('answer');
};

/** A node without a copy, before holders that are asked in this order. */
async function startNode(ports: readonly number[], living = new Set(ports.keys())) {
  const members = {
    holdersOf: () =>
      ports.map((_, index) => ({
        node: `h${index}`,
        sequence: 0,
        isLeaving: index > 0,
        serves: true,
      })),
    addressOf: (node: string) => `127.0.0.1:${ports[Number(node.slice(1))]}`,
    beats: () =>
      [...living].map((index) => {
        const beat = { node: `h${index}`, run: '', address: '', isLeaving: false };
        return { ...beat, owns: [], follows: [], isDrained: false };
      }),
  };
  const links = openHolderLinks({ node: 'me', members });
  const passing = openPassing({
    links,
    secret: 'word',
    isTls: true,
    hasAll: () => false,
    shardElsewhere: (host: RequestHost) => (host === 'here' ? undefined : 3),
  });
  const app = socketLibrary().App();
  app.any('/*', (res, req) => {
    const passed = passedRequest(passing, { res, req, forwarded: null });
    if (passed === undefined) res.end('served here');
    else passing.request(res, passed);
  });
  const port = await new Promise<number>((resolve) =>
    app.listen('127.0.0.1', 0, (socket) => {
      if (socket) resolve(socketLibrary().us_socket_local_port(socket));
    }),
  );
  onTestFinished(() => {
    links.end();
    app.close();
  });
  return { port, links };
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: http.OutgoingHttpHeaders;
  readonly body?: string | Buffer;
}

function ask(port: number, { method = 'GET', path = '/api/v1/x?y=1', headers, body }: Sent = {}) {
  const options = { host: '127.0.0.1', port, method, path, headers: { host: 'realm', ...headers } };
  return new Promise<{ status: number; headers: http.IncomingHttpHeaders; body: Buffer }>(
    (resolve, reject) => {
      const request = http.request(options, async (res) => {
        const chunks: Buffer[] = [];
        try {
          for await (const chunk of res) chunks.push(chunk as Buffer);
          const { statusCode: status = 0, headers: got } = res;
          resolve({ status, headers: got, body: Buffer.concat(chunks) });
        } catch (error) {
          reject(error);
        }
      });
      request.on('error', reject);
      request.end(body);
    },
  );
}

test('a request and its answer go through as they are, and the holder hears whose it is', async () => {
  const holder = await startHolder(answers);
  const { port } = await startNode([holder.port]);
  const body = 'content=hello';
  const reply = await ask(port, { method: 'PATCH', body, headers: { 'x-own': 'mine' } });
  expect(reply).toMatchObject({ status: 200, headers: { 'x-of-holder': 'yes' } });
  expect(reply.headers['set-cookie']).toEqual(['a=1', 'b=2']);
  expect(String(reply.body)).toBe('answer');
  const [got = expect.fail()] = holder.got;
  expect(got).toMatchObject({ method: 'PATCH', url: '/api/v1/x?y=1', body });
  expect(got.headers).toMatchObject({ host: 'realm', 'x-own': 'mine' });
  const said = JSON.parse(Buffer.from(String(got.headers['x-gateway']), 'base64').toString());
  expect(said).toEqual({ secret: 'word', address: '127.0.0.1', host: 'realm', isTls: true });
  expect(String((await ask(port, { headers: { host: 'here' } })).body)).toBe('served here');
});

test('what was passed on already is not passed on again', async () => {
  const holder = await startHolder(answers);
  const { port } = await startNode([holder.port]);
  const reply = await ask(port, { headers: { 'x-gateway': 'anything' } });
  expect(reply.status).toBe(503);
  expect(String(reply.body)).toContain('SERVER_STOPPING');
  expect(holder.got).toEqual([]);
});

test('large bodies and answers go through in both directions', async () => {
  const large = Buffer.alloc(3_000_000, 'confab');
  for (const isAnnounced of [true, false]) {
    const holder = await startHolder(({ body }, res) => {
      if (isAnnounced) res.setHeader('content-length', body.length);
      res.end(body);
    });
    const { port } = await startNode([holder.port]);
    const reply = await ask(port, { method: 'POST', body: large });
    expect(reply.body.equals(large)).toBe(true);
  }
});

test('a holder that ends before it answers: what may be repeated is asked of another, once', async () => {
  const first = await startHolder(ends);
  const second = await startHolder(answers);
  const { port } = await startNode([first.port, second.port]);
  expect((await ask(port)).status).toBe(200);
  const keyed = { method: 'PATCH', body: 'a=1', headers: { 'idempotency-key': 'k' } };
  expect((await ask(port, keyed)).status).toBe(200);
  const send = { method: 'POST', path: '/api/v1/messages', body: 'content=x' };
  expect((await ask(port, send)).status).toBe(200);
  // The node has made a key up, so that the message is not sent twice.
  const keys = [first, second].map(({ got }) => got.at(-1)?.headers['idempotency-key']);
  expect(keys[0]).toMatch(/^node:/);
  expect(keys[1]).toBe(keys[0]);
  const reply = await ask(port, { method: 'PATCH', body: 'a=1' });
  expect(reply.status).toBe(503);
  expect(JSON.parse(String(reply.body))).toMatchObject({ code: 'SERVER_STOPPING' });
  expect(first.got.length).toBe(4);
  expect(second.got.length).toBe(3);
});

test('a third node is not asked, and without any left the client is told to come back', async () => {
  const holders = [await startHolder(ends), await startHolder(ends), await startHolder(ends)];
  const { port } = await startNode(holders.map((holder) => holder.port));
  expect((await ask(port)).status).toBe(503);
  expect(holders.map(({ got }) => got.length).sort()).toEqual([0, 1, 1]);
  expect((await ask((await startNode([])).port)).status).toBe(503);
});

test('a node that takes no connection was not asked, so that anything may be repeated', async () => {
  const second = await startHolder(answers);
  const { port } = await startNode([1, second.port]);
  expect((await ask(port, { method: 'PATCH', body: 'a=1' })).status).toBe(200);
});

test('a holder that closes the realm is left for another one', async () => {
  const closed = await startHolder((_, res) => {
    res.statusCode = 503;
    res.end('{"result":"error","msg":"…","code":"SERVER_STOPPING"}\n');
  });
  const second = await startHolder(answers);
  expect((await ask((await startNode([closed.port, second.port])).port)).status).toBe(200);
  const alone = await ask((await startNode([closed.port])).port);
  expect(alone.status).toBe(503);
  expect(String(alone.body)).toContain('SERVER_STOPPING');
});

test('a holder whose machine is lost is noticed by its silence', async () => {
  const silent = await startHolder(() => undefined);
  const living = new Set([0]);
  const { port, links } = await startNode([silent.port], living);
  const waiting = ask(port);
  await expect.poll(() => silent.got.length).toBe(1);
  expect(links.count()).toBe(1);
  living.delete(0);
  expect((await waiting).status).toBe(503);
  await expect.poll(() => links.count()).toBe(0);
});

test('an answer that ends too soon is not taken for a whole one', async () => {
  const holder = await startHolder((_, res) => {
    res.setHeader('content-length', 2_000_000);
    res.write(Buffer.alloc(1_000_000));
    setTimeout(() => res.socket?.destroy(), 50);
  });
  const { port } = await startNode([holder.port]);
  await expect(ask(port)).rejects.toThrow();
});

test('a client that goes takes its request with it', async () => {
  const silent = await startHolder(() => undefined);
  const { port, links } = await startNode([silent.port]);
  const request = http.get({ host: '127.0.0.1', port, headers: { host: 'realm' } });
  request.on('error', () => undefined);
  await expect.poll(() => links.count()).toBe(1);
  request.destroy();
  await expect.poll(() => links.count()).toBe(0);
});
