import { onTestFinished } from 'vitest';
import type { Deployment } from '../../../src/endpoints/dispatch/deployment.ts';
import { openDispatch } from '../../../src/endpoints/dispatch.ts';
import { ENDPOINTS } from '../../../src/endpoints/index.ts';
import { openRoutes } from '../../../src/endpoints/routes.ts';
import { NO_SESSIONS } from '../../../src/endpoints/sessions/cookies.ts';
import { standingHeaders } from '../../../src/transport/answers/standing-headers.ts';
import { listen } from '../../../src/transport/connections/listen.ts';
import { openSockets } from '../../../src/transport/websocket.ts';
import { openClient } from '../client.ts';
import type { TestServer } from '../start-server.ts';
import { recorded } from './recorded.ts';

/**
 * A second door to the sockets of a server, to its realms as they are seen through `at`. Bugs are
 * noted as they are logged.
 */
export async function openSocketDoor({ app }: TestServer, at: Deployment['at']) {
  const bugs: string[] = [];
  const door = await listen({ host: '127.0.0.1', port: 0, tls: null }, (uws) => {
    openSockets({
      ...recorded(),
      dispatch: openDispatch(app.realms, openRoutes(ENDPOINTS)),
      limitRequest: null,
      sessions: NO_SESSIONS,
      standing: standingHeaders({ isTls: false }),
      proxies: null,
      deployment: { ...app.realms, at },
      onBug: (error, { method, path }) => String(bugs.push(`${method} ${path}: ${error}`)),
    }).mount(uws);
  });
  onTestFinished(door.close);
  return { bugs, client: openClient(() => door.port, 'test.localhost') };
}
