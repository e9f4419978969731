import { expect } from 'vitest';
import type { Params } from '../client.ts';
import { startServer, type TestServer } from '../start-server.ts';
import type { PersonName } from '../users.ts';

export const TO_GENERAL = { type: 'channel', to: 'general', topic: 'lunch', content: 'soup?' };

export const withGeneral = () => startServer({ channels: ['general'] });

/** Returns the event that a client gets of the only message that a send makes. */
export async function sent(server: TestServer, params: Params, as: PersonName = 'mel') {
  const queue = await server.register(server.people[as], { event_types: ['message'] });
  const reply = await server.post(server.people[as], '/messages', params);
  expect(reply.body).toMatchObject({ result: 'success', msg: '', id: expect.any(Number) });
  const [event] = await queue.next();
  if (event === undefined) throw new Error('nothing came');
  return event;
}
