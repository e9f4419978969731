import { expect } from 'vitest';
import type { Params } from '../client.ts';
import type { TestServer } from '../start-server.ts';
import type { Person } from '../users.ts';

export const PATH = '/scheduled_messages';
export const GENERAL = 1;
export const SUCCESS = { result: 'success', msg: '' };

export const inSeconds = ({ clock }: TestServer, seconds: number) =>
  Math.floor(clock.now() / 1000) + seconds;

export const schedule = (server: TestServer, as: Person, params: Params = {}) =>
  server.post(as, PATH, {
    type: 'channel',
    to: GENERAL,
    topic: 'lunch',
    content: '**soup**',
    scheduled_delivery_timestamp: inSeconds(server, 60),
    ...params,
  });

export async function scheduled(
  server: TestServer,
  as: Person,
  params: Params = {},
): Promise<number> {
  const { body } = await schedule(server, as, params);
  expect(body).toEqual({ ...SUCCESS, scheduled_message_id: expect.any(Number) });
  return body.scheduled_message_id;
}

/** Lets time pass, and waits each time for a message that then comes. */
export async function passTime(server: TestServer, reader: Person, steps: readonly number[]) {
  const queue = await server.register(reader, { event_types: ['message'] });
  for (const ms of steps) {
    server.clock.advance(ms);
    await queue.next();
  }
}

export const listOf = async (server: TestServer, as: Person) =>
  (await server.get(as, PATH)).body.scheduled_messages;
