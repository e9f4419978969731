import { expect, test } from 'vitest';
import { MESSAGES_COUNTED_PER_STEP } from '../../../src/domain/limits/channels.ts';
import { MODERN } from '../../support/applying/follow.ts';
import { sendMany } from '../../support/messages/many-messages.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const DAY = 86_400_000;

/** Says so much in a channel, straight into the store. */
const say = (server: TestServer, count: number, channelId = 1) =>
  sendMany(server, { as: server.people.mel, count, topic: 't', channelId });

/** Lets days pass, and whatever is due then happen. */
async function pass(server: TestServer, days: number) {
  await server.leap(days * DAY);
  await server.advance(1_000);
  await server.advance(1_000);
}

const trafficOf = async (server: TestServer) => {
  const { streams } = (await server.get(server.people.mel, '/streams')).body;
  return streams.map(({ stream_weekly_traffic: it }: { stream_weekly_traffic: number }) => it);
};

test('a channel has a figure when it is a week old, counted anew each day', async () => {
  const server = await startServer({ channels: ['a', 'b'] });
  await say(server, 8);
  await pass(server, 6.9);
  expect(await trafficOf(server)).toEqual([null, null]);
  await pass(server, 0.1);
  expect(await trafficOf(server)).toEqual([8, 0]);
  await say(server, 6);
  expect(await trafficOf(server)).toEqual([8, 0]);
  await pass(server, 7);
  expect(await trafficOf(server)).toEqual([7, 0]);
  // The first eight are older than 28 days then.
  await pass(server, 15);
  expect(await trafficOf(server)).toEqual([1, 0]);
  await pass(server, 30);
  expect(await trafficOf(server)).toEqual([0, 0]);
  expect(server.bugs).toEqual([]);
});

test('it is the same in all that tells of a channel, and its change is told to nobody', async () => {
  const server = await startServer({ channels: ['a'] });
  const { mel, ona } = server.people;
  await say(server, 8);
  await pass(server, 6.9);
  const queue = await server.register(mel, { ...MODERN, queue_lifespan_secs: 604_800 });
  await pass(server, 0.1);
  expect((await queue.now()).filter(({ type }) => type !== 'heartbeat')).toEqual([]);
  const { state } = await server.register(mel);
  expect(state.subscriptions[0].stream_weekly_traffic).toBe(8);
  expect(state.streams[0].stream_weekly_traffic).toBe(8);
  const own = await server.get(mel, '/users/me/subscriptions');
  expect(own.body.subscriptions[0].stream_weekly_traffic).toBe(8);
  expect((await server.get(ona, '/streams/1')).body.stream.stream_weekly_traffic).toBe(8);
});

test('much is counted in steps, some at once, and to the last one', async () => {
  const server = await startServer({ channels: ['a', 'b'] });
  await say(server, 30, 2);
  await say(server, MESSAGES_COUNTED_PER_STEP);
  await say(server, 5, 2);
  await say(server, 10);
  await pass(server, 7);
  for (let steps = 0; steps < 4; steps += 1) await server.advance(1_000);
  expect(await trafficOf(server)).toEqual([1_000, 35]);
});

test('a server that was down counts when it starts', async () => {
  const server = await startServer({ channels: ['a'] });
  await say(server, 12);
  await server.restart(14 * DAY);
  await server.advance(1_000);
  expect(await trafficOf(server)).toEqual([6]);
});

test('what is deleted or moved away is not counted there', async () => {
  const server = await startServer({ channels: ['a', 'b'] });
  const { ona } = server.people;
  await say(server, 10);
  await server.delete(ona, '/messages/1');
  await server.patch(ona, '/messages/2', {
    stream_id: 2,
    propagate_mode: 'change_one',
    send_notification_to_old_thread: false,
    send_notification_to_new_thread: false,
  });
  await pass(server, 7);
  expect(await trafficOf(server)).toEqual([8, 1]);
});
