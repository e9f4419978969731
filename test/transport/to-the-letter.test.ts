import net from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { isOlderLibrary } from '../../src/transport/library/sockets.ts';
import { basic } from '../support/client.ts';
import { startServer, type TestServer } from '../support/start-server.ts';

const MESSAGE = { type: 'channel', to: 'general', topic: 'lunch', content: 'first' };
const FIRST = new URLSearchParams(MESSAGE).toString();
const NEXT = new URLSearchParams({ ...MESSAGE, content: 'next' }).toString();

const withGeneral = () => startServer({ channels: ['general'] });

const lines = (...all: readonly string[]) => `${all.join('\r\n')}\r\n\r\n`;

/** A send by mel, with these headers as they stand. */
const send = (server: TestServer, ...headers: readonly string[]) =>
  lines(
    'POST /api/v1/messages HTTP/1.1',
    'Host: test.localhost',
    `Authorization: ${basic(server.people.mel)}`,
    ...headers,
  );

/** Returns the request that follows another: a send that is right in every way. */
const next = (server: TestServer) => `${send(server, `Content-Length: ${NEXT.length}`)}${NEXT}`;

interface Seen {
  readonly statuses: readonly number[];
  readonly text: string;
  readonly hasEnded: boolean;
}

interface ExchangeOptions {
  /** Ends the exchange when so many answers have come; by default when the connection ends. */
  readonly answers?: number;
  /** Ends it after this time: enough for whatever is expected, however busy the machine is. */
  readonly waitMs?: number;
  /** When the later bytes are sent; by default when an answer to the others begins to come. */
  readonly laterMs?: number;
}

/** Sends these bytes, some of them later, and tells what came. */
function exchange(
  server: TestServer,
  [bytes, later]: readonly [string, string?],
  { answers = Number.POSITIVE_INFINITY, waitMs = 50_000, laterMs }: ExchangeOptions = {},
): Promise<Seen> {
  return new Promise((resolve) => {
    const socket = net.connect(server.app.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    let text = '';
    const statuses = () =>
      [...text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status));
    const tell = (hasEnded: boolean) => {
      clearTimeout(timer);
      resolve({ statuses: statuses(), text, hasEnded });
    };
    const timer = setTimeout(() => tell(false), waitMs);
    const sendLater = () => void (later !== undefined && socket.write(later));
    if (laterMs === undefined) socket.once('data', sendLater);
    else setTimeout(sendLater, laterMs);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (statuses().length >= answers) tell(false);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => tell(true));
    socket.write(Buffer.from(bytes, 'latin1'));
  });
}

/** The next request comes together with the one before, or a moment later. */
const WAYS = ['in the same segment', 'in the next segment'] as const;

const pieces = (bytes: string, behind: string, way: (typeof WAYS)[number]) =>
  way === WAYS[0] ? ([bytes + behind] as const) : ([bytes, behind] as const);

async function contents(server: TestServer): Promise<readonly string[]> {
  const newest = { anchor: 'newest', num_before: 10, num_after: 0, apply_markdown: false };
  const { body } = await server.get(server.people.mel, '/messages', newest);
  return body.messages.map(({ content }: { content: string }) => content);
}

const LENGTH = `Content-Length: ${FIRST.length}`;
const CHUNKED = 'Transfer-Encoding: chunked';

const FAULTS = [
  { why: 'two lengths', headers: [LENGTH, 'Content-Length: 0'], body: FIRST },
  { why: 'two lengths, the first empty', headers: ['Content-Length:', LENGTH], body: FIRST },
  { why: 'two encodings', headers: [CHUNKED, CHUNKED], body: '0\r\n\r\n' },
  { why: 'an encoding and a length', headers: ['Transfer-Encoding:', LENGTH], body: FIRST },
  { why: 'an unknown encoding', headers: ['Transfer-Encoding: gzip'], body: '0\r\n\r\n' },
];

test.each(FAULTS.flatMap((fault) => WAYS.map((way) => ({ ...fault, way }))))(
  'is refused, and what is sent behind it $way is not run: $why',
  async ({ headers, body, way }) => {
    const server = await withGeneral();
    const bytes = `${send(server, ...headers)}${body}`;
    const { statuses, text, hasEnded } = await exchange(server, pieces(bytes, next(server), way));
    expect({ statuses, hasEnded }).toEqual({ statuses: [400], hasEnded: true });
    expect(text).toContain('\r\nConnection: close\r\n');
    expect(text).toMatch(/"result":"error","msg":"[^"]+","code":"BAD_REQUEST"/);
    expect(await contents(server)).toEqual([]);
    expect(server.bugs).toEqual([]);
  },
);

const chunk = (end: string) => `${FIRST.length.toString(16)}\r\n${FIRST}${end}`;

/**
 * The library does not complain about these, and takes them as they are meant. A request in chunks
 * is the last of its connection.
 */
const CHUNKS = [
  { why: 'as they should be', body: chunk('\r\n0\r\n\r\n') },
  { why: 'a wrong ending', body: chunk('XX0\r\n\r\n') },
  { why: 'a wrong ending of the last', body: chunk('\r\n0\r\nXX') },
  { why: 'bare line feeds', body: chunk('\r\n0\n\r\n') },
];

test.each(CHUNKS.flatMap((given) => WAYS.map((way) => ({ ...given, way }))))(
  'what is sent behind chunks is not run, and the connection ends, $way: $why',
  async ({ body, way }) => {
    const server = await withGeneral();
    const bytes = `${send(server, CHUNKED)}${body}`;
    const { statuses, hasEnded } = await exchange(server, pieces(bytes, next(server), way));
    expect(hasEnded).toBe(true);
    // If another request is in its segment, neither is run; alone it is answered.
    const isAlone = way === WAYS[1];
    expect(statuses).toEqual(isAlone ? [200] : []);
    expect(await contents(server)).toEqual(isAlone ? ['first'] : []);
  },
);

test('a length that is hidden by a header without a name runs nothing of its body', async () => {
  const server = await withGeneral();
  const hidden = `Content-Length: ${next(server).length}`;
  const head = send(server, ': x', hidden);
  for (const way of WAYS) {
    const { hasEnded } = await exchange(server, pieces(head, next(server), way));
    expect(hasEnded).toBe(true);
  }
  expect(await contents(server)).toEqual([]);
});

const HOST = 'Host: test.localhost';
const path = '/api/v1/server_settings';

/** Methods that nobody has heard of: newer builds of the library hand them on. */
test.skipIf(isOlderLibrary()).each(['BREW', 'get', 'A'.repeat(300)])(
  'the method %s is none that a path has',
  async (method) => {
    const server = await withGeneral();
    const { statuses, text } = await exchange(server, [lines(`${method} ${path} HTTP/1.1`, HOST)], {
      answers: 1,
    });
    expect(statuses).toEqual([405]);
    expect(text).toContain('\r\nAllow: ');
  },
);

const header = (line: string) => lines(`GET ${path} HTTP/1.1`, HOST, line);
const many = (count: number) => Array.from({ length: count }, (_, n) => `A${n}: b`).join('\r\n');

/**
 * Requests that the library refuses by itself, with the status that it answers. The older build
 * says nothing, and ends some of the connections after ten seconds.
 */
const REFUSED = [
  { why: 'HTTP/1.0', bytes: lines(`GET ${path} HTTP/1.0`, HOST), status: 505 },
  { why: 'HTTP/1.0 without a host', bytes: lines(`GET ${path} HTTP/1.0`), status: 505 },
  { why: 'HTTP/2', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', status: 505 },
  { why: 'a folded header', bytes: header('A: b\r\n c'), status: 400 },
  { why: 'NUL in a value', bytes: header('A: b\0c'), status: 400 },
  { why: 'NUL in a name', bytes: header('A\0: b'), status: 400 },
  { why: 'NUL in the target', bytes: lines(`GET ${path}\0 HTTP/1.1`, HOST), status: 505 },
  { why: 'a bare line feed', bytes: header('A: b\nC: d'), status: 400 },
  { why: 'nothing but line feeds', bytes: `GET ${path} HTTP/1.1\n${HOST}\n\n`, status: 505 },
  { why: 'a line feed at the end', bytes: `GET ${path} HTTP/1.1\r\n${HOST}\r\n\n`, status: 400 },
  { why: 'a blank before the colon', bytes: header('A : b'), status: 400 },
  { why: '101 headers', bytes: header(many(100)), status: 431 },
  { why: 'a head of 600 KB', bytes: header(`A: ${'b'.repeat(600_000)}`), status: 431 },
  {
    why: 'an absolute URL',
    bytes: lines(`GET http://test.localhost${path} HTTP/1.1`, HOST),
    status: 505,
  },
  { why: 'no host', bytes: lines(`GET ${path} HTTP/1.1`, 'Accept: x'), status: 400 },
  { why: 'two hosts', bytes: lines(`GET ${path} HTTP/1.1`, HOST, HOST), status: 400 },
  {
    why: 'an encoding and a length',
    bytes: `${lines(`POST ${path} HTTP/1.1`, HOST, CHUNKED, 'Content-Length: 5')}0\r\n\r\n`,
    status: 400,
  },
  {
    why: 'a length of twenty digits',
    bytes: lines(`POST ${path} HTTP/1.1`, HOST, `Content-Length: 1${'0'.repeat(19)}`),
    status: 400,
  },
  {
    why: 'a chunk size that is no number',
    bytes: `${lines(`POST ${path} HTTP/1.1`, HOST, CHUNKED)}G\r\n`,
    status: 400,
  },
];

test.skipIf(isOlderLibrary()).each(REFUSED)(
  'the library refuses with $status, at once, and runs nothing of what follows: $why',
  async ({ bytes, status }) => {
    const server = await withGeneral();
    const { statuses, text, hasEnded } = await exchange(server, [bytes + next(server)]);
    expect({ statuses, hasEnded }).toEqual({ statuses: [status], hasEnded: true });
    expect(text).toContain('\r\nConnection: close\r\n');
    expect(await contents(server)).toEqual([]);
  },
);

const testOfOlder = isOlderLibrary() ? test : undefined;
const OLDER = { waitMs: 40_000, laterMs: 30 };

testOfOlder?.(
  'the older build answers none of these within twelve seconds, and runs nothing of what follows',
  async () => {
    const server = await withGeneral();
    const seen = await Promise.all(
      REFUSED.map(({ bytes }) => exchange(server, [bytes + next(server), next(server)], OLDER)),
    );
    for (const [index, { statuses, hasEnded }] of seen.entries()) {
      const { why, status } = REFUSED[index] ?? {};
      expect([[], [status]], why).toContainEqual(statuses);
      expect(hasEnded, why).toBe(true);
    }
    expect(await contents(server)).toEqual([]);
  },
);

/** The library waits for more after such a line, and ends the connection half a minute later. */
test('what follows a bare carriage return is not run', async () => {
  const server = await withGeneral();
  const { statuses } = await exchange(server, [header('A: b\rC: d') + next(server)], {
    waitMs: 1_500,
  });
  expect(statuses).toEqual([]);
  expect(await contents(server)).toEqual([]);
});

const whole = (server: TestServer, content: string) => {
  const body = new URLSearchParams({ ...MESSAGE, content }).toString();
  return `${send(server, `Content-Length: ${body.length}`)}${body}`;
};

test('of requests in one segment that change something none is run', async () => {
  const server = await withGeneral();
  const bytes = whole(server, 'one') + whole(server, 'two') + whole(server, 'three');
  const { statuses, hasEnded } = await exchange(server, [bytes]);
  expect({ statuses, hasEnded }).toEqual({ statuses: [], hasEnded: true });
  expect(await contents(server)).toEqual([]);
});

/**
 * Sends requests one by one, each a few turns of the loop after the one before, which is less time
 * than a commit takes.
 */
async function pipelined(server: TestServer, texts: readonly string[]) {
  const socket = net.connect({ port: server.app.port, host: '127.0.0.1', noDelay: true });
  onTestFinished(() => void socket.destroy());
  let answers = '';
  socket.on('data', (chunk) => {
    answers += chunk.toString('latin1');
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  for (const content of texts) {
    socket.write(whole(server, content));
    for (let turn = 0; turn < 3; turn += 1) await new Promise((done) => setImmediate(done));
  }
  const ids = () => [...answers.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id));
  return { closed, ids };
}

test('requests that come before the one before is answered are run in order, up to where the connection ends', async () => {
  const server = await withGeneral();
  const texts = ['one', 'two', 'three', 'four', 'five'];
  const { closed, ids } = await pipelined(server, texts);
  const answered = expect.poll(ids).toHaveLength(texts.length);
  await Promise.race([closed, answered.catch(() => undefined)]);
  const made = await contents(server);
  expect(made).toEqual(texts.slice(0, made.length));
  // The change that was under way when the connection ended may have been made as well.
  expect(made.length - ids().length).toBeOneOf([0, 1]);
  expect(ids()).toEqual(ids().toSorted((one, other) => one - other));
});

test.each([10, 20_000])(
  'a change is made whose client leaves as soon as it has sent it: %i characters of a form',
  async (length) => {
    const server = await withGeneral();
    const body = `${FIRST}&unknown=${'x'.repeat(length)}`;
    const socket = net.connect(server.app.port, '127.0.0.1');
    socket.end(`${send(server, `Content-Length: ${body.length}`)}${body}`);
    await expect.poll(() => contents(server)).toEqual(['first']);
  },
);

test.each([undefined, '8', '14', ''])(
  'a WebSocket of version %s is told which there is',
  async (version) => {
    const server = await withGeneral();
    const bytes = lines(
      'GET /api/v1/events/socket HTTP/1.1',
      HOST,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      ...(version === undefined ? [] : [`Sec-WebSocket-Version: ${version}`]),
    );
    const { statuses, text, hasEnded } = await exchange(server, [bytes + next(server)]);
    expect({ statuses, hasEnded }).toEqual({ statuses: [426], hasEnded: true });
    expect(text).toContain('\r\nSec-WebSocket-Version: 13\r\n');
    expect(await contents(server)).toEqual([]);
  },
);

test.each(['TRACE', 'CONNECT'])('%s is a method that no path has', async (method) => {
  const server = await withGeneral();
  const { statuses } = await exchange(server, [lines(`${method} ${path} HTTP/1.1`, HOST)], {
    answers: 1,
  });
  expect(statuses).toEqual([405]);
});
