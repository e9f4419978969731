import type { ChatEvent } from '@confab/client';
import { beforeEach, expect, test } from 'vitest';
import { app } from '../../../../web/app/store/app.ts';
import { loadSubscribers, subscribersOf } from '../../../../web/app/store/channels/subscribers.ts';
import { openAccount } from './snapshot.ts';

let lastId = 0;

/** Applies events of the account's own connection. */
const happen = (...events: object[]) => {
  app.apply(
    events.map((event) => {
      lastId += 1;
      return { id: lastId, type: 'subscription', ...event } as unknown as ChatEvent;
    }),
  );
};

const peers = (op: 'peer_add' | 'peer_remove', channelId: number, userIds: number[]) => ({
  op,
  stream_ids: [channelId],
  user_ids: userIds,
});

const listOf = (channelId: number) => {
  const people = subscribersOf(channelId);
  return people === undefined ? undefined : [...people].sort((one, other) => one - other);
};

beforeEach(() => app.end(null));

test('the people of a channel are asked for once, and events keep the list', async () => {
  const requests = openAccount(() => ({ subscribers: [1, 4] }));
  expect(subscribersOf(1)).toBeUndefined();
  await Promise.all([loadSubscribers(1), loadSubscribers(1)]);
  await loadSubscribers(1);
  expect(requests).toHaveLength(1);
  expect(listOf(1)).toEqual([1, 4]);
  happen(peers('peer_add', 1, [2, 5]), peers('peer_remove', 1, [1]), peers('peer_add', 2, [6]));
  expect(listOf(1)).toEqual([2, 4, 5]);
  happen({ op: 'remove', subscriptions: [{ stream_id: 1 }] });
  expect(listOf(1)).toEqual([2, 5]);
});

test('what happens while the answer is on its way is in the list, whichever of both is newer', async () => {
  let answer: (reply: object) => void = () => undefined;
  openAccount(() => new Promise<object>((resolve) => (answer = resolve)));
  const loading = loadSubscribers(1);
  happen(peers('peer_add', 1, [2]), peers('peer_remove', 1, [4]));
  happen(peers('peer_add', 1, [6]), peers('peer_remove', 1, [6]));
  // The answer has the first two of them already.
  answer({ subscribers: [1, 2] });
  await loading;
  expect(listOf(1)).toEqual([1, 2]);
});

test('a refusal is forgotten, and asked again when the list is next wanted', async () => {
  let isRefused = true;
  const requests = openAccount(() => {
    if (isRefused) throw new Error('Invalid channel ID');
    return { subscribers: [1] };
  });
  await loadSubscribers(1);
  expect(subscribersOf(1)).toBeUndefined();
  isRefused = false;
  await loadSubscribers(1);
  expect(listOf(1)).toEqual([1]);
  expect(requests).toHaveLength(2);
});

test('another account, or a gap in the events, begins anew', async () => {
  const requests = openAccount(() => ({ subscribers: [1] }));
  await loadSubscribers(1);
  app.end(null);
  openAccount(() => ({ subscribers: [2] }));
  expect(subscribersOf(1)).toBeUndefined();
  await loadSubscribers(1);
  expect(listOf(1)).toEqual([2]);
  openAccount(() => ({ subscribers: [3] }));
  expect(subscribersOf(1)).toBeUndefined();
  expect(requests).toHaveLength(1);
});

test('so many lists are kept, and the oldest go first', async () => {
  openAccount(() => ({ subscribers: [1] }));
  for (let id = 1; id <= 40; id += 1) await loadSubscribers(id);
  expect(subscribersOf(1)).toBeUndefined();
  expect(subscribersOf(10)).toBeUndefined();
  expect(listOf(11)).toEqual([1]);
  expect(listOf(40)).toEqual([1]);
});
