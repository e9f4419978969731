import { expect, test } from 'vitest';
import type { WireEvent } from '../../support/client.ts';
import {
  personOf,
  type ServerProcess,
  startProcess,
} from '../../support/processes/start-process.ts';
import { runs } from '../../support/runs.ts';

const MESSAGE = { type: 'channel', to: 'general', topic: 'lunch' };

/** Changes messages, names and members all the time, each request on a connection of its own. */
function changing(server: ServerProcess, isOver: () => boolean) {
  const mel = personOf(server, 'mel');
  const ada = personOf(server, 'ada');
  const loop = async (change: (round: number) => Promise<{ readonly status: number }>) => {
    for (let round = 0; !isOver(); round++) expect((await change(round)).status).toBe(200);
  };
  const subscriptions = ['general'];
  const principals = [personOf(server, 'mia').id];
  return Promise.all([
    loop((round) => server.post(mel, '/messages', { ...MESSAGE, content: `round ${round}` })),
    loop((round) => server.patch(mel, '/settings', { full_name: `Mel ${round}` })),
    loop((round) =>
      round % 2 === 0
        ? server.delete(ada, '/users/me/subscriptions', { subscriptions, principals })
        : server.post(ada, '/users/me/subscriptions', {
            subscriptions: [{ name: 'general' }],
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

test('4: a snapshot is exact while others write, whichever gateway reads it, and so is the queue from its beginning', {
  timeout: 600_000,
}, async () => {
  const server = await startProcess({ CONFAB_GATEWAYS: '2' });
  const max = personOf(server, 'max');
  let isOver = false;
  const changes = changing(server, () => isOver);
  const channelOf = (state: { subscriptions: { name: string; stream_id: number }[] }) =>
    state.subscriptions.find(({ name }) => name === 'general')?.stream_id ?? expect.fail();
  for (let round = 0; round < runs({ few: 40, all: 100, most: 2_000 }); round++) {
    const queue = await server.register(max, {
      event_types: TYPES,
      fetch_event_types: TYPES,
      include_subscribers: true,
    });
    const { state } = queue;
    const channelId = channelOf(state);
    const known: Known = {
      newestMessage: state.max_message_id,
      names: new Map(
        state.realm_users.map((user: { user_id: number; full_name: string }) => [
          user.user_id,
          user.full_name,
        ]),
      ),
      members: new Set(
        state.subscriptions.find(({ stream_id: id }: { stream_id: number }) => id === channelId)
          .subscribers,
      ),
    };
    // A client that names no position gets what follows the state as well.
    if (round % 2 === 0) queue.lastEventId = -1;
    let count = 0;
    while (count < 4) {
      for (const event of await queue.next()) {
        expect(event.id).toBeGreaterThan(state.last_event_id);
        apply(known, event, channelId);
        count += 1;
      }
    }
    await server.delete(max, '/events', { queue_id: queue.id });
  }
  isOver = true;
  await changes;
});

test('what is refused in one process is refused by gateways in the same words', async () => {
  const bodies: unknown[] = [];
  for (const count of ['0', '2']) {
    const server = await startProcess({ CONFAB_GATEWAYS: count });
    const max = personOf(server, 'max');
    const replies = [
      await server.post(null, '/register'),
      await server.post({ ...max, apiKey: 'x'.repeat(32) }, '/register'),
      await server.post(max, '/register', { narrow: [['nothing', 'x']] }),
      await server.post(max, '/register', { event_types: 'x' }),
      await server.post(null, '/register', { client_gravatar: false, include_subscribers: true }),
      await server.post(max, '/register', { event_types: ['message'], unknown: 1 }),
    ];
    bodies.push(
      replies.map(({ status, body }) => [
        status,
        status === 200 ? Object.keys(body) : body,
        body.ignored_parameters_unsupported,
      ]),
    );
  }
  expect(bodies[1]).toEqual(bodies[0]);
});
