import { expect } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import { type Answer, startListener, type TestListener } from '../notifications/listener.ts';
import { startServer, type TestServer } from '../start-server.ts';

export interface Hooked {
  readonly server: TestServer;
  readonly listener: TestListener;
  readonly hookId: number;
}

/** Starts a realm in which mel owns a bot that calls a server of this test. */
export async function withHook(
  answer: (count: number) => Answer,
  { kind = '1', url, env = {} }: { kind?: string; url?: string; env?: Record<string, string> } = {},
): Promise<Hooked> {
  const listener = await startListener((_, count) => answer(count));
  const server = await startServer({
    channels: ['general'],
    env: { CONFAB_WEBHOOK_PRIVATE_ADDRESSES: '1', ...env },
  });
  const [made] = await runCommand(server.app.realms, 'bot create', {
    realm: 'test',
    email: 'hook@example.com',
    name: 'Hook',
    owner: 'mel@example.com',
    type: 'outgoing-webhook',
    'payload-url': url ?? `${listener.url}/hook?x=1`,
    interface: kind,
  });
  const { user_id: hookId } = made as { user_id: number };
  return { server, listener, hookId };
}

export const ask = (server: TestServer, content = 'What is @**Hook** doing?') =>
  server.post(server.people.max, '/messages', {
    type: 'channel',
    to: 'general',
    topic: 'tea',
    content,
  });

export const askDirectly = ({ server, hookId }: Hooked, content = 'psst') =>
  server.post(server.people.max, '/messages', { type: 'direct', to: [hookId], content });

export const json = (body: unknown): Answer => ({ body: JSON.stringify(body) });

export const entries = (server: TestServer) =>
  server.perform((tx) => Array.from(tx.outbox.range({}), ([[dueAt]]) => dueAt));

export const messageCount = (server: TestServer) => server.perform((tx) => tx.lastId('message'));

/** Waits until the call failed and is due again after this pause. */
export async function waitForEntry(server: TestServer, pauseMs: number) {
  await expect
    .poll(async () => (await entries(server)).map((dueAt) => dueAt - server.clock.now()))
    .toEqual([pauseMs]);
}

/** Waits until the outbox is empty and the remote server was called this often. */
export async function expectDone(server: TestServer, listener: TestListener, count: number) {
  await server.advance(1);
  await expect.poll(() => entries(server)).toEqual([]);
  expect(listener.heard).toHaveLength(count);
  expect(server.bugs).toEqual([]);
}
