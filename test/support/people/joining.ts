import { expect } from 'vitest';
import type { Params } from '../client.ts';
import type { TestServer } from '../start-server.ts';

/** The form of somebody who joins. */
export const ZOE = { full_name: 'Zoe New', email: 'zoe@example.com', password: 'correct horse' };

/** Has ada make a link by which anybody joins. */
export async function makeLink(server: TestServer, offer: Params = {}): Promise<string> {
  const { body } = await server.post(server.people.ada, '/invites/multiuse', offer);
  return body.invite_link ?? expect.fail(JSON.stringify(body));
}

/** Returns the addresses of all members. */
export async function memberAddresses(server: TestServer): Promise<string[]> {
  const { body } = await server.get(server.people.ada, '/users');
  return body.members.map(({ email }: { email: string }) => email);
}
