import { type ChatEvent, type ConnectOptions, connect } from '@confab/client';
import { expect, onTestFinished, test } from 'vitest';
import WebSocket from 'ws';
import { startServer, type TestServer } from '../support/start-server.ts';
import type { Person } from '../support/users.ts';

test('registers, hears events, calls and sends', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const chat = open(server, mel);
  const events: ChatEvent[] = [];
  const states: string[] = [];
  chat.on('event', (event) => events.push(event));
  chat.on('status', ({ state }) => states.push(state));
  const entry = chat.send({ type: 'channel', to: 'general', topic: 'hello', content: 'x' });
  const { id } = await entry.sent;
  await expect
    .poll(() => events.filter(({ type }) => type === 'message'))
    .toMatchObject([{ message: { id, content: 'x' }, local_message_id: entry.key }]);
  const { messages } = await chat.call('GET', '/messages', {
    anchor: 'newest',
    num_before: 5,
    num_after: 0,
  });
  expect(messages).toMatchObject([{ id }]);
  expect(states).toEqual(['connecting', 'connecting', 'live', 'live']);
});

function open(server: TestServer, person: Person, options: Partial<ConnectOptions> = {}) {
  const chat = connect({
    url: server.url,
    credentials: { email: person.email, key: person.apiKey },
    WebSocket,
    ...options,
  });
  onTestFinished(() => chat.close());
  return chat;
}
