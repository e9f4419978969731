import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AnyEvent, State } from '../../../client/src/store/state.ts';
import { UNREAD_MAX } from '../../../client/src/store/unread.ts';
import { actOfAnybody, actOnMessages } from '../../support/acts/of-everyone.ts';
import { NO_UNREAD, SMALL_SNAPSHOT } from '../../support/applying/small-snapshot.ts';
import { openState, watch } from '../../support/applying/state-of.ts';
import type { Reply } from '../../support/client.ts';
import { runs } from '../../support/runs.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

/** The counts of a state against a count of all messages that the server gives. */

test('counts by topic, channel and conversation are those of the messages themselves', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(actOnMessages, actOfAnybody), { minLength: 15, maxLength: 30 }),
      async (acts) => {
        const server = await startServer({ channels: ['general', 'alpha'] });
        const { people } = server;
        const watching = await Promise.all([watch(server, people.mel), watch(server, people.gus)]);
        for (const act of acts) await act(server);
        await server.perform(() => undefined);
        for (const { state, queue, catchUp } of watching) {
          await catchUp();
          expect(countsOf(state)).toEqual(await recount(server, queue.as, state));
        }
        await server.stop();
      },
    ),
    { numRuns: runs({ few: 1, all: 5 }), endOnFailure: true },
  );
});

interface Counts {
  readonly topics: Record<string, number>;
  readonly directs: Record<string, number>;
  readonly heardInChannels: Record<string, number>;
  readonly total: number;
}

function countsOf({ unread }: State): Counts {
  const counts = emptyCounts();
  for (const [channelId, topics] of unread.topics) {
    for (const [key, { topic }] of topics) {
      counts.topics[`${channelId} ${key}`] = unread.inTopic(channelId, topic);
      expect(unread.idsIn({ channelId, topic })).toHaveLength(unread.inTopic(channelId, topic));
    }
    const { heard } = unread.inChannel(channelId);
    if (heard > 0) counts.heardInChannels[channelId] = heard;
  }
  for (const [key, { userIds }] of unread.directs) counts.directs[key] = unread.inDirect(userIds);
  return { ...counts, total: unread.total() };
}

const emptyCounts = (): Counts => ({ topics: {}, directs: {}, heardInChannels: {}, total: 0 });

/** Counts as a person would: one message after the other, by settings that the server gives. */
async function recount(server: TestServer, as: Person, { ownId }: State): Promise<Counts> {
  const range = { anchor: 'oldest', num_before: 0, num_after: 5000, allow_empty_topic_name: true };
  const { body } = await server.get(as, '/messages', range);
  const fetch_event_types = ['subscription', 'user_topic'];
  const { body: settings } = await server.post(as, '/register', { fetch_event_types });
  const counts = emptyCounts();
  let total = 0;
  for (const message of unreadOf(body)) {
    if (message.type === 'private') {
      const others = (message.display_recipient as { id: number }[]).map(({ id }) => id);
      const key = others
        .filter((id) => id !== ownId || others.length === 1)
        .sort((one, other) => one - other)
        .join();
      counts.directs[key] = (counts.directs[key] ?? 0) + 1;
      total += 1;
      continue;
    }
    const channel = settings.subscriptions.find(
      ({ stream_id: id }: { stream_id: number }) => id === message.stream_id,
    );
    if (channel === undefined || channel.is_archived) continue;
    const topic = message.subject.toLowerCase();
    const key = `${message.stream_id} ${topic}`;
    counts.topics[key] = (counts.topics[key] ?? 0) + 1;
    const policy = settings.user_topics.find(
      (one: { stream_id: number; topic_name: string }) =>
        one.stream_id === message.stream_id && one.topic_name.toLowerCase() === topic,
    )?.visibility_policy;
    if (policy === 1 || (channel.is_muted && policy === undefined)) continue;
    const { heardInChannels: heard } = counts;
    heard[message.stream_id] = (heard[message.stream_id] ?? 0) + 1;
    total += 1;
  }
  return { ...counts, total };
}

const unreadOf = ({ messages }: Reply['body']) =>
  messages.filter(({ flags }: { flags: string[] }) => !flags.includes('read'));

test('what is muted is listed, but does not count, and counts again when it is heard', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const { state, catchUp } = await watch(server, mel);
  for (const topic of ['lunch', 'tea']) {
    await server.post(max, '/messages', { type: 'channel', to: 'general', topic, content: 'x' });
  }
  await catchUp();
  expect(state.unread.total()).toBe(2);

  const mute = { subscription_data: [{ stream_id: 1, property: 'is_muted', value: true }] };
  await server.post(mel, '/users/me/subscriptions/properties', mute);
  await catchUp();
  expect(state.unread.total()).toBe(0);
  expect(state.unread.inChannel(1)).toEqual({ heard: 0, muted: 2 });

  const follow = { stream_id: 1, topic: 'TEA', visibility_policy: 3 };
  await server.post(mel, '/user_topics', follow);
  await catchUp();
  expect(state.unread.inChannel(1)).toEqual({ heard: 1, muted: 1 });
  expect(state.mutes.isMuted(1, 'tea')).toBe(false);
  expect(state.mutes.isMuted(1, 'lunch')).toBe(true);

  await server.post(mel, '/users/me/subscriptions/properties', {
    subscription_data: [{ stream_id: 1, property: 'is_muted', value: false }],
  });
  const silence = { stream_id: 1, topic: 'tea', visibility_policy: 1 };
  await server.post(mel, '/user_topics', silence);
  await catchUp();
  expect(state.unread.inChannel(1)).toEqual({ heard: 1, muted: 1 });
  expect(state.unread.total()).toBe(1);
  expect(state.mutes.isMuted(1, 'Tea')).toBe(true);

  await server.post(mel, '/mark_all_as_read', {});
  await catchUp();
  expect(state.unread.inChannel(1)).toEqual({ heard: 0, muted: 0 });
  expect(state.unread.topics.size).toBe(0);
});

test('tens of thousands of unread messages are forgotten at once, however they are listed', () => {
  const ids = Array.from({ length: 50_000 }, (_, index) => index + 1);
  const state = openState({
    ...SMALL_SNAPSHOT,
    unread_msgs: { ...NO_UNREAD, streams: [{ stream_id: 1, topic: 'x', unread_message_ids: ids }] },
  });
  const read = { type: 'update_message_flags', op: 'add', flag: 'read', all: false };
  expect(state.apply({ ...read, id: 1, messages: ids.slice(1).toReversed() } as AnyEvent)).toEqual([
    'unread',
  ]);
  expect(state.unread.idsIn({ channelId: 1, topic: 'X' })).toEqual([1]);
});

test('somebody who reads nothing has the newest messages listed, and is told that there are more', () => {
  const state = openState({ ...SMALL_SNAPSHOT, subscriptions: [{ stream_id: 1 }] });
  const count = UNREAD_MAX + 10;
  for (let id = 1; id <= count; id += 1) {
    const place = { stream_id: 1, subject: `topic ${id % 100}`, display_recipient: 'general' };
    const message = { id, sender_id: 2, type: 'stream', ...place };
    state.apply({ id, type: 'message', message, flags: ['mentioned'] } as AnyEvent);
  }
  expect(state.unread.isIncomplete).toBe(true);
  expect(state.unread.total()).toBe(UNREAD_MAX);
  expect(state.unread.mentionIds().at(0)).toBe(11);
  expect(state.unread.has(10)).toBe(false);
});

test('the conversations with the newest messages are kept', () => {
  const state = openState(SMALL_SNAPSHOT);
  for (let id = 1; id <= 10_005; id += 1) {
    const message = { id, sender_id: id + 1, type: 'private' };
    const display_recipient = [{ id: 1 }, { id: id + 1 }];
    const event = { id, type: 'message', message: { ...message, display_recipient } };
    state.apply({ ...event, flags: ['read'] } as AnyEvent);
  }
  expect(state.conversations.size).toBe(10_000);
  expect([...state.conversations.values()].at(-1)).toEqual({ userIds: [10_006], newestId: 10_005 });
});
