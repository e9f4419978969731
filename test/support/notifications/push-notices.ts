import { expect } from 'vitest';
import type { TestServer } from '../start-server.ts';
import type { Person } from '../users.ts';
import { accepts, type Pushing, type settle, withBouncer } from './pushing.ts';

export const IN_GENERAL = { type: 'channel', to: 'general', topic: 'tea' };
export const TOKEN = { token: 'c0ffee', appid: 'org.example.app' };

/** Ids of messages that devices were told of, in order. */
export const messagesIn = ({ told }: Awaited<ReturnType<typeof settle>>) =>
  told.flatMap(({ devices }) =>
    devices.map(({ notice }) => (notice as { message_id?: number }).message_id),
  );

export async function send(server: TestServer, as: Person, message: object): Promise<number> {
  const { status, body } = await server.post(as, '/messages', { ...message });
  expect(status).toBe(200);
  return body.id as number;
}

/** mel registers a bare token. */
export async function withToken(answer = accepts): Promise<Pushing & { as: Person }> {
  const pushing = await withBouncer(answer);
  const { mel } = pushing.server.people;
  await pushing.server.post(mel, '/users/me/apns_device_token', TOKEN);
  return { ...pushing, as: mel };
}
