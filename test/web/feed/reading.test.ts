import { expect, test } from 'vitest';
import { Reading } from '../../../web/app/store/feed/reading.ts';
import type { Params } from '../../support/client.ts';

/** A clock that a test moves, and a server that notes what it is told. */
function opened() {
  const timers = new Map<number, { run: () => void; ms: number }>();
  let next = 1;
  const asked: { path: string; params: Params }[] = [];
  let isAway = false;
  let reply: object = {};
  const calls = {
    call: async (_method: string, path: string, params: Params = {}) => {
      asked.push({ path, params });
      const answer = reply;
      if (isAway) throw new Error('away');
      await Promise.resolve();
      return answer;
    },
  };
  const clock = {
    setTimeout: (run: () => void, ms: number) => {
      timers.set(next, { run, ms });
      return next++;
    },
    clearTimeout: (timer: unknown) => void timers.delete(Number(timer)),
  };
  return {
    reading: new Reading(calls, clock),
    asked,
    async fire() {
      const waits = [...timers.values()].map(({ ms }) => ms);
      const due = [...timers.values()];
      timers.clear();
      for (const { run } of due) run();
      await new Promise((resolve) => setImmediate(resolve));
      return waits;
    },
    goAway: (away: boolean) => {
      isAway = away;
    },
    answer: (next: object) => {
      reply = next;
    },
  };
}

const told = (asked: readonly { params: Params }[]) =>
  asked.map(({ params }) => params['messages']);

test('what is seen is gathered, and told once', async () => {
  const { reading, asked, fire } = opened();
  reading.seen([1, 2], 'a');
  reading.seen([2, 3], 'a');
  await fire();
  reading.seen([1, 2, 3, 4], 'a');
  await fire();
  await fire();
  expect(told(asked)).toEqual([[1, 2, 3], [4]]);
});

test('while the server is away it is tried again, later each time, and nothing is lost', async () => {
  const { reading, asked, fire, goAway } = opened();
  goAway(true);
  reading.seen([1], 'a');
  expect(await fire()).toEqual([400]);
  expect(await fire()).toEqual([2_000]);
  reading.seen([2], 'a');
  expect(await fire()).toEqual([4_000]);
  goAway(false);
  expect(await fire()).toEqual([8_000]);
  expect(told(asked).at(-1)).toEqual([1, 2]);
  expect(await fire()).toEqual([]);
});

test('what was marked as unread stays so while it is looked at, until the view was left', async () => {
  const { reading, asked, fire, answer } = opened();
  answer({ found_newest: true, last_processed_id: 9 });
  reading.seen([1], 'a');
  await fire();
  await reading.markUnreadFrom(1, { narrow: [], key: 'a' });
  expect(asked.at(-1)).toMatchObject({
    path: '/messages/flags/narrow',
    params: { anchor: 1, op: 'remove', num_before: 0 },
  });
  reading.seen([1], 'a');
  expect(await fire()).toEqual([]);
  reading.leave('a');
  reading.seen([1], 'a');
  await fire();
  expect(told(asked).at(-1)).toEqual([1]);
});

test('what is seen while messages are being marked is told after that', async () => {
  const { reading, asked, fire, answer } = opened();
  answer({ found_newest: true, last_processed_id: 9 });
  const marked = reading.markUnreadFrom(2, { narrow: [], key: 'a' });
  reading.leave('a');
  reading.seen([2], 'a');
  reading.flush();
  expect(asked.map(({ params }) => params['op'])).toEqual(['remove']);
  await marked;
  await fire();
  expect(asked.map(({ params }) => params['op'])).toEqual(['remove', 'add']);
});

test('what another device marked as unread is read when its view is seen again', async () => {
  const { reading, asked, fire } = opened();
  reading.seen([1], 'a');
  await fire();
  reading.leave('a');
  reading.seen([1], 'a');
  await fire();
  expect(told(asked)).toEqual([[1], [1]]);
});

test('a failed request does not mark again what was marked as unread meanwhile', async () => {
  const { reading, asked, fire, goAway, answer } = opened();
  reading.seen([1, 2], 'a');
  goAway(true);
  const failed = fire();
  goAway(false);
  answer({ found_newest: true, last_processed_id: 9 });
  await reading.markUnreadFrom(2, { narrow: [], key: 'a' });
  await failed;
  await fire();
  expect(told(asked).filter(Boolean)).toEqual([[1, 2], [1]]);
});

test('a narrow of many messages is marked in parts, until its end', async () => {
  const { reading, asked, answer } = opened();
  answer({ found_newest: false, last_processed_id: 5_000 });
  const marked = reading.markAll([]);
  answer({ found_newest: true, last_processed_id: 6_000 });
  await marked;
  expect(asked.map(({ params }) => [params['anchor'], params['include_anchor']])).toEqual([
    ['oldest', true],
    [5_000, false],
  ]);
});
