import { expect } from 'vitest';
import { basic } from '../client.ts';
import { startServer, type TestServer } from '../start-server.ts';

export const MESSAGE = { type: 'channel', to: 'general', topic: 'lunch', content: 'soup?' };
export const FORM = new URLSearchParams(MESSAGE).toString();

export const withGeneral = () => startServer({ channels: ['general'] });

/** The head of a send by mel, with these headers as they stand. */
export const sendHead = (server: TestServer, ...headers: string[]) =>
  [
    'POST /api/v1/messages HTTP/1.1',
    'Host: test.localhost',
    `Authorization: ${basic(server.people.mel)}`,
    ...headers,
    '\r\n',
  ].join('\r\n');

/** Nothing happened, and the next request is answered as ever. */
export async function expectUnharmed(server: TestServer) {
  const { mel } = server.people;
  const newest = { anchor: 'newest', num_before: 10, num_after: 0 };
  const { status, body } = await server.get(mel, '/messages', newest);
  expect({ status, messages: body.messages }).toEqual({ status: 200, messages: [] });
  expect((await server.post(mel, '/messages', MESSAGE)).status).toBe(200);
  expect(server.bugs).toEqual([]);
}
