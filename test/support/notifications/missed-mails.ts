import { expect } from 'vitest';
import type { Params } from '../client.ts';
import type { TestServer } from '../start-server.ts';
import type { Person } from '../users.ts';
import type { Mailing } from './mail-server.ts';

export const SECOND = 1_000;
/** The default of everybody: email_notifications_batching_period_seconds. */
export const PERIOD = 120 * SECOND;

export async function say(server: TestServer, as: Person, message: Params) {
  const place = { type: 'channel', to: 'general', topic: 'tea' };
  const { status, body } = await server.post(as, '/messages', { ...place, ...message });
  expect(body.msg).toBe('');
  expect(status).toBe(200);
  return body.id as number;
}

export const whisper = (server: TestServer, as: Person, to: readonly Person[], content = 'hello') =>
  say(server, as, { type: 'direct', to: to.map(({ id }) => id), topic: undefined, content });

/** Lists the recipients and subjects of mails. */
export const told = (mails: Mailing['received']) =>
  mails.map(({ to, headers }) => `${to.split('@')[0]}: ${headers['subject']}`).sort();
