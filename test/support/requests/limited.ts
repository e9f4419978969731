import http from 'node:http';
import type { Reply, TestSocket } from '../client.ts';
import { stateDigest } from '../realms/state-digest.ts';
import { startServer, type TestServer } from '../start-server.ts';
import type { Person } from '../users.ts';

export const MESSAGE = { type: 'channel', to: 'general', topic: 'lunch', content: 'soup?' };

interface Limits {
  readonly perUser?: number;
  readonly perAddress?: number;
}

export const ACCOUNT_CLASSES = ['REQUESTS', 'SENDS', 'SEARCHES', 'UPLOADS', 'MAILS'];

export const ofAll = (classes: readonly string[], limit: number | '') =>
  Object.fromEntries(classes.map((name) => [`CONFAB_${name}_PER_MINUTE`, String(limit)]));

export const withLimits = ({ perUser = 0, perAddress = 0 }: Limits) =>
  startServer({
    channels: ['general'],
    env: {
      ...ofAll(ACCOUNT_CLASSES, perUser),
      ...ofAll(['LOGINS', 'ANONYMOUS_REQUESTS'], perAddress),
    },
  });

export const whoAmI = (server: TestServer, as: Person) => server.get(as, '/users/me');

/** UNIX seconds. */
export const nowOf = ({ clock }: TestServer) => clock.now() / 1000;

export const rateOf = ({ headers }: Pick<Reply, 'headers'>) => [
  headers['x-ratelimit-limit'],
  headers['x-ratelimit-remaining'],
  headers['x-ratelimit-reset'],
];

export const outcomes = async (times: number, ask: () => Promise<{ status: number }>) => {
  const statuses: number[] = [];
  for (let count = 0; count < times; count++) statuses.push((await ask()).status);
  return statuses;
};

export async function replyTo(socket: TestSocket, path: string, method = 'GET', params = {}) {
  socket.send({ type: 'request', id: 7, method, path, params });
  const { status, body } = await socket.frame('reply');
  return { status: Number(status), body };
}

export function digestOf({ app }: TestServer): string {
  const realm = app.realms.named('test');
  if (realm === undefined) throw new Error('the test realm is gone');
  return stateDigest(realm.reader);
}

/** Asks from another address of this machine. */
export function askFrom(localAddress: string, { app }: TestServer): Promise<number> {
  const headers = { host: `test.localhost:${app.port}` };
  const path = '/api/v1/server_settings';
  return new Promise((resolve, reject) => {
    http
      .get(
        { host: '127.0.0.1', port: app.port, path, headers, localAddress, agent: false },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode ?? 0);
        },
      )
      .on('error', reject);
  });
}

const TRIES_MAX = 20;

/**
 * Does the same again until a limit refuses it. Where several processes serve clients, each may let
 * it through before it hears of the others.
 */
export async function untilRefused(act: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) await act();
}
