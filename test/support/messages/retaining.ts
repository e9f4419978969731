import * as retention from '../../../src/operations/messages/retention.ts';
import type { Params } from '../client.ts';
import type { TestServer } from '../start-server.ts';
import type { Person } from '../users.ts';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

export async function say(server: TestServer, as: Person, message: Params = {}) {
  const { body } = await server.post(as, '/messages', {
    type: 'channel',
    to: 'general',
    topic: 'lunch',
    content: 'hello',
    ...message,
  });
  return body.id as number;
}

export const whisper = (server: TestServer, as: Person, to: readonly Person[]) =>
  say(server, as, { type: 'direct', to: to.map(({ id }) => id), topic: undefined });

export const keepFor = (
  server: TestServer,
  message_retention_days: number | string,
  channelId = 1,
) => server.patch(server.people.ona, `/streams/${channelId}`, { message_retention_days });

/** Lets go whatever has expired by now. */
export async function expire(server: TestServer) {
  for (;;) {
    const nextAt = await server.perform((tx) => retention.nextAt(tx));
    if (nextAt === undefined || nextAt > server.clock.now()) return;
    await server.advance(1);
  }
}

/** Returns the ids of all messages that are stored. */
export const idsIn = (server: TestServer) =>
  server.perform((tx) => Array.from(tx.messages.keys({}), ([id]) => id));
