import { expect, test } from 'vitest';
import { openRecordReader } from '../../src/cluster/records/record-reader.ts';
import { startServer, type TestServer } from '../support/start-server.ts';

/** The tables that the log has writes of, as far as it goes. */
async function tablesOf({ logged }: TestServer): Promise<ReadonlySet<string>> {
  const reader = openRecordReader(null);
  const tables = new Set<string>();
  for (const stored of logged?.records() ?? []) {
    const record = await reader.read(stored);
    if (record?.kind !== 'writes') continue;
    for (const { writes } of record.realms) for (const [table] of writes) tables.add(table);
  }
  return tables;
}

test('4: after whatever people do, over a restart, replicas that followed the log have every row of the owner', async () => {
  const server = await startServer({ channels: ['general'], isLogged: true });
  const { ona, mel, max } = server.people;
  const said = { type: 'channel', to: 'general', topic: 'one' };
  const ok = async (answer: Promise<{ readonly status: number; readonly body: object }>) =>
    expect(await answer).toMatchObject({ status: 200 });
  const queue = await server.register(max, { event_types: ['message'] });
  const sends = Array.from({ length: 80 }, (_, index) =>
    server.post(index % 2 === 0 ? mel : max, '/messages', { ...said, content: `words ${index}` }),
  );
  for (const send of sends) await ok(send);
  await ok(server.post(mel, '/messages', { type: 'direct', to: [max.id], content: 'hello' }));
  const refused = await server.post(mel, '/messages', { ...said, to: 'nowhere', content: 'no' });
  expect(refused.status).toBe(400);
  await ok(server.post(max, '/messages/1/reactions', { emoji_name: 'tada' }));
  await ok(server.post(mel, '/messages/flags', { messages: [2], op: 'add', flag: 'starred' }));
  await ok(server.patch(mel, '/messages/1', { content: 'other words' }));
  await server.set('enable_read_receipts', false);
  const other = await server.addRealm('other');
  await ok(other.post(other.admin, '/users/me/subscriptions', { subscriptions: [{ name: 'b' }] }));
  expect((await queue.next()).length).toBeGreaterThan(0);
  await server.advance(600_000);
  await server.restart();
  await ok(server.delete(ona, '/messages/2'));
  await server.stop();
  const tables = await tablesOf(server);
  for (const table of ['messages', 'events', 'queues', 'audit_log', 'counters']) {
    expect(tables).toContain(table);
  }
  expect(tables.size).toBeGreaterThan(25);
  expect(await server.logged?.differences()).toEqual([]);
  expect(server.bugs).toEqual([]);
});
