import { expect } from 'vitest';
import type { TestQueue, TestSocket } from '../client.ts';
import { startServer, type TestServer } from '../start-server.ts';

export const MESSAGE = { type: 'channel', to: 'general', topic: 'lunch', content: 'soup?' };
export const MESSAGES_ONLY = { event_types: ['message'], fetch_event_types: [] };

export const withGeneral = (env: Record<string, string> = {}) =>
  startServer({ channels: ['general'], env });

export const send = (server: TestServer, content: string) =>
  server.post(server.people.mel, '/messages', { ...MESSAGE, content });

/** A socket on a queue, greeted. */
export async function attach(server: TestServer, queue: TestQueue, lastEventId?: number) {
  const position = lastEventId ?? queue.lastEventId;
  const socket = await server.socket(queue.as, {
    query: `?queue_id=${queue.id}&last_event_id=${position}`,
  });
  expect(await socket.frame()).toEqual({
    type: 'hello',
    queue_id: queue.id,
    last_event_id: position,
    resumed: true,
  });
  return socket;
}

export const contentsOf = (frame: { [key: string]: unknown }) =>
  (frame['events'] as { message: { content: string } }[]).map(({ message }) => message.content);

/** The answer to a ping comes after everything that was due before it. */
export async function settled(socket: TestSocket) {
  socket.send({ type: 'ping' });
  await socket.frame('pong');
}
