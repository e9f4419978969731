import http from 'node:http';
import net from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import {
  COMPRESSED_AT_ONCE_BYTES_MAX,
  COMPRESSED_BYTES_MIN,
  COMPRESSED_IN_ORDER_BYTES_MAX,
  COMPRESSING_BYTES_MAX,
  COMPRESSIONS_UNDER_WAY_MAX,
} from '../../../src/domain/limits/requests.ts';
import {
  compressAtOnce,
  compressLater,
  compressShared,
} from '../../../src/transport/answers/compression.ts';
import { basic } from '../../support/client.ts';
import { sendMany } from '../../support/messages/many-messages.ts';
import { type Fetched, fetched } from '../../support/requests/fetched.ts';
import { openRawSocket } from '../../support/requests/raw-socket.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const PAGE = '/api/v1/messages?anchor=newest&num_before=1000&num_after=0';
const SHORT_PAGE = '/api/v1/messages?anchor=newest&num_before=5&num_after=0';
const DOCUMENT = '/api/v1/openapi.json';
const EMOJI = '/static/emoji-data.json';

const UNPACK = { br: brotliDecompressSync, gzip: gunzipSync } as const;

const unpacked = ({ headers, body }: Fetched): Buffer => {
  const { 'content-encoding': coding } = headers;
  return coding === undefined ? body : UNPACK[coding as keyof typeof UNPACK](body);
};

async function start(count = 400): Promise<TestServer> {
  const server = await startServer({ channels: ['general'] });
  const content = (number: number) => `message **${number}** with a *word* or two, and ünïcödé 🎉`;
  await sendMany(server, { as: server.people.mel, count, topic: 'many', content });
  return server;
}

const get = (server: TestServer, path: string, accepted?: string, headers = {}) =>
  fetched(server, path, {
    as: server.people.mel,
    headers: { ...(accepted === undefined ? {} : { 'accept-encoding': accepted }), ...headers },
  });

const withoutDate = ({ headers }: Fetched) => ({ ...headers, date: '' });

test.each([
  ['gzip', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate, br, zstd', 'br'],
  ['br;q=0.5, gzip', 'gzip'],
  ['br;q=0, *', 'gzip'],
  ['gzip;q=0, identity', undefined],
  ['identity', undefined],
  ['deflate', undefined],
  ['gzip;q=7', undefined],
])('who accepts %j gets %s, and the bytes of the plain answer', async (accepted, coding) => {
  const server = await start();
  for (const path of [PAGE, SHORT_PAGE, DOCUMENT, EMOJI, '/api', '/api/v1/users']) {
    const plain = await get(server, path);
    const answer = await get(server, path, accepted);
    expect([path, answer.status, answer.headers['content-encoding']]).toEqual([path, 200, coding]);
    expect(answer.headers).toMatchObject({
      vary: 'Accept-Encoding',
      'content-length': String(answer.body.length),
      'content-type': plain.headers['content-type'],
      'cache-control': plain.headers['cache-control'],
    });
    expect(unpacked(answer).equals(plain.body)).toBe(true);
    if (coding !== undefined) expect(answer.body.length).toBeLessThan(plain.body.length * 0.6);
  }
  expect(server.bugs).toEqual([]);
});

test('a program that does not say what it accepts is answered as ever', async () => {
  const server = await start();
  for (const path of [PAGE, SHORT_PAGE, DOCUMENT, EMOJI, '/api']) {
    for (const accepted of [undefined, '']) {
      const { headers } = await get(server, path, accepted);
      expect(headers['content-encoding']).toBeUndefined();
      expect(headers.vary).toBeUndefined();
    }
  }
  const { headers } = await get(server, PAGE);
  expect(Object.keys(headers).sort()).toEqual([
    'cache-control',
    'content-length',
    'content-type',
    'date',
    'uwebsockets',
    'x-content-type-options',
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
  ]);
});

test('short answers, images, refusals and uploaded files are sent as they are', async () => {
  const server = await start(1);
  for (const path of [
    '/api/v1/users/me/status',
    '/static/realm-icon.png',
    '/api/v1/none',
    `/api/v1/messages?anchor=${'x'.repeat(2_000)}`,
  ]) {
    const plain = await get(server, path);
    const answer = await get(server, path, 'gzip, br');
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(answer.body.equals(plain.body)).toBe(true);
    expect(answer.headers.vary).toBeUndefined();
  }
});

test('a page with a form is sent as it is, as its address is a secret', async () => {
  const server = await startServer({ channels: ['general'] });
  const { body } = await server.post(server.people.ona, '/invites/multiuse', {});
  const { pathname } = new URL(body.invite_link);
  const plain = await get(server, pathname);
  expect(plain.body.length).toBeGreaterThan(COMPRESSED_BYTES_MIN);
  const answer = await get(server, pathname, 'gzip, br');
  expect(answer.headers['content-encoding']).toBeUndefined();
  expect(answer.body.equals(plain.body)).toBe(true);
});

test('an answer is compressed from its bound on', async () => {
  const server = await start(1);
  const reply = async (length: number) => {
    const name = 'n'.repeat(length);
    const { headers, body } = await get(server, `/api/v1/users/me?${name}=1`, 'gzip');
    return { coding: headers['content-encoding'], body };
  };
  const { body } = await reply(10);
  const missing = COMPRESSED_BYTES_MIN - body.length + 10;
  expect((await reply(missing - 1)).coding).toBeUndefined();
  expect((await reply(missing)).coding).toBe('gzip');
});

test('a snapshot is compressed, and no secret is: neither keys nor tokens of bots', async () => {
  const server = await start();
  const { ona } = server.people;
  const filler = { ['x'.repeat(2_000)]: '1' };
  const coding = async (method: string, path: string, form?: Readonly<Record<string, string>>) => {
    const headers = { 'accept-encoding': 'gzip, br' };
    const answer = await fetched(server, `/api/v1${path}`, {
      method,
      as: ona,
      headers,
      ...(form === undefined ? {} : { form }),
    });
    expect([path, answer.status]).toEqual([path, 200]);
    expect(answer.body.length).toBeGreaterThan(COMPRESSED_BYTES_MIN);
    return answer.headers['content-encoding'];
  };
  expect(await coding('POST', '/register', {})).toBe('br');
  const query = `${'x'.repeat(2_000)}=1`;
  const created = {
    full_name: 'Hook',
    short_name: 'hook',
    bot_type: '3',
    payload_url: '"https://a.example"',
  };
  expect(await coding('POST', '/bots', { ...created, ...filler })).toBeUndefined();
  // Its owner gets its token from now on.
  expect(await coding('POST', '/register', {})).toBeUndefined();
  expect(await coding('POST', '/register', { fetch_event_types: '["realm_user","stream"]' })).toBe(
    'br',
  );
  const bot = server.people.bot.id;
  expect(await coding('GET', `/bots/${bot}/api_key?${query}`)).toBeUndefined();
  expect(await coding('POST', `/bots/${bot}/api_key/regenerate`, filler)).toBeUndefined();
  expect(await coding('POST', '/invites/multiuse', filler)).toBeUndefined();
  expect(await coding('GET', `/invites?${query}`)).toBeUndefined();
  expect(await coding('POST', '/users/me/api_key/regenerate', filler)).toBeUndefined();
});

test('events are never compressed: a thousand readers get the same ones', async () => {
  const server = await start(1);
  const { mel } = server.people;
  const queue = await server.register(mel);
  const content = 'x'.repeat(9_000);
  await sendMany(server, { as: mel, count: 5, topic: 'long', content: () => content });
  const path = `/api/v1/events?queue_id=${queue.id}&last_event_id=${queue.lastEventId}`;
  for (const [method, ending] of [
    ['GET', ''],
    ['GET', '&dont_block=true'],
    ['HEAD', ''],
  ]) {
    const headers = { 'accept-encoding': 'br', 'x-request-id': 'slow-path' };
    for (const sent of [headers, { 'accept-encoding': 'br' }]) {
      const answer = await fetched(server, path + ending, {
        method: method ?? '',
        as: mel,
        headers: sent,
      });
      expect([answer.status, answer.headers['content-encoding']]).toEqual([200, undefined]);
      expect(Number(answer.headers['content-length'])).toBeGreaterThan(45_000);
    }
  }
});

/** Each request leaves one less. */
const LEFT = { 'x-ratelimit-remaining': '' };

test('a HEAD has the headers of the GET', async () => {
  const server = await start();
  for (const path of [PAGE, SHORT_PAGE, DOCUMENT, EMOJI]) {
    for (const accepted of ['br', 'gzip', 'identity']) {
      const headers = { 'accept-encoding': accepted };
      const head = await fetched(server, path, { method: 'HEAD', as: server.people.mel, headers });
      const whole = await get(server, path, accepted);
      expect({ ...withoutDate(head), ...LEFT }).toEqual({ ...withoutDate(whole), ...LEFT });
      expect(head.body.length).toBe(0);
    }
  }
});

test('a compressed document has a weak tag, and is not sent again to who has it in any form', async () => {
  const server = await start(1);
  for (const path of [EMOJI, '/api']) {
    const plain = await get(server, path);
    const packed = await get(server, path, 'gzip');
    expect(packed.headers.etag).toBe(`W/${plain.headers.etag}`);
    for (const tag of [plain.headers.etag, packed.headers.etag]) {
      for (const accepted of [undefined, 'gzip', 'br']) {
        const { status, body } = await get(server, path, accepted, { 'if-none-match': tag });
        expect([status, body.length]).toEqual([304, 0]);
      }
    }
  }
});

/** A page that is compressed on another thread. */
async function startWithLargePage(): Promise<TestServer> {
  const server = await start(1);
  const content = () => 'long '.repeat(1_000);
  await sendMany(server, { as: server.people.mel, count: 150, topic: 'long', content });
  const { body } = await get(server, PAGE);
  expect(body.length).toBeGreaterThan(COMPRESSED_IN_ORDER_BYTES_MAX);
  return server;
}

/** Asks for all of the paths in one packet. Returns the answers in the order of their arrival. */
async function pipelined(server: TestServer, paths: readonly string[], accepted: string) {
  const socket = net.connect({ port: server.app.port, host: '127.0.0.1' });
  onTestFinished(() => void socket.destroy());
  const lines = ['Host: test.localhost', `Authorization: ${basic(server.people.mel)}`];
  const requests = paths.map((path) =>
    [`GET ${path} HTTP/1.1`, ...lines, `Accept-Encoding: ${accepted}`, '', ''].join('\r\n'),
  );
  const answers: Fetched[] = [];
  let received: Buffer = Buffer.alloc(0);
  socket.write(requests.join(''));
  for await (const chunk of socket) {
    received = Buffer.concat([received, chunk]);
    for (let taken = takeWhole(received); taken !== undefined; taken = takeWhole(received)) {
      answers.push(taken.answer);
      received = taken.rest;
    }
    if (answers.length === paths.length) break;
  }
  return answers;
}

function takeWhole(received: Buffer) {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [statusLine = '', ...lines] = received.subarray(0, end).toString().split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.split(':', 1)[0]?.toLowerCase(), line.replace(/^[^:]*: */, '')]),
  );
  const bodyEnd = end + 4 + Number(headers['content-length']);
  if (received.length < bodyEnd) return undefined;
  const body = received.subarray(end + 4, bodyEnd);
  const status = Number(statusLine.split(' ')[1]);
  return {
    answer: { status, headers, body, clientPort: undefined },
    rest: received.subarray(bodyEnd),
  };
}

test.each(['br', 'gzip'])(
  'requests that come together are answered in their order, and nothing is closed: %s',
  async (accepted) => {
    const server = await start(200);
    const paths = [PAGE, SHORT_PAGE, DOCUMENT, EMOJI, '/api/v1/users/me'];
    const plain: Buffer[] = [];
    for (const path of paths) plain.push((await get(server, path)).body);
    expect(plain[0]?.length).toBeGreaterThan(4 * COMPRESSED_AT_ONCE_BYTES_MAX);
    const codings = [accepted, accepted, accepted, accepted, undefined];
    // Requests that have held the thread for too long wait for their turn, and then the library
    // closes the connection, compressed or not.
    const answered = async () => {
      const answers = await pipelined(server, paths, accepted);
      answers.forEach((answer, index) => {
        expect([index, answer.headers['content-encoding']]).toEqual([index, codings[index]]);
        expect(unpacked(answer).equals(plain[index] ?? Buffer.alloc(0))).toBe(true);
      });
      return answers.length;
    };
    await expect.poll(answered).toBe(paths.length);
    expect(server.bugs).toEqual([]);
  },
);

test('with no room for more, answers are sent as they are, and counted', async () => {
  const server = await startWithLargePage();
  const plain = await get(server, PAGE);
  const until = new Promise<void>((resolve) => {
    let left = 2 * COMPRESSIONS_UNDER_WAY_MAX;
    const done = () => {
      left -= 1;
      if (left === 0) resolve();
    };
    const bytes = Buffer.alloc(COMPRESSING_BYTES_MAX / left);
    for (let index = 2 * COMPRESSIONS_UNDER_WAY_MAX; index > 0; index -= 1) {
      expect(compressLater(bytes, 'br', done)).toBe(true);
    }
    expect(compressLater(bytes, 'br', done)).toBe(false);
    expect(compressShared(Buffer.alloc(COMPRESSING_BYTES_MAX), 'gzip', done)).toBe(false);
  });
  const answers = await Promise.all(Array.from({ length: 4 }, () => get(server, PAGE, 'br')));
  await until;
  for (const answer of answers) expect(unpacked(answer).equals(plain.body)).toBe(true);
  expect(answers.map(({ headers }) => headers.vary)).toEqual(Array(4).fill('Accept-Encoding'));
  expect((await get(server, PAGE, 'br')).headers['content-encoding']).toBe('br');
});

test('what fits is compressed at once, the rest on another thread, in any order, without loss', async () => {
  const bytes = (length: number) =>
    Buffer.from('abcdefgh '.repeat(length / 9 + 1)).subarray(0, length);
  expect(compressAtOnce(bytes(COMPRESSED_AT_ONCE_BYTES_MAX + 1), 'br')).toBeUndefined();
  for (const coding of ['br', 'gzip'] as const) {
    const few = bytes(COMPRESSED_AT_ONCE_BYTES_MAX);
    expect(UNPACK[coding](compressAtOnce(few, coding) ?? few).equals(few)).toBe(true);
    // One that is larger than the bound of all together is compressed when it is alone.
    for (const length of [0, 1, 100_000, COMPRESSING_BYTES_MAX + 1]) {
      const many = bytes(length);
      const form = await new Promise<Buffer | null>((resolve) => {
        expect(compressLater(many, coding, resolve)).toBe(true);
      });
      expect(UNPACK[coding](form ?? Buffer.alloc(0)).equals(many)).toBe(true);
    }
  }
});

test('bytes that many answers share are compressed once', async () => {
  const bytes = Buffer.from('shared '.repeat(10_000));
  const form = () =>
    new Promise<Buffer | null>((resolve) => {
      compressShared(bytes, 'gzip', resolve);
    });
  const [first, second] = await Promise.all([form(), form()]);
  expect(first).toBe(second);
  expect(await form()).toBe(first);
  expect(gunzipSync(first ?? Buffer.alloc(0)).equals(bytes)).toBe(true);
});

test('a client that goes away while its answer is compressed harms nothing', async () => {
  const server = await startWithLargePage();
  const { mel } = server.people;
  for (let round = 0; round < 40; round += 1) {
    const socket = await openRawSocket(server.app.port);
    const path = round % 2 === 0 ? PAGE : DOCUMENT;
    socket.write(
      `GET ${path} HTTP/1.1\r\nhost: test.localhost\r\nauthorization: ${basic(mel)}\r\naccept-encoding: gzip\r\n\r\n`,
    );
    if (round % 4 > 1) await new Promise((resolve) => setImmediate(resolve));
    socket.destroy();
  }
  const [plain, packed] = [await get(server, PAGE), await get(server, PAGE, 'gzip')];
  expect(unpacked(packed).equals(plain.body)).toBe(true);
  expect(server.bugs).toEqual([]);
});

test('a connection serves one request after the other, compressed or not', async () => {
  const server = await start();
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const plain = await get(server, PAGE);
  const ports = new Set<number | undefined>();
  for (const accepted of ['br', undefined, 'gzip', 'identity', 'br']) {
    const headers = accepted === undefined ? {} : { 'accept-encoding': accepted };
    const answer = await fetched(server, PAGE, { as: server.people.mel, headers, agent });
    expect(unpacked(answer).equals(plain.body)).toBe(true);
    ports.add(answer.clientPort);
  }
  expect(ports.size).toBe(1);
});
