import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { FeedFollower } from '../../../web/app/store/feed/feed-follower.ts';
import type { Message } from '../../../web/app/store/feed/message.ts';
import { type Anchor, followWith, MessageFeed } from '../../../web/app/store/feed/messages.ts';
import { dmNarrow, type Narrow, topicNarrow } from '../../../web/app/store/route.ts';
import type { Params, TestQueue } from '../../support/client.ts';
import { openRandom, type Random } from '../../support/random.ts';
import { runNumbers } from '../../support/runs.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const CAPABILITIES = { bulk_message_deletion: true, empty_topic_name: true };
const TOPICS = ['one', 'two', '✔ one', ''] as const;

const term = (operator: string, operand: unknown, negated = false) => ({
  operator,
  operand,
  negated,
});

const narrowsOf = ({ people }: TestServer): readonly Narrow[] =>
  [
    [],
    [term('channel', 1)],
    topicNarrow(1, 'One'),
    topicNarrow(2, ''),
    [term('channel', 1), term('topic', 'two', true)],
    dmNarrow([people.mel.id]),
    [term('dm-including', people.max.id)],
    [term('sender', people.mel.id)],
    [term('is', 'starred')],
    [term('is', 'mentioned')],
    [term('is', 'resolved')],
    [term('has', 'reaction')],
    [term('has', 'link')],
    [term('search', 'plan')],
    [term('channels', 'public'), term('is', 'dm', true)],
    [term('is', 'followed')],
    [term('is', 'followed', true), term('channel', 1)],
    [term('is', 'muted')],
    [term('is', 'muted', true), term('is', 'starred')],
    [term('in', 'home')],
  ] as readonly Narrow[];

/** Returns the part of a message that readers see; the rest does not change. */
const shown = (message: Message) => ({
  id: message.id,
  content: message.content,
  place: [message.stream_id, message.subject],
  // Lists have an older name of two flags as well, which events leave out.
  flags: message.flags.filter((flag) => flag !== 'wildcard_mentioned').sort(),
  edited: message.last_edit_timestamp,
  moved: message.last_moved_timestamp,
  reactions: message.reactions.map((one) => `${one.user_id} ${one.emoji_name}`).sort(),
  attached: (message.submessages ?? []).map((one) => `${one.id} ${one.sender_id} ${one.content}`),
});

/** Something that one of three people does; refusals are as good as acts. */
async function act(server: TestServer, random: Random, newest: number) {
  const { people, post, patch, request } = server;
  const { pick, below, chance } = random;
  const who = pick([people.ada, people.mel, people.max]);
  const id = Math.max(1, newest - below(25));
  const content = pick([
    'hi',
    'a plan',
    '@**Ada Administrator** look',
    'https://x.org',
    '@**all**',
    '/poll Where?\nhere\nthere',
  ]);
  const does = pick([
    'send',
    'send',
    'send',
    'edit',
    'move',
    'delete',
    'react',
    'star',
    'read',
    'decide',
    'vote',
  ]);
  if (does === 'decide') await decide(server, random);
  if (does === 'send') {
    const others = pick([[people.mel.id], [people.ada.id], [people.mel.id, people.max.id]]);
    const { body } = chance(0.25)
      ? await post(who, '/messages', { type: 'direct', to: others, content })
      : await post(who, '/messages', {
          type: 'channel',
          to: 1 + below(2),
          topic: pick([...TOPICS]),
          content,
        });
    return Math.max(newest, Number(body.id ?? 0));
  }
  if (does === 'edit') await patch(who, `/messages/${id}`, { content: `${content} ${below(9)}` });
  if (does === 'move') {
    await patch(people.ada, `/messages/${id}`, {
      topic: pick([...TOPICS]),
      propagate_mode: pick(['change_one', 'change_later', 'change_all']),
      ...(chance(0.4) ? { stream_id: 1 + below(2) } : {}),
      send_notification_to_new_thread: chance(0.2),
      send_notification_to_old_thread: chance(0.2),
    });
  }
  if (does === 'delete' && chance(0.5)) await server.delete(people.ada, `/messages/${id}`);
  if (does === 'react') {
    await request(pick(['POST', 'DELETE']), `/messages/${id}/reactions`, {
      as: who,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ emoji_name: pick(['heart', 'smile']) }).toString(),
    });
  }
  if (does === 'vote') {
    await post(who, '/submessage', {
      message_id: id,
      msg_type: 'widget',
      content: JSON.stringify({ type: 'vote', key: 'canned,0', vote: pick([1, -1]) }),
    });
  }
  if (does === 'star' || does === 'read') {
    await post(people.ada, '/messages/flags', {
      messages: [id, id + 1],
      op: pick(['add', 'remove']),
      flag: does === 'star' ? 'starred' : 'read',
    });
  }
  return newest;
}

/** Ada follows or mutes a topic, takes that back, or mutes a channel. */
async function decide({ people, post }: TestServer, { pick, below, chance }: Random) {
  if (chance(0.7)) {
    await post(people.ada, '/user_topics', {
      stream_id: 1 + below(2),
      topic: pick([...TOPICS]),
      visibility_policy: pick([0, 1, 2, 3, 3]),
    });
    return;
  }
  const property = { property: 'is_muted', value: chance(0.5) };
  await post(people.ada, '/users/me/subscriptions/properties', {
    subscription_data: [{ stream_id: 1 + below(2), ...property }],
  });
}

/** Calls of a client whose answers come when the test lets them, as on a slow line. */
function slowCalls(server: TestServer, random: Random) {
  const held: (() => void)[] = [];
  return {
    async call(method: string, path: string, params: Params = {}) {
      const wait = () => new Promise<void>((resolve) => held.push(resolve));
      if (random.chance(0.5)) await wait();
      const { status, body } = await server.ask(server.people.ada, { method, path, params });
      if (status !== 200) throw new Error(body.msg);
      if (random.chance(0.7)) await wait();
      return body;
    },
    letOne: () => held.splice(random.below(Math.max(1, held.length)), 1)[0]?.(),
    isBusy: () => held.length > 0,
  };
}

async function deliver(queue: TestQueue, feeds: readonly MessageFeed[], isPart: () => boolean) {
  for (const event of await queue.now()) {
    for (const feed of feeds) feed.apply(event);
    if (isPart()) await setImmediate();
  }
}

/** The same messages by a request of now: from the first to the last one that the feed has. */
async function fresh(server: TestServer, feed: MessageFeed) {
  const { body } = await server.get(server.people.ada, '/messages', {
    anchor: 'oldest',
    num_before: 0,
    num_after: 5_000,
    narrow: feed.narrow,
    allow_empty_topic_name: true,
    client_gravatar: true,
  });
  const messages = feed.messages.value;
  const from = feed.foundOldest.value ? 0 : (messages[0]?.id ?? 0);
  const to = feed.foundNewest.value ? Number.POSITIVE_INFINITY : (messages.at(-1)?.id ?? 0);
  return (body.messages as Message[]).filter(({ id }) => id >= from && id <= to).map(shown);
}

followWith((feed) => new FeedFollower(feed));

test.each(runNumbers({ few: 6, all: 12, most: 60 }))(
  'whatever happens while pages are loaded, each view has what a fresh request gives (seed %i)',
  async (seed) => {
    const random = openRandom(seed);
    const server = await startServer({ channels: ['general', 'board'] });
    let newest = 0;
    for (let count = 0; count < 130; count++) newest = await act(server, random, newest);
    const queue = await server.register(server.people.ada, {
      apply_markdown: true,
      client_capabilities: CAPABILITIES,
    });
    const calls = slowCalls(server, random);
    const ownId = server.people.ada.id;
    const feeds = narrowsOf(server).map((narrow) => new MessageFeed(narrow, { calls, ownId }));
    const opening = feeds.map((feed) =>
      feed.open(random.pick<Anchor>(['first_unread', 'newest', 'oldest', newest - 40])),
    );
    for (let step = 0; step < 120; step++) {
      newest = await act(server, random, newest);
      if (random.chance(0.5)) calls.letOne();
      const feed = feeds[random.below(feeds.length)];
      if (random.chance(0.1)) void feed?.loadOlder();
      if (random.chance(0.1)) void feed?.loadNewer();
      if (random.chance(0.4)) await deliver(queue, feeds, () => random.chance(0.3));
    }
    const settle = async () => {
      await deliver(queue, feeds, () => false);
      // An answer may be followed by another question; rounds without any end it.
      for (let quiet = 0; quiet < 30; quiet++) {
        if (calls.isBusy()) quiet = 0;
        calls.letOne();
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    };
    await settle();
    await Promise.all(opening);
    for (const feed of feeds) {
      expect(feed.fault.value, feed.key).toBeNull();
      expect(feed.isReady.value, feed.key).toBe(true);
      expect(feed.messages.value.map(shown), feed.key).toEqual(await fresh(server, feed));
    }
    expect(server.bugs).toEqual([]);
  },
);
