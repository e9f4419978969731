import { expect, test } from 'vitest';
import { CHANNELS_LOOKED_AT_PER_STEP } from '../../../src/domain/limits/channels.ts';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import * as channels from '../../../src/operations/channels/channels.ts';
import * as channelActivity from '../../../src/operations/indexes/channel-activity.ts';
import { expectExactAfter, MODERN, PATIENT } from '../../support/applying/follow.ts';
import type { Params, TestQueue } from '../../support/client.ts';
import { PUBLIC_CHANNEL } from '../../support/new-channel.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const DAY = 86_400_000;
const HALF_A_YEAR = 180 * DAY;

const QUIET_MOVE = {
  send_notification_to_old_thread: false,
  send_notification_to_new_thread: false,
};

async function say(server: TestServer, as: Person, message: Params = {}): Promise<number> {
  const { status, body } = await server.post(as, '/messages', {
    type: 'channel',
    to: 'general',
    topic: 'lunch',
    content: 'hello',
    ...message,
  });
  expect(status).toBe(200);
  return body.id;
}

/**
 * Moves time to `at`, counted from the start of the server, and lets everything happen that is due
 * by then.
 */
async function leapTo(server: TestServer, start: number, at: number) {
  await server.leap(start + at - server.clock.now());
  await server.advance(1); // what was due when the leap ended is done at once, and here after it
}

const update = (stream_id: number, name: string, value: boolean) => ({
  id: expect.any(Number),
  type: 'stream',
  op: 'update',
  stream_id,
  name,
  property: 'is_recently_active',
  value,
});

const toldBy = async (queue: TestQueue) =>
  (await queue.now()).filter(({ property }) => property === 'is_recently_active');

/** Returns the names of the channels that are quiet, as a user sees them. */
async function quietFor(server: TestServer, as: Person): Promise<string[]> {
  const { streams } = (await server.get(as, '/streams', { include_all: true })).body;
  const quiet = streams.filter((one: { is_recently_active: boolean }) => !one.is_recently_active);
  return quiet.map(({ name }: { name: string }) => name);
}

test('a channel is quiet 180 days after it was made, not a millisecond earlier, and all who know of it hear so', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, ada, mia, mel, gus } = server.people;
  const start = server.clock.now();
  await server.perform((tx) => {
    const creator = tx.users.get([ona.id]) ?? expect.fail();
    for (const name of ['open', 'secret']) {
      channels.create(tx, newChannel(name, name === 'secret'), creator);
    }
  });
  await server.leap(HALF_A_YEAR - 1);
  const people = [ona, ada, mia, mel, gus];
  const queues = await Promise.all(people.map((person) => server.register(person, MODERN)));
  expect(await quietFor(server, ona)).toEqual([]);
  for (const queue of queues) expect(await queue.now()).toEqual([]);

  await expectExactAfter(server, async () => {
    await server.advance(1);
    expect(server.clock.now()).toBe(start + HALF_A_YEAR);
    expect(await quietFor(server, ada)).toEqual(['general', 'open', 'secret']);
  });
  const general = update(1, 'general', false);
  const open = update(2, 'open', false);
  const secret = update(3, 'secret', false);
  const told = [
    [general, open, secret],
    [general, open, secret],
    [general, open],
    [general, open],
    [general],
  ];
  for (const [index, queue] of queues.entries()) expect(await queue.now()).toEqual(told[index]);
  await leapTo(server, start, 3 * HALF_A_YEAR);
  expect(await server.perform((tx) => [...tx.activeChannels.keys({})])).toEqual([]);
  expect(server.bugs).toEqual([]);
});

test('it is 180 days after its newest message, which writes nothing for it', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const start = server.clock.now();
  await say(server, mel);
  const rows = () =>
    server.perform((tx) => [tx.channels.get([1]), [...tx.activeChannels.keys({})]] as const);
  await leapTo(server, start, 100 * DAY);
  const before = await rows();
  await say(server, mel);
  expect(await rows()).toEqual(before);
  await leapTo(server, start, HALF_A_YEAR);
  expect(await quietFor(server, mel)).toEqual([]);
  expect((await rows())[1]).toEqual([[(start + 100 * DAY + HALF_A_YEAR) / 1000, 1]]);
  await server.leap(start + 100 * DAY + HALF_A_YEAR - 1 - server.clock.now());
  const queue = await server.register(max, MODERN);
  expect(await quietFor(server, mel)).toEqual([]);
  await server.advance(1);
  expect(await quietFor(server, mel)).toEqual(['general']);
  expect(await queue.now()).toEqual([update(1, 'general', false)]);
});

test('the next message makes it active again, and is told after that', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const start = server.clock.now();
  await say(server, mel);
  await leapTo(server, start, HALF_A_YEAR);
  expect(await quietFor(server, mel)).toEqual(['general']);
  const queue = await server.register(max, MODERN);
  await expectExactAfter(server, () => say(server, mel));
  await say(server, mel);
  expect(await queue.now()).toMatchObject([
    update(1, 'general', true),
    { type: 'message' },
    { type: 'message' },
  ]);
  const again = Math.floor(server.clock.now() / 1000) * 1000;
  await server.leap(again + HALF_A_YEAR - 1 - server.clock.now());
  expect(await quietFor(server, mel)).toEqual([]);
  await server.advance(1);
  expect(await quietFor(server, mel)).toEqual(['general']);
});

test('so does a scheduled message, and one that is refused does not', async () => {
  const server = await startServer({ channels: ['general', 'second'] });
  const { ona, mel, max } = server.people;
  const start = server.clock.now();
  const nobody = { can_send_message_group: { new: systemGroupId('role:nobody') } };
  expect((await server.patch(ona, '/streams/2', nobody)).status).toBe(200);
  await leapTo(server, start, HALF_A_YEAR);
  expect(await quietFor(server, mel)).toEqual(['general', 'second']);
  await server.post(mel, '/scheduled_messages', {
    type: 'channel',
    to: 1,
    topic: 'lunch',
    content: 'hello',
    scheduled_delivery_timestamp: Math.floor(server.clock.now() / 1000) + 60,
  });
  const queue = await server.register(max, MODERN);
  await expectExactAfter(server, () => server.advance(61_000));
  const refused = { type: 'channel', to: 'second', topic: 'lunch', content: 'hello' };
  expect((await server.post(mel, '/messages', refused)).status).toBe(400);
  expect(await quietFor(server, mel)).toEqual(['second']);
  expect(await toldBy(queue)).toEqual([update(1, 'general', true)]);
});

test('a message that is moved to a quiet channel makes it active for as long as it is recent', async () => {
  const server = await startServer({ channels: ['general', 'second', 'third'] });
  const { ona, mel, max } = server.people;
  const start = server.clock.now();
  const old = await say(server, mel);
  await leapTo(server, start, 100 * DAY);
  const sent = Math.floor(server.clock.now() / 1000) * 1000;
  const recent = await say(server, mel, { topic: 'tea' });
  await leapTo(server, start, HALF_A_YEAR + DAY);
  expect(await quietFor(server, mel)).toEqual(['second', 'third']);
  const queue = await server.register(max, PATIENT);
  await expectExactAfter(server, async () => {
    await server.patch(ona, `/messages/${old}`, { stream_id: 2, ...QUIET_MOVE });
    await server.patch(ona, `/messages/${recent}`, { stream_id: 3, ...QUIET_MOVE });
  });
  expect(await toldBy(queue)).toEqual([update(3, 'third', true)]);
  // The message was sent to the first channel, which stays active for as long, though nothing is
  // left in it.
  await server.leap(sent + HALF_A_YEAR - 1 - server.clock.now());
  const later = await server.register(max, PATIENT);
  expect(await quietFor(server, mel)).toEqual(['second']);
  await server.advance(1);
  expect(await toldBy(later)).toEqual([update(1, 'general', false), update(3, 'third', false)]);
});

test('that a message was sent counts when it is gone, be it deleted or expired', async () => {
  const server = await startServer({ channels: ['general', 'brief'] });
  const { ona, mel } = server.people;
  const start = server.clock.now();
  await server.patch(ona, '/streams/2', { message_retention_days: 7 });
  await leapTo(server, start, 100 * DAY);
  const sent = Math.floor(server.clock.now() / 1000) * 1000;
  for (const to of ['general', 'brief']) await say(server, mel, { to });
  const [id] = await server.perform((tx) =>
    Array.from(tx.channelMessages.keysUnder([1], { isReverse: true, limit: 1 }), ([, one]) => one),
  );
  await expectExactAfter(server, () => server.delete(ona, `/messages/${id}`));
  await leapTo(server, start, HALF_A_YEAR);
  await server.leap(sent + HALF_A_YEAR - 1 - server.clock.now());
  expect(await server.perform((tx) => [...tx.messages.keys({})])).toEqual([]);
  expect(await quietFor(server, mel)).toEqual([]);
  await server.advance(1);
  expect(await quietFor(server, mel)).toEqual(['brief', 'general']);
  expect(server.bugs).toEqual([]);
});

test('an archived channel falls quiet for those who know of archived ones, and its return is a sign of life', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, mel } = server.people;
  await server.delete(ona, '/streams/1');
  const archivedAt = server.clock.now();
  await server.leap(archivedAt + HALF_A_YEAR - 1 - server.clock.now());
  const OLD = { client_gravatar: false, include_subscribers: 'true' };
  const [modern, old] = [await server.register(mel, MODERN), await server.register(mel, OLD)];
  await expectExactAfter(server, () => server.advance(1));
  expect(await modern.now()).toEqual([update(1, 'general', false)]);
  expect(await old.now()).toEqual([]);

  const back = () => server.patch(ona, '/streams/1', { is_archived: false });
  await expectExactAfter(server, back);
  expect(await modern.now()).toMatchObject([
    { property: 'is_archived', value: false },
    update(1, 'general', true),
    { type: 'message' },
  ]);
  expect(await old.now()).toMatchObject([
    { type: 'stream', op: 'create', streams: [{ is_recently_active: false }] },
    { type: 'subscription', op: 'add' },
    update(1, 'general', true),
    { type: 'message' },
  ]);
});

test('a server that was down when channels fell quiet says so when it is back, in steps', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, mel } = server.people;
  const count = CHANNELS_LOOKED_AT_PER_STEP + 1;
  await server.leap(HALF_A_YEAR - 3 * DAY);
  await say(server, mel);
  await server.perform((tx) => {
    const creator = tx.users.get([ona.id]) ?? expect.fail();
    const ago = { ...tx, now: tx.now - HALF_A_YEAR + 3 * DAY };
    for (let n = 1; n <= count; n++) channels.create(ago, newChannel(`c${n}`, false), creator);
  });
  const queue = await server.register(mel, PATIENT);
  const found = await server.perform((tx) => channelActivity.due(tx, tx.now + 3 * DAY).length);
  expect(found).toBe(CHANNELS_LOOKED_AT_PER_STEP);
  await server.restart(6 * DAY);
  const isDue = () => server.perform((tx) => (channelActivity.nextAt(tx) ?? 0) <= tx.now);
  while (await isDue()) await server.advance(1);
  const told = await toldBy(queue);
  expect(told.map(({ name }) => name)).toEqual(
    Array.from({ length: count }, (_, index) => `c${index + 1}`),
  );
  expect(told.every(({ value }) => value === false)).toBe(true);
  expect(new Set(await quietFor(server, mel))).toEqual(new Set(told.map(({ name }) => name)));
  expect(server.bugs).toEqual([]);
});

const newChannel = (name: string, isPrivate: boolean): channels.NewChannel => ({
  ...PUBLIC_CHANNEL,
  name,
  description: '',
  isPrivate,
  groups: {},
});
