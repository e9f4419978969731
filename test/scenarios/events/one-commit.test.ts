import fc from 'fast-check';
import { expect, test } from 'vitest';
import { consumed, live, unconsumed } from '../../support/actors/consumers.ts';
import { type AtOnce, atOnce, type TestListener } from '../../support/acts/at-once.ts';
import type { Reply, TestQueue, WireEvent } from '../../support/client.ts';
import { runs } from '../../support/runs.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

/**
 * Sends, memberships and registrations share a commit, and are compared with a model that takes
 * them one by one. Their events are announced together, so here a poll that waits, a socket and a
 * later reader could come to differ.
 */

const USERS = ['mel', 'max', 'mia'] as const;
const CHANNELS = ['general', 'closed'] as const;
type UserName = (typeof USERS)[number];
type ChannelName = (typeof CHANNELS)[number];

/** Polls hear only messages, so that the model knows when one is answered. */
const OPTIONS = [
  { event_types: ['message'] },
  { event_types: ['message'], all_public_streams: true },
  { event_types: ['message'], narrow: [['channel', 'general']] as const },
] as const;
type Options = (typeof OPTIONS)[number];

type Act =
  | { kind: 'send'; by: UserName; to: ChannelName; mentions: UserName | null }
  | { kind: 'join' | 'leave'; user: UserName; channel: ChannelName }
  | { kind: 'poll' | 'socket' | 'nobody'; user: UserName; options: Options };

/** The ways in which a poll that waits meets a commit. */
type Fate = 'waits' | 'loses the answer' | 'goes away' | 'is replaced';

type Step = { kind: 'commit'; acts: Act[]; fates: Fate[] } | { kind: 'restart' };

const user = fc.constantFrom(...USERS);
const channel = fc.constantFrom(...CHANNELS);
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      by: user,
      to: channel,
      mentions: fc.option(user, { freq: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('join' as const, 'leave' as const),
      user,
      channel,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('poll' as const, 'poll' as const, 'socket' as const, 'nobody' as const),
      user,
      options: fc.constantFrom(...OPTIONS),
    }),
  },
);
const fate = fc.constantFrom<Fate>(
  'waits',
  'waits',
  'loses the answer',
  'goes away',
  'is replaced',
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      acts: fc.array(act, { minLength: 1, maxLength: 8 }),
      fates: fc.array(fate, { minLength: 7, maxLength: 7 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
);

/** A queue that is polled, or that is left for the end. */
interface Polled {
  readonly queue: TestQueue;
  readonly user: UserName;
  readonly options: Options;
  /** Events that the client has not acknowledged, be they delivered or not. */
  owed: string[];
  waiting: Promise<Reply> | null;
  readonly isLeft: boolean;
}

interface Listening {
  readonly listener: TestListener;
  readonly queue: TestQueue;
  readonly user: UserName;
  readonly options: Options;
  readonly owed: string[];
}

interface World {
  readonly server: TestServer;
  readonly members: Record<ChannelName, Set<UserName>>;
  polled: Polled[];
  listening: Listening[];
}

test('3, 5: what shares a commit reaches polls that wait, sockets and later readers alike, in order, once', async () => {
  const server = await startServer({ channels: ['general'] });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 8 }), async (steps) => {
      const world = await openWorld(server);
      for (const next of steps) {
        if (next.kind === 'commit') await commit(world, next.acts, next.fates);
        else await restart(world);
      }
      await finish(world);
      expect(server.bugs).toEqual([]);
    }),
    { numRuns: runs({ few: 2, all: 6 }), endOnFailure: true },
  );
});

test('5: a socket that registers hears of the rest of its commit as a member of then, and not of what comes before or after', async () => {
  const server = await startServer({ channels: ['general'] });
  const { people } = server;
  const closed = {
    subscriptions: [{ name: 'closed' }],
    principals: [people.ada.id, people.mia.id],
  };
  await server.post(people.ada, '/users/me/subscriptions', { ...closed, invite_only: true });
  const api = atOnce(server);
  const send = (to: string, content: string) =>
    api.post(people.mia, '/messages', { type: 'channel', to, topic: 'one', content });
  const principals = [people.max.id];
  // The events of this commit are not announced yet when the socket takes up its queue.
  const listener = api.listen(people.max, { event_types: ['message'], fetch_event_types: [] });
  const replies = await Promise.all([
    send('general', 'in general'),
    send('closed', 'not yet in closed'),
    api.post(people.ada, '/users/me/subscriptions', {
      subscriptions: [{ name: 'closed' }],
      principals,
      send_new_subscription_messages: false,
    }),
    api.delete(people.ada, '/users/me/subscriptions', { subscriptions: ['general'], principals }),
    send('general', 'no more in general'),
    send('closed', 'in closed'),
    api.delete(people.ada, '/users/me/subscriptions', { subscriptions: ['closed'], principals }),
    send('closed', 'no more in closed'),
  ]);
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  const { queue_id, last_event_id } = await listener.registered;
  const heard = listener.events.map((event) => event['message'].content);
  expect(heard).toEqual(['in general', 'in closed']);
  listener.close();
  const queue = server.queue(people.max, queue_id, last_event_id);
  expect(await queue.now()).toEqual(listener.events);
});

/** Everyone is in `general`, and only its maker is in `closed`. */
async function openWorld(server: TestServer): Promise<World> {
  const { ada } = server.people;
  const { post, delete: remove } = atOnce(server);
  const principals = USERS.map((name) => server.people[name].id);
  const replies = await Promise.all([
    post(ada, '/users/me/subscriptions', {
      subscriptions: [{ name: 'closed' }],
      invite_only: true,
    }),
    post(ada, '/users/me/subscriptions', { subscriptions: [{ name: 'general' }], principals }),
    remove(ada, '/users/me/subscriptions', { subscriptions: ['closed'], principals }),
  ]);
  for (const { status } of replies) expect(status).toBe(200);
  return {
    server,
    members: { general: new Set(USERS), closed: new Set() },
    polled: [],
    listening: [],
  };
}

async function commit(world: World, acts: readonly Act[], fates: readonly Fate[]) {
  const { server } = world;
  const fateOf = (index: number) => fates[index % fates.length] ?? 'waits';
  const polled = world.polled.filter(({ isLeft }) => !isLeft);
  await Promise.all(polled.map((each, index) => meet(server, each, fateOf(index))));
  const api = atOnce(server);
  const taken = acts.map((next) => [next, begin(world, api, next)] as const);
  for (const [next, begun] of taken) await note(world, next, await begun);
  // Polls that came with this commit hear of the rest of it already.
  const heard = world.polled.filter(({ isLeft }) => !isLeft);
  await Promise.all(heard.map((each, index) => takeOwed(each, fateOf(index))));
  // A socket that came with this commit is brought up to date a turn later.
  for (const { queue } of world.listening) {
    await live(server, queue);
  }
}

/** Parks a poll, and lets everything happen to it that has to happen before the commit. */
async function meet(server: TestServer, each: Polled, what: Fate) {
  if (each.waiting === null) {
    if (what === 'goes away') return comeAndGo(server, each);
    each.waiting = each.queue.poll();
    await consumed(server, each.queue);
  } else if (what === 'is replaced') {
    const former = each.waiting;
    each.waiting = each.queue.poll();
    expect(await former).toMatchObject({ status: 200, body: { events: [] } });
    await consumed(server, each.queue);
  }
}

async function comeAndGo(server: TestServer, { queue }: Polled) {
  const gone = new AbortController();
  const path = `/events?queue_id=${queue.id}&last_event_id=${queue.lastEventId}`;
  const poll = server.request('GET', path, { as: queue.as, signal: gone.signal });
  const outcome = poll.catch(() => 'gone');
  await consumed(server, queue);
  gone.abort();
  expect(await outcome).toBe('gone');
  await unconsumed(server, queue);
}

function begin({ server }: World, api: AtOnce, next: Act): Promise<Reply> | TestListener {
  const { people } = server;
  switch (next.kind) {
    case 'send': {
      const mention = next.mentions === null ? '' : ` @**${people[next.mentions].fullName}**`;
      return api.post(people[next.by], '/messages', {
        type: 'channel',
        to: next.to,
        topic: 'model',
        content: `hello${mention}`,
        read_by_sender: true,
      });
    }
    case 'join':
      return api.post(people.ada, '/users/me/subscriptions', {
        subscriptions: [{ name: next.channel }],
        principals: [people[next.user].id],
        send_new_subscription_messages: false,
      });
    case 'leave':
      return api.delete(people.ada, '/users/me/subscriptions', {
        subscriptions: [next.channel],
        principals: [people[next.user].id],
      });
    case 'socket':
      return api.listen(people[next.user], { ...next.options, fetch_event_types: [] });
    case 'poll':
    case 'nobody':
      return api.post(people[next.user], '/register', {
        ...next.options,
        fetch_event_types: ['subscription'],
      });
  }
}

async function note(world: World, next: Act, begun: Reply | TestListener) {
  const { members, server } = world;
  if (next.kind === 'socket') {
    const listener = begun as TestListener;
    const { queue_id, last_event_id } = await listener.registered;
    const queue = server.queue(server.people[next.user], queue_id, last_event_id);
    world.listening.push({ listener, queue, user: next.user, options: next.options, owed: [] });
    return;
  }
  const { status, body } = begun as Reply;
  if (next.kind === 'send') return noteSend(world, next, begun as Reply);
  expect(status, JSON.stringify(body)).toBe(200);
  if ('channel' in next) {
    if (next.kind === 'join') members[next.channel].add(next.user);
    else members[next.channel].delete(next.user);
  } else {
    const names = body.subscriptions.map(({ name }: { name: string }) => name);
    expect(names).toEqual(CHANNELS.filter((name) => members[name].has(next.user)).toSorted());
    world.polled.push({
      queue: server.queue(server.people[next.user], body.queue_id, body.last_event_id),
      user: next.user,
      options: next.options,
      owed: [],
      waiting: null,
      isLeft: next.kind === 'nobody',
    });
  }
}

function noteSend(
  { members, polled, listening }: World,
  sent: Act & { kind: 'send' },
  reply: Reply,
) {
  const { to, by, mentions } = sent;
  if (to === 'closed' && !members.closed.has(by)) return expect(reply.status).toBe(400);
  expect(reply.status).toBe(200);
  for (const each of [...polled, ...listening]) {
    const isMember = members[to].has(each.user);
    if (!isMember && !('all_public_streams' in each.options && to === 'general')) continue;
    if ('narrow' in each.options && to !== 'general') continue;
    const isRead = isMember && by === each.user;
    const isMentioned = isMember && mentions === each.user;
    const flags = [...(isRead ? ['read'] : []), ...(isMentioned ? ['mentioned'] : [])];
    each.owed.push(`${reply.body.id} [${flags}]`);
  }
}

/** Takes one answer, which has all events: the whole commit was there. */
async function takeOwed(each: Polled, what: Fate) {
  if (each.owed.length === 0) return;
  const { status, body } = await (each.waiting ?? each.queue.poll());
  each.waiting = null;
  expect(status).toBe(200);
  expect(body.events.map(gist)).toEqual(each.owed);
  expectAscending(body.events);
  if (what === 'loses the answer') {
    const again = await each.queue.poll();
    expect(again.body.events).toEqual(body.events);
  }
  each.owed = [];
  each.queue.lastEventId = body.events.at(-1).id;
}

async function restart(world: World) {
  const { server, polled, listening } = world;
  // Clients of sockets would resume. Here the events of the sockets are compared, and the sockets
  // left.
  for (const { listener, owed } of listening) expect(listener.events.map(gist)).toEqual(owed);
  world.listening = [];
  const waiting = polled.map((each) => each.waiting);
  await server.restart();
  for (const each of polled) each.waiting = null;
  for (const poll of waiting) {
    if (poll !== null) expect((await poll).body.events).toEqual([]);
  }
}

async function finish({ server, polled, listening }: World) {
  for (const each of polled) {
    const { queue, waiting, owed } = each;
    if (each.isLeft) {
      const events: WireEvent[] = await queue.now();
      expect(events.map(gist)).toEqual(owed);
      expectAscending(events);
    }
    await server.delete(queue.as, '/events', { queue_id: queue.id });
    if (waiting !== null) expect((await waiting).body.events).toEqual([]);
  }
  for (const { listener, queue, owed } of listening) {
    expect(listener.events.map(gist)).toEqual(owed);
    expectAscending(listener.events);
    listener.close();
    await server.delete(queue.as, '/events', { queue_id: queue.id });
  }
}

const gist = (event: WireEvent) => `${event['message'].id} [${event['flags']}]`;

function expectAscending(events: readonly WireEvent[]) {
  const ids = events.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].toSorted((one, other) => one - other));
}
