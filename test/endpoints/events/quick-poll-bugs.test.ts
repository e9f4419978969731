import { expect, onTestFinished, test } from 'vitest';
import { openDispatch } from '../../../src/endpoints/dispatch.ts';
import { openQuickPolls } from '../../../src/endpoints/events/quick-poll.ts';
import { ENDPOINTS } from '../../../src/endpoints/index.ts';
import { openRoutes } from '../../../src/endpoints/routes.ts';
import { NO_SESSIONS } from '../../../src/endpoints/sessions/cookies.ts';
import { standingHeaders } from '../../../src/transport/answers/standing-headers.ts';
import { listen } from '../../../src/transport/connections/listen.ts';
import { mountHttp } from '../../../src/transport/http.ts';
import { openClient } from '../../support/client.ts';
import { recorded } from '../../support/requests/recorded.ts';
import { startServer } from '../../support/start-server.ts';

const never = () => Promise.reject(new Error('nobody asks for it'));

test('9: a bug in the look at a poll is a bare 500, logged with its endpoint', async () => {
  const server = await startServer();
  const { realms } = server.app;
  const { max } = server.people;
  const queue = await server.register(max, { event_types: ['message'], fetch_event_types: [] });
  const bugs: string[] = [];
  const quickPoll = openQuickPolls({
    ...realms,
    at(host) {
      const { realm = expect.fail(), site } = realms.at(host);
      const users = {
        ...realm.reader.users,
        get: () => {
          throw new Error('a bug');
        },
      };
      return {
        realm: { ...realm, isOpen: realm.isOpen, reader: { ...realm.reader, users } },
        site,
      };
    },
  });
  const door = await listen({ host: '127.0.0.1', port: 0, tls: null }, (app) =>
    mountHttp(app, {
      ...recorded(),
      dispatch: openDispatch(realms, openRoutes(ENDPOINTS)),
      limitRequest: null,
      sessions: NO_SESSIONS,
      limitPoll: null,
      standing: standingHeaders({ isTls: false }),
      proxies: null,
      web: null,
      holdsSecret: () => false,
      pages: () => undefined,
      content: never,
      files: never,
      uploads: never,
      isStreamed: () => false,
      bodyLimit: () => 64 * 1024,
      quickPoll,
      onBug: (error, { method, path }) => String(bugs.push(`${method} ${path}: ${error}`)),
    }),
  );
  onTestFinished(door.close);
  const client = openClient(() => door.port, 'test.localhost');

  const poll = `/events?queue_id=${queue.id}&last_event_id=-1`;
  const reply = await client.request('GET', poll, { as: max });

  expect(reply).toMatchObject({
    status: 500,
    body: { result: 'error', msg: 'Internal server error', request_id: '1' },
  });
  expect(bugs).toEqual(['GET /api/v1/events: Error: a bug']);
});
