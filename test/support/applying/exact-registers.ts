import { expect } from 'vitest';
import type { Client, WireEvent } from '../client.ts';
import type { Person } from '../users.ts';

/** People of a realm, and where they are asked. */
export interface Registering {
  /** Changes are sent to one after the other. */
  readonly writers: readonly Client[];
  /** Queues are registered and polled there, at one after the other. */
  readonly readers: readonly Client[];
  readonly people: Readonly<Record<'mel' | 'ada' | 'mia' | 'max', Person>>;
  /** A channel of all of them. */
  readonly channel: string;
  readonly rounds: number;
}

/** Changes messages, names and members all the time, each request on a connection of its own. */
function changing({ writers, people, channel }: Registering, isOver: () => boolean) {
  const { mel, ada, mia } = people;
  const message = { type: 'channel', to: channel, topic: 'lunch' };
  const loop = async (
    change: (round: number, writer: Client) => Promise<{ readonly status: number }>,
  ) => {
    for (let round = 0; !isOver(); round++) {
      const writer = writers[round % writers.length] ?? expect.fail();
      expect((await change(round, writer)).status).toBe(200);
    }
  };
  const subscriptions = [channel];
  const principals = [mia.id];
  return Promise.all([
    loop((round, at) => at.post(mel, '/messages', { ...message, content: `round ${round}` })),
    loop((round, at) => at.patch(mel, '/settings', { full_name: `Mel ${round}` })),
    loop((round, at) =>
      round % 2 === 0
        ? at.delete(ada, '/users/me/subscriptions', { subscriptions, principals })
        : at.post(ada, '/users/me/subscriptions', {
            subscriptions: [{ name: channel }],
            principals,
            send_new_subscription_messages: false,
          }),
    ),
  ]);
}

interface Known {
  newestMessage: number;
  readonly names: Map<number, string>;
  readonly members: Set<number>;
}

const TYPES = ['message', 'realm_user', 'subscription'];

/** Applies an event as a client would, and fails if the state has it already or misses one. */
function apply(known: Known, event: WireEvent, channelId: number) {
  if (event.type === 'message') {
    // Ids of messages have no gaps here.
    expect(event['message'].id).toBe(known.newestMessage + 1);
    known.newestMessage += 1;
  } else if (event.type === 'realm_user' && event['person']?.full_name !== undefined) {
    const { user_id: id, full_name: name } = event['person'];
    const former = known.names.get(id) ?? '';
    expect(numberIn(name)).toBe(numberIn(former) + 1);
    known.names.set(id, name);
  } else if (event.type === 'subscription' && event['stream_ids']?.includes(channelId)) {
    for (const id of event['user_ids'] as number[]) {
      expect(known.members.has(id)).toBe(event['op'] === 'peer_remove');
      if (event['op'] === 'peer_add') known.members.add(id);
      else known.members.delete(id);
    }
  }
}

/** The first name has no number. */
const numberIn = (name: string) => (/\d+$/.test(name) ? Number(/\d+$/.exec(name)?.[0]) : -1);

/**
 * 4: Registers again and again while others write, and expects each snapshot to be exact: the
 * events of the queue go on where it ends, and none is missed or comes twice.
 */
export async function expectExactRegisters(registering: Registering): Promise<void> {
  const { readers, people, channel, rounds } = registering;
  const { max } = people;
  let isOver = false;
  const changes = changing(registering, () => isOver);
  changes.catch(() => {});
  try {
    for (let round = 0; round < rounds; round++) {
      await once(readers[round % readers.length] ?? expect.fail(), { as: max, channel, round });
    }
  } finally {
    isOver = true;
    await changes;
  }
}

interface Round {
  readonly as: Person;
  readonly channel: string;
  readonly round: number;
}

async function once(reader: Client, { as, channel, round }: Round): Promise<void> {
  const queue = await reader.register(as, {
    event_types: TYPES,
    fetch_event_types: TYPES,
    include_subscribers: true,
  });
  const { state } = queue;
  const found = state.subscriptions.find(({ name }: { name: string }) => name === channel);
  const known: Known = {
    // It is -1 before the first message, whose id is 1.
    newestMessage: Math.max(0, state.max_message_id),
    names: new Map(
      state.realm_users.map((user: { user_id: number; full_name: string }) => [
        user.user_id,
        user.full_name,
      ]),
    ),
    members: new Set(found?.subscribers ?? expect.fail(`there is no channel ${channel}`)),
  };
  // A client that names no position gets what follows the state as well.
  if (round % 2 === 0) queue.lastEventId = -1;
  let count = 0;
  while (count < 4) {
    for (const event of await queue.next()) {
      expect(event.id).toBeGreaterThan(state.last_event_id);
      apply(known, event, found.stream_id);
      count += 1;
    }
  }
  await reader.delete(as, '/events', { queue_id: queue.id });
}
