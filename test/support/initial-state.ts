import type { Params } from './client.ts';
import type { TestServer } from './start-server.ts';

/** What Mel is given who registers with these. */
export async function snapshot(server: TestServer, params: Params) {
  const { state } = await server.register(server.people.mel, params);
  return state;
}
