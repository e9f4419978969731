import { expect, test } from 'vitest';
import type { StateOptions } from '../../../client/src/store/contents.ts';
import { snapshotOf } from '../../../client/src/store/snapshot-of.ts';
import { type AnyEvent, State } from '../../../client/src/store/state.ts';
import { Typing } from '../../../client/src/store/typing.ts';
import { SMALL_SNAPSHOT } from '../../support/applying/small-snapshot.ts';
import { openState, watch } from '../../support/applying/state-of.ts';
import { startServer } from '../../support/start-server.ts';

const draft = (id: number) => ({ id, type: '', to: [], topic: '', content: 'x', timestamp: id });
const drafted = (id: number, ...drafts: readonly object[]) =>
  ({ id, type: 'drafts', op: 'add', drafts }) as AnyEvent;

/** Opens a state, and collects what it says about events that do not fit. */
function openTold(options: StateOptions = {}) {
  const told: string[] = [];
  const state = openState(SMALL_SNAPSHOT, {
    ...options,
    onMismatch: (message) => told.push(message),
  });
  return { state, told };
}

test('an event that was applied changes nothing a second time', () => {
  const { state, told } = openTold();
  expect(state.apply(drafted(5, draft(1)))).toEqual(['drafts']);
  expect(state.apply(drafted(5, draft(2)))).toEqual([]);
  expect(state.apply(drafted(4, draft(3)))).toEqual([]);
  expect([...state.drafts.keys()]).toEqual([1]);
  expect(state.lastEventId).toBe(5);
  expect(told).toEqual([]);
});

test('an event of an unknown type or operation changes nothing, but counts as applied', () => {
  const { state, told } = openTold();
  const before = JSON.stringify(snapshotOf(state));
  expect(state.apply({ id: 1, type: 'of_tomorrow' })).toEqual([]);
  expect(state.apply({ id: 2, type: 'drafts', op: 'of_tomorrow' })).toEqual([]);
  expect(state.apply({ id: 3, type: 'toString' })).toEqual([]);
  expect(state.lastEventId).toBe(3);
  expect(JSON.stringify({ ...snapshotOf(state), last_event_id: 0 })).toBe(before);
  expect(told).toEqual([]);
});

test('an event that is not of the form of its kind is told, and throws nothing', () => {
  const { state, told } = openTold();
  expect(state.apply({ id: 1, type: 'message' })).toEqual([]);
  expect(told).toEqual([expect.stringMatching('the event message cannot be applied')]);
});

test.each([
  [{ type: 'realm_user', op: 'update', person: { user_id: 9, role: 400 } }, /user 9 changes/],
  [{ type: 'user_group', op: 'remove', group_id: 9 }, /group 9 is not known/],
  [{ type: 'subscription', op: 'peer_add', stream_ids: [9], user_ids: [1] }, /channel 9/],
  [{ type: 'drafts', op: 'remove', draft_id: 9 }, /nothing of drafts has the id 9/],
])('an event about what is not known is told: %j', (event, message) => {
  const { state, told } = openTold();
  state.apply({ id: 1, ...event });
  expect(told).toEqual([expect.stringMatching(message)]);
});

test('an event about what was not asked for is told to nobody', () => {
  const told: string[] = [];
  const { drafts, ...others } = SMALL_SNAPSHOT;
  const state = openState(others, { onMismatch: (message) => told.push(message) });
  state.apply({ id: 1, type: 'drafts', op: 'remove', draft_id: 9 } as AnyEvent);
  expect(told).toEqual([]);
  expect(snapshotOf(state)).not.toHaveProperty('drafts');
});

test('without a listener nobody is told of an event that does not fit', () => {
  const state = new State(SMALL_SNAPSHOT as never);
  expect(state.apply({ id: 1, type: 'message' })).toEqual([]);
});

test('only what an event is about is another object afterwards', async () => {
  const server = await startServer({ channels: ['general', 'alpha'] });
  const { ona, mel, max } = server.people;
  const { state, catchUp } = await watch(server, mel);
  const users = new Map(state.users);
  const channels = new Map(state.channels);
  await server.patch(ona, `/users/${max.id}`, { full_name: 'Max Maximal' });
  await server.patch(ona, '/streams/2', { description: 'letters' });
  await catchUp();
  const differs = <Item>(before: ReadonlyMap<number, Item>, now: ReadonlyMap<number, Item>) =>
    [...now].filter(([id, item]) => before.get(id) !== item).map(([id]) => id);
  expect(differs(users, state.users)).toEqual([max.id]);
  expect(differs(channels, state.channels)).toEqual([2]);
  expect(users.get(max.id)?.full_name).toBe('Max Member');
  expect(state.users.get(max.id)?.full_name).toBe('Max Maximal');
});

test('a register reply is not changed by the state that was made of it', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const { queue, state, catchUp } = await watch(server, mel);
  const before = structuredClone(queue.state);
  const message = { type: 'channel', to: 'general', topic: 'x', content: '@**Mel Member**' };
  await server.post(max, '/messages', message);
  await server.patch(max, '/settings', { full_name: 'Max Maximal' });
  await server.post(max, '/users/me/status', { status_text: 'out' });
  await catchUp();
  expect(state.unread.mentionIds()).toHaveLength(1);
  expect(queue.state).toEqual(before);
});

test('what is kept by snapshotOf is a state again', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const { state, catchUp } = await watch(server, mel);
  await server.post(max, '/messages', { type: 'direct', to: [mel.id], content: 'x' });
  await catchUp();
  const kept = JSON.parse(JSON.stringify(snapshotOf(state)));
  const again = openState(kept);
  expect(again.lastEventId).toBe(state.lastEventId);
  expect(JSON.parse(JSON.stringify(snapshotOf(again)))).toEqual(kept);
});

test('typing begins, ends by itself, by a word of the server, and with the message', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, mia } = server.people;
  let now = 1_000_000;
  const { state, catchUp } = await watch(server, mel, { ownTime: () => now });
  const expiryMs = state.facts.server_typing_started_expiry_period_milliseconds ?? 0;
  expect(expiryMs).toBeGreaterThan(0);
  const place = { userIds: [max.id] };
  const typed = (op: string) => server.post(max, '/typing', { op, type: 'direct', to: [mel.id] });

  await typed('start');
  await catchUp();
  expect(state.typing.in(place)).toEqual([max.id]);
  expect(state.typing.in({ userIds: [mia.id] })).toEqual([]);
  expect(state.typing.nextExpiry()).toBe(now + expiryMs);
  expect(state.expire()).toEqual([]);
  now += expiryMs;
  expect(state.typing.in(place)).toEqual([]);
  expect(state.expire()).toEqual(['typing']);
  expect(state.typing.nextExpiry()).toBeUndefined();

  await typed('start');
  await typed('stop');
  await catchUp();
  expect(state.typing.in(place)).toEqual([]);

  const topic = { op: 'start', type: 'channel', stream_id: 1, topic: 'lunch' };
  await server.post(max, '/typing', topic);
  await catchUp();
  expect(state.typing.in({ channelId: 1, topic: 'Lunch' })).toEqual([max.id]);
  await server.post(max, '/messages', { type: 'channel', to: 1, topic: 'lunch', content: 'x' });
  await catchUp();
  expect(state.typing.in({ channelId: 1, topic: 'lunch' })).toEqual([]);
});

test('a program that never lets typing expire holds a bounded number of places', () => {
  let now = 0;
  const typing = new Typing(() => now, 100);
  for (let id = 1; id <= 5000; id += 1) {
    now += 1;
    typing.start({ userIds: [id] }, id);
  }
  expect(typing.in({ userIds: [5000] })).toEqual([5000]);
  expect(typing.in({ userIds: [4999] })).toEqual([4999]);
  now = 0;
  const held = Array.from({ length: 5000 }, (_, index) => typing.in({ userIds: [index + 1] }));
  expect(held.flat().length).toBeLessThanOrEqual(1000);
});
