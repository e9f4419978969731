import { expect, test } from 'vitest';
import { NOTIFICATION_BOT } from '../../../src/domain/rules/people/system-bots.ts';
import { addressed } from '../../../src/operations/channels/addresses.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const ask = (server: TestServer, as: Person, params: object = {}, channelId = 1) =>
  server.get(as, `/streams/${channelId}/email_address`, { ...params });

async function addressFor(server: TestServer, as: Person, params: object = {}, channelId = 1) {
  const { status, body } = await ask(server, as, params, channelId);
  expect([status, body]).toEqual([
    200,
    {
      result: 'success',
      msg: '',
      email: expect.stringMatching(/^[a-z0-9.]{1,64}@test\.localhost$/),
    },
  ]);
  return body.email as string;
}

test('an address is each channel, caller and sender its own, and stays the same', async () => {
  const server = await startServer({ channels: ['general', 'random'] });
  const { ona, mel, bot } = server.people;
  const general = await addressFor(server, mel);
  const all = [
    general,
    await addressFor(server, ona),
    await addressFor(server, mel, {}, 2),
    await addressFor(server, mel, { sender_id: mel.id }),
    await addressFor(server, ona, { sender_id: bot.id }),
  ];
  expect(new Set(all).size).toBe(all.length);
  expect(await addressFor(server, mel, { sender_id: NOTIFICATION_BOT.id })).toBe(general);
  await server.patch(ona, '/streams/1', { new_name: 'renamed' });
  await server.restart();
  expect(await addressFor(server, mel)).toBe(general);
});

test('those who administer a channel end all its addresses, and no other channel’s', async () => {
  const server = await startServer({ channels: ['general', 'random'] });
  const { ona, mel, bot } = server.people;
  const all = async () => [
    await addressFor(server, mel),
    await addressFor(server, ona),
    await addressFor(server, ona, { sender_id: bot.id }),
  ];
  const former = await all();
  const random = await addressFor(server, mel, {}, 2);
  const taken = (addresses: readonly string[]) =>
    server.perform((tx) =>
      addresses.map((one) => addressed(tx, one.slice(0, one.indexOf('@'))) !== undefined),
    );
  expect(await taken([...former, random])).toEqual([true, true, true, true]);
  const refused = await server.delete(mel, '/streams/1/email_address');
  expect([refused.status, refused.body.code]).toEqual([400, 'CANNOT_ADMINISTER_CHANNEL']);
  expect(await all()).toEqual(former);
  expect(await server.delete(ona, '/streams/1/email_address')).toMatchObject({ status: 200 });
  expect(await taken([...former, random])).toEqual([false, false, false, true]);
  const later = await all();
  expect(new Set([...former, ...later]).size).toBe(6);
  await server.restart();
  expect(await taken([...former, ...later])).toEqual([false, false, false, true, true, true]);
  expect(await addressFor(server, mel, {}, 2)).toBe(random);
  const acts = await server.perform((tx) =>
    [...tx.auditLog.range({})].filter(([, { kind }]) => kind === 'channel_addresses'),
  );
  expect(acts.map(([, { actingUserId, op, target }]) => ({ actingUserId, op, target }))).toEqual([
    { actingUserId: ona.id, op: 'remove', target: 1 },
  ]);
  // Again: those that were given in between end as well.
  await server.delete(ona, '/streams/1/email_address');
  expect(await taken(later)).toEqual([false, false, false]);
});

test('the addresses of another realm are others', async () => {
  const server = await startServer({ channels: ['general'] });
  const acme = await server.addRealm('acme');
  await acme.post(acme.admin, '/users/me/subscriptions', { subscriptions: [{ name: 'general' }] });
  const { body } = await acme.get(acme.admin, '/streams/1/email_address');
  const [, , , , theirs] = body.email.split(/[.@]/);
  const [, , , , ours] = (await addressFor(server, server.people.ona)).split(/[.@]/);
  expect(theirs).toMatch(/^[0-9a-f]{26}$/);
  expect(ours).not.toBe(theirs);
});

test("it is refused for channels one may not read, and for somebody else's messages", async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, mel, max, bot } = server.people;
  const secret = { subscriptions: [{ name: 'secret' }], invite_only: true };
  await server.post(ona, '/users/me/subscriptions', secret);
  const refused = async (reply: ReturnType<typeof ask>, msg: string) => {
    const { status, body } = await reply;
    expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
  };
  await refused(ask(server, mel, {}, 2), 'Invalid channel ID');
  await refused(ask(server, mel, {}, 99), 'Invalid channel ID');
  for (const sender_id of [max.id, bot.id, 99]) {
    await refused(ask(server, mel, { sender_id }), 'Invalid sender ID');
  }
  await refused(ask(server, mel, { sender_id: 'me' }), 'sender_id is not an integer');
  await server.patch(ona, '/streams/1', {
    can_send_message_group: { new: { direct_members: [ona.id], direct_subgroups: [] } },
  });
  await refused(
    ask(server, mel, { sender_id: mel.id }),
    'You do not have permission to post in this channel.',
  );
  await addressFor(server, mel);
});
