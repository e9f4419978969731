import { expect, test } from 'vitest';
import {
  SOCKET_REQUESTS_MAX,
  SOCKET_REQUESTS_UNDER_WAY_MAX,
} from '../../../src/domain/limits/sockets.ts';
import type { Answer } from '../../../src/endpoints/dispatch/request.ts';
import { openSession } from '../../../src/endpoints/events/socket-session.ts';
import { openTracing } from '../../../src/endpoints/tracing.ts';
import { openSocketRecord } from '../../../src/metrics/recorders.ts';
import { failure } from '../../../src/transport/answers/reply.ts';
import { basic } from '../../support/client.ts';
import { startServer } from '../../support/start-server.ts';

test('a socket has 1,000 requests unanswered, a few of them under way; those beyond are refused one by one, until some are answered', async () => {
  const { ask, unanswered, replies } = await openedSession();
  for (let id = 0; id < SOCKET_REQUESTS_MAX + 2; id++) ask(id);
  expect(unanswered).toHaveLength(SOCKET_REQUESTS_UNDER_WAY_MAX);
  const refusal = {
    type: 'reply',
    status: 400,
    body: {
      result: 'error',
      code: 'BAD_REQUEST',
      msg: 'More than 1000 requests are unanswered',
    },
  };
  expect(replies).toEqual([
    { ...refusal, id: 1_000 },
    { ...refusal, id: 1_001 },
  ]);

  for (const { succeed } of unanswered.splice(0, 2)) succeed({}, []);
  ask(1_002);
  ask(1_003);
  ask(1_004);
  expect(replies.slice(2).map(({ id, status }) => [id, status])).toEqual([
    [0, 200],
    [1, 200],
    [1_004, 400],
  ]);
});

test('the frames that wait have a bound in bytes', async () => {
  const { session, replies } = await openedSession();
  const ask = (id: number) =>
    session.receive({ type: 'request', id, method: 'POST', path: '/messages' }, 1024 * 1024);
  for (let id = 0; id < SOCKET_REQUESTS_UNDER_WAY_MAX + 6; id++) ask(id);
  const refused = replies.map(({ id, status }) => [
    Number(id) - SOCKET_REQUESTS_UNDER_WAY_MAX,
    status,
  ]);
  expect(refused).toEqual([
    [4, 400],
    [5, 400],
  ]);
});

test('while the client reads nothing no request is begun, and what is answered waits; then all comes, in order', async () => {
  const { ask, session, writer, unanswered, replies } = await openedSession();
  for (let id = 0; id < SOCKET_REQUESTS_UNDER_WAY_MAX; id++) ask(id);
  writer.isFull = true;
  ask(SOCKET_REQUESTS_UNDER_WAY_MAX);
  session.receive({ type: 'ping' }, 0);
  for (const { succeed } of unanswered.splice(0)) succeed({}, []);
  expect(replies).toEqual([]);
  expect(unanswered).toEqual([]);

  writer.isFull = false;
  session.drained();
  expect(replies.map(({ id, type }) => id ?? type)).toEqual([
    'pong',
    ...Array.from({ length: SOCKET_REQUESTS_UNDER_WAY_MAX }, (_, id) => id),
  ]);
  expect(unanswered).toHaveLength(1);
});

test('a read is not begun while the client has yet to read, and is when it has', async () => {
  const { ask, session, writer, unanswered } = await openedSession();
  ask(1);
  const [answer] = unanswered;
  let isRetried = false;
  const retry = () => {
    isRetried = true;
  };
  expect(answer?.holdsBack(retry)).toBe(false);
  writer.isFull = true;
  expect(answer?.holdsBack(retry)).toBe(true);
  writer.isFull = false;
  expect(isRetried).toBe(false);
  session.drained();
  expect(isRetried).toBe(true);
});

test('a client that asks and asks and reads nothing is told that it is too slow', async () => {
  const { session, writer } = await openedSession();
  writer.isFull = true;
  for (let count = 0; count < SOCKET_REQUESTS_MAX; count++) session.receive({ type: 'ping' }, 0);
  expect(writer.isTooSlow).toBe(false);
  session.receive({ type: 'ping' }, 0);
  expect(writer.isTooSlow).toBe(true);
});

test('what was asked is not done for a client that has gone', async () => {
  const { ask, session, unanswered } = await openedSession();
  for (let id = 0; id <= SOCKET_REQUESTS_UNDER_WAY_MAX; id++) ask(id);
  const [first, ...others] = unanswered;
  expect(first?.isGone()).toBe(false);
  session.gone();
  expect(first?.isGone()).toBe(true);
  for (const { succeed } of others) succeed({}, []);
  expect(unanswered).toHaveLength(SOCKET_REQUESTS_UNDER_WAY_MAX);
});

/** Opens a session whose requests are held until the test answers them. */
async function openedSession() {
  const { app, people } = await startServer();
  const unanswered: Answer[] = [];
  const replies: Readonly<Record<string, unknown>>[] = [];
  const writer = { isFull: false, isTooSlow: false };
  const session = openSession(
    {
      server: {
        deployment: app.realms,
        dispatch: (_, answer) => void unanswered.push(answer),
        limitRequest: null,
        socketRecord: openSocketRecord(),
        tracing: openTracing(null),
      },
      address: '',
      host: `test.localhost:${app.port}`,
      authorization: basic(people.mel),
      userAgent: '',
    },
    {
      send: (frame) => replies.push(frame),
      isFull: () => writer.isFull,
      tooSlow: () => {
        writer.isTooSlow = true;
      },
      success: (body) => ({ ...body }),
      failure: (error) => failure(error, () => 'one'),
      consumer: {
        takesOne: false,
        deliver: () => 'taken',
        replaced: () => undefined,
        ended: () => undefined,
        stopping: () => undefined,
      },
    },
  );
  const ask = (id: number) =>
    session.receive({ type: 'request', id, method: 'GET', path: '/users/me' }, 0);
  return { session, ask, writer, unanswered, replies };
}
