import { expect } from 'vitest';
import type { Params, TestQueue } from '../client.ts';
import type { TestServer } from '../start-server.ts';
import type { Person } from '../users.ts';

export const PATH = '/drafts';
export const GENERAL = 1;
export const SUCCESS = { result: 'success', msg: '' };
/** To a channel, and later than the one to nowhere. */
export const LUNCH = {
  type: 'stream',
  to: [GENERAL],
  topic: 'lunch',
  content: '**soup**',
  timestamp: 20,
};
export const NOWHERE = { type: '', to: [], topic: '', content: 'hmm', timestamp: 10 };

export const store = (server: TestServer, as: Person, drafts: unknown) =>
  server.post(as, PATH, { drafts } as Params);

export async function stored(
  server: TestServer,
  as: Person,
  draft: object = LUNCH,
): Promise<number> {
  const { body } = await store(server, as, [draft]);
  expect(body).toEqual({ ...SUCCESS, ids: [expect.any(Number)] });
  return body.ids[0];
}

export const edit = (server: TestServer, as: Person, id: number, draft: unknown) =>
  server.patch(as, `${PATH}/${id}`, { draft } as Params);

export const listOf = async (server: TestServer, as: Person) =>
  (await server.get(as, PATH)).body.drafts;

export const eventsOf = async (queue: TestQueue) =>
  (await queue.now()).map(({ id, ...event }) => event);
