import { expect, test } from 'vitest';
import type { Directory } from '../../../web/app/store/feed/directory.ts';
import { directoryOfApp } from '../../../web/app/store/feed/directory-of-app.ts';
import { FeedStore } from '../../../web/app/store/feed/feed-store.ts';
import { topicNarrow } from '../../../web/app/store/route.ts';

const LUNCH = topicNarrow(1, 'lunch');

/** A store whose calls are answered with no messages, when they are let. */
function openStore() {
  const asked: object[] = [];
  const waiting: (() => void)[] = [];
  const page = { messages: [], found_oldest: true, found_newest: true };
  const calls = {
    call: (_method: string, _path: string, params?: object) => {
      asked.push(params ?? {});
      return new Promise<unknown>((resolve) => waiting.push(() => resolve(page)));
    },
  };
  const directory: Directory = Object.create(directoryOfApp, { ownId: { value: 7 } });
  return { store: new FeedStore({ calls, directory }), asked, waiting };
}

test('messages are asked for at once, and not again when their view is opened', async () => {
  const { store, asked, waiting } = openStore();
  store.ask(LUNCH, null);
  expect(asked).toMatchObject([{ narrow: LUNCH, anchor: 'first_unread' }]);
  // The address may be told of more than once before the view is drawn.
  store.ask(LUNCH, null);
  const feed = store.open(LUNCH, null);
  expect(asked).toHaveLength(1);
  waiting[0]?.();
  await expect.poll(() => feed.isReady.value).toBe(true);
  expect(store.open(LUNCH, null)).toBe(feed);
  expect(asked).toHaveLength(1);
});

test('a view that was asked for and left does not stand for the next one', () => {
  const { store, asked } = openStore();
  store.ask(LUNCH, 12);
  const other = store.open(topicNarrow(1, 'plans'), null);
  expect(other.narrow).toEqual(topicNarrow(1, 'plans'));
  expect(asked).toMatchObject([{ anchor: 12 }, { anchor: 'first_unread' }]);
  // The messages that were asked for may be old by now: a place in them is looked for again.
  store.open(LUNCH, 30);
  expect(asked).toMatchObject([{ anchor: 12 }, { anchor: 'first_unread' }, { anchor: 30 }]);
});
