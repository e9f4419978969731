import type { Params, Reply } from '../client.ts';
import type { TestServer } from '../start-server.ts';
import type { PersonName } from '../users.ts';

export function subscribe(
  server: TestServer,
  as: PersonName,
  subscriptions: readonly object[],
  params: Params = {},
): Promise<Reply> {
  return server.post(server.people[as], '/users/me/subscriptions', { subscriptions, ...params });
}
