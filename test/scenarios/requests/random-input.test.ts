import fc from 'fast-check';
import { pack } from 'msgpackr';
import { expect, test } from 'vitest';
import type { Endpoint } from '../../../src/endpoints/endpoint.ts';
import { ENDPOINTS } from '../../../src/endpoints/index.ts';
import { basic } from '../../support/client.ts';
import { withGeneral } from '../../support/requests/bad-input.ts';
import { openRawSocket } from '../../support/requests/raw-socket.ts';
import { runs } from '../../support/runs.ts';

const PATH_VALUES = ['0', '1', 'x', '%00', '-1', '%F0%9F%90%99', '1e9', 'a%2Fb', "'", '%zz', ' '];
const JSON_WORDS = [
  '[]',
  '{}',
  'null',
  '-1',
  '"x"',
  '[1]',
  '[[]]',
  '[{}]',
  'true',
  '1e999',
  '[null]',
];

/** Bytes, or something that comes closer to a request: known names with values of every kind. */
const input = (endpoint: Endpoint) => {
  const names = [...Object.keys(endpoint.params), 'client', 'x'];
  const value = fc.oneof(
    fc.constantFrom(...JSON_WORDS),
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.json({ maxDepth: 3 }),
  );
  const form = fc
    .array(fc.tuple(fc.constantFrom(...names), value), { maxLength: names.length })
    .map((pairs) =>
      Buffer.from(pairs.map(([name, text]) => `${name}=${encodeURIComponent(text)}`).join('&')),
    );
  return fc.oneof(
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 4, arbitrary: form },
  );
};

const request = fc.constantFrom(...ENDPOINTS).chain((endpoint) =>
  fc.record({
    endpoint: fc.constant(endpoint),
    pathValue: fc.constantFrom(...PATH_VALUES),
    body: input(endpoint),
    query: input(endpoint),
    contentType: fc.constantFrom(
      '',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'multipart/form-data',
      'text/plain',
    ),
  }),
);

/** Bytes as a request line can hold them. */
const inQuery = (bytes: Buffer) => bytes.toString('latin1').replace(/[^!-~\x80-\xff]/g, '+');

test('no bytes in body or query make an endpoint fail: every one is answered, with no 500', async () => {
  const server = await withGeneral();
  const { ona } = server.people;
  await fc.assert(
    fc.asyncProperty(request, async ({ endpoint, pathValue, body, query, contentType }) => {
      const path = endpoint.path.replace(/\{\w+\}/g, encodeURI(pathValue));
      const socket = await openRawSocket(server.app.port);
      const head = [
        `${endpoint.method} /api/v1${path}?dont_block=true&${inQuery(query)} HTTP/1.1`,
        'Host: test.localhost',
        `Authorization: ${basic(ona)}`,
        `Content-Type: ${contentType}`,
        `Content-Length: ${body.length}`,
        '\r\n',
      ].join('\r\n');
      socket.write(Buffer.concat([Buffer.from(head, 'latin1'), body]));
      const answer = await socket.answer();
      socket.destroy();
      expect([200, 400, 401, 404, 429], answer.text).toContain(answer.status);
      const isDocument = 'document' in endpoint && answer.status === 200;
      const result = isDocument ? undefined : answer.status === 200 ? 'success' : 'error';
      expect(answer.body.result).toBe(result);
      expect(server.bugs).toEqual([]);
    }),
    { numRuns: runs({ few: 50, all: 200 }), endOnFailure: true },
  );
});

const scalar = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.integer(),
  fc.constant(null),
);
/** Something near a frame: known fields, with values of every kind. */
const nearFrame = fc.record(
  {
    type: fc.oneof(fc.constantFrom('register', 'ack', 'request', 'ping', 'hello'), fc.jsonValue()),
    id: fc.oneof(scalar, fc.jsonValue()),
    last_event_id: fc.oneof(fc.maxSafeInteger(), fc.double(), fc.jsonValue()),
    method: fc.oneof(fc.constantFrom('GET', 'POST', 'OPTIONS', 'x'), fc.jsonValue()),
    path: fc.oneof(fc.constantFrom(...ENDPOINTS.map(({ path }) => path)), scalar),
    params: fc.oneof(fc.dictionary(fc.constantFrom('to', 'type', 'narrow', 'x'), fc.jsonValue())),
    idempotency_key: fc.oneof(fc.string(), fc.jsonValue()),
  },
  { requiredKeys: [] },
);
const frame = fc.oneof(
  nearFrame.map((value) => JSON.stringify(value)),
  nearFrame.map((value) => pack(value)),
  fc.json(),
  fc.string(),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
);

test('no frames make a socket fail: it is there for the next one', async () => {
  const server = await withGeneral();
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { maxLength: 12 }), async (frames) => {
      const socket = await server.socket(server.people.mel);
      for (const bytes of frames) socket.ws.send(bytes);
      socket.send({ type: 'ping' });
      await socket.frame('pong');
      socket.close();
      await socket.closed();
      expect(server.bugs).toEqual([]);
    }),
    { numRuns: runs({ few: 25, all: 100 }), endOnFailure: true },
  );
});
