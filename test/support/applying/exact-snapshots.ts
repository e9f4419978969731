import { expect } from 'vitest';
import type { Params, TestQueue } from '../client.ts';
import type { TestServer } from '../start-server.ts';
import type { Person } from '../users.ts';
import { type KeptState, keepState } from './kept-state.ts';
import { comparable, type Snapshot } from './snapshot.ts';

/** A modern client, for which nothing is left out or put in an older form. */
export const EVERYTHING = {
  include_subscribers: 'true',
  client_gravatar: false,
  client_capabilities: {
    notification_settings_null: true,
    user_settings_object: true,
    user_list_incomplete: true,
    bulk_message_deletion: true,
    empty_topic_name: true,
  },
};

interface Followed {
  readonly queue: TestQueue;
  readonly state: KeptState;
}

export async function follow(server: TestServer, as: Person): Promise<Followed> {
  const queue = await server.register(as, EVERYTHING);
  return { queue, state: keepState(queue.state) };
}

export async function expectExact(
  server: TestServer,
  { queue, state }: Followed,
  options: Params = EVERYTHING,
) {
  for (let events = await queue.now(); events.length > 0; events = await queue.now()) {
    for (const event of events) state.apply(event);
  }
  const fresh = await server.register(queue.as, options);
  expect(fresh.state.last_event_id).toBeGreaterThanOrEqual(queue.lastEventId);
  const kept = state.snapshot();
  expect(comparable(kept, fresh.state as Snapshot), `as ${queue.as.fullName} sees it`).toEqual(
    comparable(fresh.state as Snapshot),
  );
  expectInOrder(fresh.state);
}

/**
 * Expects the order of lists that `comparable` sorts (reference/events-and-register.md 5.4, 5.5).
 */
function expectInOrder(state: Snapshot) {
  for (const list of ['streams', 'subscriptions', 'unsubscribed', 'never_subscribed'] as const) {
    const names = state[list].map(({ name }) => name);
    expect(names).toEqual(names.toSorted());
  }
  const ids = state.realm_users.map(({ user_id: id }) => id);
  expect(ids).toEqual(ids.toSorted((one, other) => one - other));
}
