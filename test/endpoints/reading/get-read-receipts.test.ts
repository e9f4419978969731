import { expect, test } from 'vitest';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const IN_TEA = { type: 'channel', to: 'general', topic: 'tea', content: 'hi' };

async function started() {
  const server = await startServer({ channels: ['general'] });
  await server.set('enable_read_receipts', true);
  return server;
}

async function sent(server: TestServer, as: Person, params: object = IN_TEA): Promise<number> {
  return (await server.post(as, '/messages', { ...params })).body.id;
}

const receipts = (server: TestServer, as: Person, messageId: number) =>
  server.get(as, `/messages/${messageId}/read_receipts`);

async function readersOf(server: TestServer, messageId: number, as = server.people.mel) {
  const { status, body } = await receipts(server, as, messageId);
  expect([status, body]).toEqual([
    200,
    { result: 'success', msg: '', user_ids: expect.any(Array) },
  ]);
  return body.user_ids;
}

const flag = (server: TestServer, as: Person, params: object) =>
  server.post(as, '/messages/flags', { op: 'add', flag: 'read', ...params });

test('those who have read a message are told, without its sender', async () => {
  const server = await started();
  const { mel, max, mia, ada } = server.people;
  const first = await sent(server, mel);
  const second = await sent(server, mel);
  expect(await readersOf(server, first)).toEqual([]);
  await flag(server, max, { messages: [first, second] });
  await flag(server, mia, { messages: [second] });
  await flag(server, ada, { messages: [first] });
  expect(await readersOf(server, first, max)).toEqual([ada.id, max.id].sort());
  expect(await readersOf(server, second)).toEqual([mia.id, max.id].sort());
  await flag(server, max, { messages: [first], op: 'remove' });
  expect(await readersOf(server, first)).toEqual([ada.id]);
});

test('of a direct message those of its conversation are told', async () => {
  const server = await started();
  const { mel, max, gus } = server.people;
  const id = await sent(server, mel, { type: 'direct', to: [max.id, gus.id], content: 'hi' });
  await flag(server, gus, { messages: [id] });
  expect(await readersOf(server, id, max)).toEqual([gus.id]);
});

test('who joined later is no reader, until they mark the message; who left still is', async () => {
  const server = await started();
  const { mel, max, mia } = server.people;
  await server.delete(mia, '/users/me/subscriptions', { subscriptions: ['general'] });
  const id = await sent(server, mel);
  await server.post(mia, '/users/me/subscriptions', { subscriptions: [{ name: 'general' }] });
  await flag(server, max, { messages: [id] });
  await server.delete(max, '/users/me/subscriptions', { subscriptions: ['general'] });
  expect(await readersOf(server, id)).toEqual([max.id]);
  await flag(server, mia, { messages: [id], flag: 'starred' });
  expect(await readersOf(server, id)).toEqual([mia.id, max.id].sort());
});

test('a moved message has the readers that came along', async () => {
  const server = await started();
  const { ona, mel, max, mia } = server.people;
  const few = { subscriptions: [{ name: 'few' }], principals: [ona.id, mel.id, max.id] };
  await server.post(ona, '/users/me/subscriptions', { ...few, invite_only: true });
  const id = await sent(server, mel);
  for (const person of [max, mia]) await flag(server, person, { messages: [id] });
  expect(await readersOf(server, id)).toEqual([mia.id, max.id].sort());
  const { body } = await server.patch(ona, `/messages/${id}`, { stream_id: 2 });
  expect(body.result).toBe('success');
  expect(await readersOf(server, id)).toEqual([max.id]);
});

test('who wants their reading unknown is not told of, nor is a deactivated account', async () => {
  const server = await started();
  const { mel, max, mia } = server.people;
  const id = await sent(server, mel);
  for (const person of [max, mia]) await flag(server, person, { messages: [id] });
  await server.patch(max, '/settings', { send_read_receipts: false });
  expect(await readersOf(server, id)).toEqual([mia.id]);
  await server.perform((tx) => {
    const row = tx.users.get([mia.id]) ?? expect.fail();
    tx.users.put([mia.id], { ...row, isActive: false });
  });
  expect(await readersOf(server, id)).toEqual([]);
});

test('who mutes the other, either way, is not told of', async () => {
  const server = await started();
  const { mel, max, mia, ada } = server.people;
  const id = await sent(server, mel);
  for (const person of [max, mia, ada]) await flag(server, person, { messages: [id] });
  await server.post(mel, `/users/me/muted_users/${max.id}`);
  await server.post(mia, `/users/me/muted_users/${mel.id}`);
  expect(await readersOf(server, id)).toEqual([ada.id]);
  expect(await readersOf(server, id, ada)).toEqual([ada.id, mia.id, max.id].sort());
});

test('it is refused where the organization does not want it, and for what one may not read', async () => {
  const server = await started();
  const { mel, max, ona } = server.people;
  const direct = await sent(server, mel, { type: 'direct', to: [max.id], content: 'hi' });
  const refused = async (as: Person, messageId: number, msg: string) => {
    const { status, body } = await receipts(server, as, messageId);
    expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
  };
  await refused(ona, direct, 'Invalid message(s)');
  await refused(ona, 999, 'Invalid message(s)');
  await server.set('enable_read_receipts', false);
  await refused(mel, direct, 'Read receipts are disabled in this organization.');
});
