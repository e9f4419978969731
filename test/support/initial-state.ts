import type { Params } from './client.ts';
import type { TestServer } from './start-server.ts';

/** Returns the snapshot that Mel gets by registering with these parameters. */
export async function snapshot(server: TestServer, params: Params) {
  const { state } = await server.register(server.people.mel, params);
  return state;
}
