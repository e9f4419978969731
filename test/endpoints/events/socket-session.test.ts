import { expect, test } from 'vitest';
import { SOCKET_REQUESTS_MAX } from '../../../src/domain/limits.ts';
import type { Answer } from '../../../src/endpoints/dispatch.ts';
import { openSession } from '../../../src/endpoints/events/socket-session.ts';
import { failure } from '../../../src/transport/reply.ts';
import { basic } from '../../support/client.ts';
import { startServer } from '../../support/start-server.ts';

test('a socket has 1,000 requests unanswered; those beyond are refused one by one, until some are answered', async () => {
  const { session, unanswered, replies } = await openedSession();
  const ask = (id: number) =>
    session.receive({ type: 'request', id, method: 'GET', path: '/users/me' });
  for (let id = 0; id < SOCKET_REQUESTS_MAX + 2; id++) ask(id);
  expect(unanswered).toHaveLength(1_000);
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

/** Of somebody whose requests are held until the test answers them. */
async function openedSession() {
  const { app, people } = await startServer();
  const unanswered: Answer[] = [];
  const replies: Readonly<Record<string, unknown>>[] = [];
  const session = openSession(
    {
      server: {
        deployment: app.realms,
        dispatch: (_, answer) => void unanswered.push(answer),
        admit: null,
      },
      address: '',
      host: `test.localhost:${app.port}`,
      authorization: basic(people.mel),
      userAgent: '',
    },
    {
      send: (frame) => replies.push(frame),
      success: (body) => ({ ...body }),
      failure,
      consumer: {
        takesOne: false,
        deliver: () => 'taken',
        replaced: () => undefined,
        ended: () => undefined,
        stopping: () => undefined,
      },
    },
  );
  return { session, unanswered, replies };
}
