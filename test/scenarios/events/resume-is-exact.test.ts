import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TestQueue, WireEvent } from '../../support/client.ts';
import { type ServerProcess, startProcess } from '../../support/processes/start-process.ts';
import { runNumbers } from '../../support/runs.ts';
import type { Person } from '../../support/users.ts';

/**
 * Drives a server with random operations, polls, sockets, restarts and kills, keeps a model of what
 * every queue should have received, and compares the two. An event is compared by what it is about
 * (its `gist`); ids must ascend in every queue and be the same in all of them.
 */

const USERS = ['mel', 'max', 'gus', 'mia'] as const;
const CHANNELS = ['general', 'closed'] as const;
type UserName = (typeof USERS)[number];
type ChannelName = (typeof CHANNELS)[number];

interface Options {
  readonly event_types?: readonly string[];
  readonly all_public_streams?: boolean;
  readonly narrow?: readonly (readonly [string, string])[];
}

type Step =
  | {
      kind: 'send';
      by: UserName;
      to: ChannelName;
      mentions: UserName | null;
      readBySender: boolean;
    }
  | { kind: 'direct'; by: UserName; to: UserName }
  | { kind: 'subscribe' | 'unsubscribe'; user: UserName; channel: ChannelName }
  | { kind: 'star'; by: UserName }
  | { kind: 'register'; user: UserName; options: Options }
  | { kind: 'poll' | 'lose' | 'socket'; queue: number }
  | { kind: 'restart' }
  | { kind: 'kill' };

const user = fc.constantFrom(...USERS);
const channel = fc.constantFrom(...CHANNELS);
const options: fc.Arbitrary<Options> = fc.constantFrom(
  {},
  {},
  { event_types: ['message'] },
  { event_types: ['message', 'restart'], all_public_streams: true },
  { event_types: ['message'], narrow: [['channel', 'general']] as const },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      by: user,
      to: channel,
      mentions: fc.option(user, { freq: 3 }),
      readBySender: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('direct' as const), by: user, to: user }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('subscribe' as const, 'unsubscribe' as const),
      user,
      channel,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('star' as const), by: user }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('register' as const), user, options }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom('poll' as const, 'poll' as const, 'lose' as const, 'socket' as const),
      queue: fc.nat(20),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill' as const) }) },
);

interface ModelQueue {
  readonly queue: TestQueue;
  readonly user: UserName;
  readonly options: Options;
  readonly expected: string[];
  readonly received: WireEvent[];
}

/** A run takes 7 to 24 s with two gateways on a quiet machine; this ends what hangs. */
const TIMEOUT_MS = 180_000;

/** Each run has a test, as it starts a server several times. */
test.each(runNumbers({ few: 2, all: 6 }))(
  '3, 4, 5: every queue receives exactly what happened since its snapshot, in order, once, across polls, sockets, restarts and kills (run %i)',
  async () => {
    const server = await startProcess();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 25, maxLength: 60 }), async (steps) => {
        const world = await openWorld(server);
        for (const next of steps) await take(world, next);
        for (const each of world.queues) await drain(world, each);
        for (const each of world.queues) expect(each.received.map(gist)).toEqual(each.expected);
        expectOneSequence(world.queues);
        for (const { queue } of world.queues) {
          await server.delete(queue.as, '/events', { queue_id: queue.id });
        }
      }),
      { numRuns: 1, endOnFailure: true },
    );
  },
  TIMEOUT_MS,
);

interface World {
  readonly server: ServerProcess;
  readonly members: Record<ChannelName, Set<UserName>>;
  readonly queues: ModelQueue[];
  readonly messageIds: number[];
  readonly starred: Set<string>;
}

/**
 * Everyone is in `general`, and only mia is in `closed`. Later queues are not concerned with what
 * happened before.
 */
async function openWorld(server: ServerProcess): Promise<World> {
  const { people } = server;
  const ada = person(server, 'ada');
  await server.post(ada, '/users/me/subscriptions', {
    subscriptions: [{ name: 'closed' }],
    invite_only: true,
    history_public_to_subscribers: true,
    // A user who is to subscribe others must be able to see the channel.
    principals: [ada.id, person(server, 'mia').id],
  });
  for (const name of USERS) {
    const channels = [{ name: 'general' }];
    await server.post(ada, '/users/me/subscriptions', {
      subscriptions: channels,
      principals: [people[name]?.id],
    });
    if (name === 'mia') continue;
    await server.delete(ada, '/users/me/subscriptions', {
      subscriptions: ['closed'],
      principals: [people[name]?.id],
    });
  }
  await server.post(ada, '/users/me/subscriptions', {
    subscriptions: [{ name: 'closed' }],
    principals: [person(server, 'mia').id],
  });
  return {
    server,
    members: { general: new Set(USERS), closed: new Set<UserName>(['mia']) },
    queues: [],
    messageIds: [],
    starred: new Set(),
  };
}

const person = (server: ServerProcess, name: string): Person => {
  const found = server.people[name];
  if (found === undefined) throw new Error(`nobody is called ${name}`);
  return found;
};

async function take(world: World, step: Step) {
  switch (step.kind) {
    case 'send':
      return send(world, step);
    case 'direct':
      return direct(world, step);
    case 'subscribe':
    case 'unsubscribe':
      return changeMembership(world, step);
    case 'star':
      return star(world, step);
    case 'register':
      return register(world, step);
    case 'poll':
    case 'lose':
    case 'socket':
      return receive(world, step);
    case 'restart':
    case 'kill':
      if (step.kind === 'kill') await world.server.kill();
      else await world.server.restart();
      for (const each of world.queues) expectEvent(each, 'restart', 'restart');
  }
}

async function send(world: World, step: Step & { kind: 'send' }) {
  const { server, members } = world;
  const mention = step.mentions === null ? '' : ` @**${person(server, step.mentions).fullName}**`;
  const { status, body } = await server.post(person(server, step.by), '/messages', {
    type: 'channel',
    to: step.to,
    topic: 'model',
    content: `hello${mention}`,
    read_by_sender: step.readBySender,
  });
  // Public channels take what members say from outside, but not what guests say.
  const isWelcome = step.to === 'general' && step.by !== 'gus';
  if (!isWelcome && !members[step.to].has(step.by)) return expect(status).toBe(400);
  expect(status).toBe(200);
  world.messageIds.push(body.id);
  for (const each of world.queues) {
    const isMember = members[step.to].has(each.user);
    const isExtra = each.options.all_public_streams === true && step.to === 'general';
    if (!isMember && !isExtra) continue;
    if (each.options.narrow !== undefined && step.to !== 'general') continue;
    const isRead = isMember && step.readBySender && step.by === each.user;
    const isMentioned = isMember && step.mentions === each.user;
    const flags = [...(isRead ? ['read'] : []), ...(isMentioned ? ['mentioned'] : [])];
    expectEvent(each, 'message', `message ${body.id} [${flags}]`);
  }
}

async function direct(world: World, { by, to }: Step & { kind: 'direct' }) {
  const { server } = world;
  const { status, body } = await server.post(person(server, by), '/messages', {
    type: 'direct',
    to: [person(server, to).id],
    content: 'psst',
    read_by_sender: true,
  });
  expect(status).toBe(200);
  for (const each of world.queues) {
    if (each.user !== by && each.user !== to) continue;
    if (each.options.narrow !== undefined) continue;
    expectEvent(each, 'message', `message ${body.id} [${each.user === by ? 'read' : ''}]`);
  }
}

async function changeMembership(
  world: World,
  { kind, user, channel }: Step & { kind: 'subscribe' | 'unsubscribe' },
) {
  const { server, members } = world;
  const joins = kind === 'subscribe';
  const params = {
    subscriptions: joins ? [{ name: channel }] : [channel],
    ...(joins ? { send_new_subscription_messages: false } : {}),
    principals: [person(server, user).id],
  };
  const ada = person(server, 'ada');
  const reply = joins
    ? await server.post(ada, '/users/me/subscriptions', params)
    : await server.delete(ada, '/users/me/subscriptions', params);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  if (members[channel].has(user) === joins) return;
  if (joins) members[channel].add(user);
  else members[channel].delete(user);
  const op = joins ? 'add' : 'remove';
  for (const each of world.queues) {
    if (each.user === user) expectEvent(each, 'subscription', `subscription ${op} ${channel}`);
  }
}

async function star(world: World, { by }: Step & { kind: 'star' }) {
  const { server, members, messageIds } = world;
  const id = messageIds.at(-1);
  if (id === undefined || !members.general.has(by) || !members.closed.has(by)) return;
  const flags = { messages: [id], op: 'add', flag: 'starred' };
  const { status } = await server.post(person(server, by), '/messages/flags', flags);
  if (status !== 200) return; // a direct message of others
  if (world.starred.has(`${by} ${id}`)) return;
  world.starred.add(`${by} ${id}`);
  for (const each of world.queues) {
    if (each.user === by) expectEvent(each, 'update_message_flags', `starred ${id}`);
  }
}

async function register(world: World, { user, options }: Step & { kind: 'register' }) {
  const { server } = world;
  const isGuest = user === 'gus';
  const wanted = isGuest ? { ...options, all_public_streams: false } : options;
  const queue = await server.register(person(server, user), { ...wanted, fetch_event_types: [] });
  world.queues.push({ queue, user, options: wanted, expected: [], received: [] });
}

function expectEvent(each: ModelQueue, type: string, what: string) {
  const { event_types: types } = each.options;
  if (types === undefined || types.includes(type)) each.expected.push(what);
}

/**
 * Receives by a poll, by a poll whose answer is lost on the way, or by a socket for as long as
 * there is something.
 */
async function receive(world: World, { kind, queue: index }: Step & { queue: number }) {
  const each = world.queues[index % Math.max(world.queues.length, 1)];
  if (each === undefined) return;
  if (kind === 'poll') note(each, await each.queue.now());
  else if (kind === 'lose') {
    const { body } = await each.queue.poll({ dont_block: true });
    const { body: again } = await each.queue.poll({ dont_block: true });
    expect(again.events).toEqual(body.events);
  } else await receiveBySocket(world, each);
}

async function receiveBySocket({ server }: World, each: ModelQueue) {
  const { queue } = each;
  const socket = await server.socket(queue.as, {
    query: `?queue_id=${queue.id}&last_event_id=${queue.lastEventId}`,
  });
  expect(await socket.frame()).toMatchObject({ type: 'hello', resumed: true });
  // The answer to a request comes after everything that was due before it.
  socket.send({ type: 'ping' });
  await socket.frame('pong');
  for (const frame of socket.frames.splice(0)) {
    if (frame.type === 'events') note(each, frame['events']);
  }
  socket.close();
  await socket.closed();
}

function note(each: ModelQueue, events: readonly WireEvent[]) {
  for (const event of events) {
    each.queue.lastEventId = Math.max(each.queue.lastEventId, event.id);
    if (isCompared(event)) each.received.push(event);
  }
}

/** Takes what is left, by a poll each until there is no more. */
async function drain(world: World, each: ModelQueue) {
  await receiveBySocket(world, each);
  for (;;) {
    const events = await each.queue.now();
    if (events.length === 0) return;
    note(each, events);
  }
}

/**
 * Tells whether the model knows of an event. It knows neither what others do to lists of members,
 * nor what leaving a channel marks as read.
 */
const isCompared = (event: WireEvent) =>
  ['message', 'restart'].includes(event.type) ||
  (event.type === 'update_message_flags' && event['flag'] === 'starred') ||
  (event.type === 'subscription' && ['add', 'remove'].includes(event['op']));

function gist(event: WireEvent): string {
  if (event.type === 'message') return `message ${event['message'].id} [${event['flags']}]`;
  if (event.type === 'update_message_flags') return `starred ${event['messages']}`;
  if (event.type === 'restart') return 'restart';
  return `subscription ${event['op']} ${event['subscriptions'].map((one: { name: string }) => one.name)}`;
}

function expectOneSequence(queues: readonly ModelQueue[]) {
  const idOf = new Map<string, number>();
  for (const { received } of queues) {
    const ids = received.map((event) => event.id);
    expect(ids).toEqual([...new Set(ids)].sort((one, other) => one - other));
    for (const event of received) {
      if (event.type !== 'message') continue;
      const messageId = String(event['message'].id);
      expect(event.id).toBe(idOf.get(messageId) ?? event.id);
      idOf.set(messageId, event.id);
    }
  }
}
