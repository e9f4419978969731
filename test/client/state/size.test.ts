import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { brotliCompressSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import type { AnyEvent, State } from '../../../client/src/store/state.ts';
import { NO_UNREAD, SMALL_SNAPSHOT } from '../../support/applying/small-snapshot.ts';
import { openState } from '../../support/applying/state-of.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Bytes of a bundle of an entry, minified and compressed. */
async function bytesOf(entry: string): Promise<number> {
  const bundle = await rolldown({ cwd: ROOT, input: entry, platform: 'browser' });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  return brotliCompressSync(output[0].code).length;
}

// It was 8.2 KB and 7.0 KB on 2026-11-26, of the 45 KB that the web client may load at first.
test.each([
  ['the store with names and snapshots', 'client/src/store/index.ts', 8_500],
  ['a state alone', 'client/src/store/state.ts', 7_300],
])('%s is small, compressed', async (_, entry, bytesMax) => {
  expect(await bytesOf(entry)).toBeLessThan(bytesMax);
});

const USERS = 1_000;
const CHANNELS = 500;
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

const user = (id: number) => ({
  ...{ user_id: id, email: `user${id}@example.com`, delivery_email: null },
  ...{ full_name: `Some Person ${id}`, date_joined: '2026-01-05T09:00+00:00' },
  ...{ is_owner: false, is_admin: false, is_guest: false, is_bot: false, bot_type: null },
  ...{ bot_owner_id: null, role: 400, timezone: '', avatar_version: 1, avatar_url: null },
});
const channel = (id: number) => ({
  ...{ stream_id: id, name: `channel ${id}`, description: '', rendered_description: '' },
  ...{ date_created: 1, creator_id: 1, invite_only: false, is_archived: false, folder_id: null },
  ...{ subscriber_count: USERS, can_send_message_group: 1, can_subscribe_group: 1 },
});

/** The reply for somebody in a large organization, as text, so that nothing is shared. */
const LARGE = JSON.stringify({
  ...SMALL_SNAPSHOT,
  realm_users: numbers(USERS).map(user),
  realm_user_groups: [{ id: 1, name: 'role:everyone', members: numbers(USERS) }],
  streams: numbers(CHANNELS).map(channel),
  subscriptions: numbers(CHANNELS / 2).map((id) => ({
    ...{ ...channel(id), subscribers: numbers(USERS), color: '#aabbcc', is_muted: false },
    ...{ pin_to_top: false, in_home_view: true },
  })),
  never_subscribed: numbers(CHANNELS / 2).map((id) => channel(id + CHANNELS / 2)),
  unread_msgs: {
    ...NO_UNREAD,
    streams: numbers(CHANNELS / 2).map((id) => ({
      stream_id: id,
      topic: 'lunch',
      unread_message_ids: numbers(40).map((index) => id * 100 + index),
    })),
  },
});

function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}

// It was 3.9 MB in a process of its own on 2026-11-26; other tests leave something here. The reply
// is 1.6 MB of text, with the subscribers of 250 channels.
test('1,000 users and 500 channels, with 10,000 unread messages, have at most 8 MB', () => {
  const before = heapBytes();
  const state = openState(JSON.parse(LARGE));
  const bytes = heapBytes() - before;
  expect(state.unread.total()).toBe(10_000);
  expect(bytes).toBeLessThan(8e6);
});

test('an event replaces what it is about, and no other object, however large the state is', () => {
  const state = openState(JSON.parse(LARGE));
  const before = partsOf(state);
  const events = [
    { type: 'realm_user', op: 'update', person: { user_id: 7, full_name: 'Other' } },
    { type: 'stream', op: 'update', stream_id: 9, name: 'x', property: 'description', value: 'y' },
    { type: 'subscription', op: 'peer_remove', stream_ids: [9], user_ids: [5] },
    { type: 'user_group', op: 'remove_members', group_id: 1, user_ids: [5] },
    { type: 'update_message_flags', op: 'add', flag: 'read', all: false, messages: [101] },
    { type: 'subscription', op: 'update', stream_id: 9, property: 'is_muted', value: true },
  ];
  for (const [index, event] of events.entries()) {
    expect(state.apply({ ...event, id: index + 1 } as AnyEvent)).not.toEqual([]);
  }
  const after = partsOf(state);
  const replaced = [...after].filter(([name, part]) => before.get(name) !== part);
  expect(replaced.map(([name]) => name)).toEqual([
    'user 7',
    'channel 9',
    'settings 9',
    'subscribers 9',
    'group 1',
  ]);
});

/** Every object of the state, by a name. */
function partsOf(state: State): Map<string, unknown> {
  const named = (name: string, map: ReadonlyMap<number, unknown>) =>
    Array.from(map, ([id, part]): [string, unknown] => [`${name} ${id}`, part]);
  return new Map([
    ...named('user', state.users),
    ...named('channel', state.channels),
    ...named('settings', state.subscriptions),
    ...named('subscribers', state.subscribers),
    ...named('group', state.groups),
    ...named('unread', state.unread.topics),
  ]);
}
