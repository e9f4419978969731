import { CAPABILITIES } from '@confab/client/store';
import { expect } from 'vitest';
import type { Params } from '../client.ts';
import type { TestServer } from '../start-server.ts';
import type { Person } from '../users.ts';
import { expectExact } from './exact-snapshots.ts';
import { keepState } from './kept-state.ts';
import { comparable, type Snapshot } from './snapshot.ts';

/** A modern client, for which nothing is left out or put in an older form. */
export const MODERN = {
  include_subscribers: 'true',
  client_gravatar: false,
  client_capabilities: CAPABILITIES,
};

/** A client that sleeps for days and wants its events still. */
export const PATIENT = { ...MODERN, queue_lifespan_secs: 604_800 };

/**
 * 4: A snapshot is exact. All people of the test realm, or the named ones, register before the
 * change; their snapshots and the events of the change must lead to what a fresh register gives.
 */
export async function expectExactAfter(
  server: TestServer,
  change: () => Promise<unknown>,
  { people = Object.values(server.people), options = MODERN }: Followers = {},
): Promise<void> {
  const queues = await Promise.all(people.map((person) => server.register(person, options)));
  const followed = queues.map((queue) => ({ queue, state: keepState(queue.state) }));
  await change();
  for (const each of followed) await expectExact(server, each, options);
  expect(server.bugs).toEqual([]);
}

interface Followers {
  readonly people?: readonly Person[];
  readonly options?: Params;
}

/**
 * An older client does not know that it was once in a channel that came back from the archive
 * (docs/decisions/0041).
 */
export function withoutPast(state: Snapshot) {
  const others = [...state.unsubscribed, ...state.never_subscribed].map((channel) =>
    Object.fromEntries(Object.entries(channel).filter(([name]) => !PERSONAL.has(name))),
  );
  return comparable({ ...state, unsubscribed: [], never_subscribed: others as never });
}

const PERSONAL: ReadonlySet<string> = new Set([
  'color',
  'is_muted',
  'in_home_view',
  'pin_to_top',
  'desktop_notifications',
  'audible_notifications',
  'push_notifications',
  'email_notifications',
  'wildcard_mentions_notify',
]);
