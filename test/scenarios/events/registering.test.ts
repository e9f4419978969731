import { expect, test } from 'vitest';
import { type AtOnce, atOnce } from '../../support/acts/at-once.ts';
import { EVERYTHING } from '../../support/applying/exact-snapshots.ts';
import { keepState } from '../../support/applying/kept-state.ts';
import { comparable } from '../../support/applying/snapshot.ts';
import type { Reply } from '../../support/client.ts';
import { startServer } from '../../support/start-server.ts';
import type { Person, PersonName } from '../../support/users.ts';

const MESSAGE = {
  type: 'channel',
  to: 'general',
  topic: 'tea',
  content: '@**Mel Member** @**all**',
};

type People = Readonly<Record<PersonName, Person>>;
type Change = (api: AtOnce, people: People) => Promise<Reply>;

/**
 * Each change is seen in the snapshot, in an event, or in both if they are not of the same moment.
 */
const CHANGES: readonly Change[] = [
  ({ post }, { mia }) =>
    post(mia, '/users/me/subscriptions', { subscriptions: [{ name: 'tea' }], description: 'x' }),
  ({ post }, { max }) => post(max, '/messages', MESSAGE),
  ({ post }, { mel }) =>
    post(mel, '/messages/flags', { messages: [1], op: 'add', flag: 'starred' }),
  ({ post }, { mel }) =>
    post(mel, '/messages/flags', { messages: [1], op: 'remove', flag: 'starred' }),
  ({ post }, { ada, mel, max }) =>
    post(ada, '/users/me/subscriptions', {
      subscriptions: [{ name: 'team' }],
      invite_only: true,
      principals: [mel.id, max.id],
    }),
  ({ post }, { max, mel, ada }) =>
    post(max, '/messages', { type: 'direct', to: [mel.id, ada.id], content: '@**Mel Member**' }),
  ({ delete: remove }, { mel }) =>
    remove(mel, '/users/me/subscriptions', { subscriptions: ['general'] }),
  ({ post }, { max }) => post(max, '/messages', MESSAGE),
  ({ post }, { mel }) =>
    post(mel, '/users/me/subscriptions', { subscriptions: [{ name: 'general' }] }),
  ({ post }, { max }) => post(max, '/messages', { ...MESSAGE, topic: '' }),
];

test('4: a snapshot has what came before it in its commit, and its queue what comes after, wherever it stands', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, mia, gus } = server.people;
  const api = atOnce(server);
  const changed: Promise<Reply>[] = [];
  const registered: { as: Person; reply: Promise<Reply> }[] = [];
  const registerAll = () => {
    for (const as of [mel, mia, gus]) {
      registered.push({ as, reply: api.post(as, '/register', EVERYTHING) });
    }
  };
  registerAll();
  for (const change of CHANGES) {
    changed.push(change(api, server.people));
    registerAll();
  }
  for (const reply of changed) expect(await reply).toMatchObject({ status: 200 });

  const positions = new Set<number>();
  for (const { as, reply } of registered) {
    const { body } = await reply;
    positions.add(body.last_event_id);
    const queue = server.queue(as, body.queue_id, body.last_event_id);
    const state = keepState(body);
    for (const event of await queue.now()) {
      expect(event.id).toBeGreaterThan(body.last_event_id);
      state.apply(event);
    }
    const { state: fresh } = await server.register(as, EVERYTHING);
    const who = `as ${as.fullName} sees it from ${body.last_event_id}`;
    expect(comparable(state.snapshot()), who).toEqual(comparable(fresh));
  }
  // Every change made at least one event, so no two of the snapshots are of the same position.
  expect(positions.size).toBe(CHANGES.length + 1);
  expect(server.bugs).toEqual([]);
});
