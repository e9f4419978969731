import { computed, type ReadonlySignal } from '@preact/signals';
import { app } from '../app.ts';
import { FeedStore } from '../feed/feed-store.ts';
import type { WireEvent } from '../feed/message.ts';
import { accountNames } from './names.ts';
import { waiting } from './waiting.ts';

/** The messages of the account that is open; those of another one begin anew. */
const feeds: ReadonlySignal<FeedStore | null> = computed(() =>
  app.phase.value === 'open'
    ? new FeedStore({ calls: app.chat, directory: accountNames, outbox: waiting })
    : null,
);

/** Returns the messages of the account. */
export function feedStore(): FeedStore {
  const store = feeds.value;
  if (store === null) throw new Error('Nobody is logged in');
  return store;
}

/** Lets the messages follow the events, and ends what ends by itself. */
export function openMessages(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  app.onEvents((events) => {
    const store = feeds.peek();
    for (const event of events) store?.apply(event as unknown as WireEvent);
    if (events.some(({ type }) => type === 'typing')) expireLater();
  });
  app.onRenewed(() => feeds.peek()?.reload());

  /** People who write and go away do not say that they have stopped. */
  function expireLater(): void {
    clearTimeout(timer);
    if (app.phase.peek() !== 'open') return;
    const until = app.read().typing.nextExpiry();
    if (until === undefined) return;
    timer = setTimeout(
      () => {
        app.bump(...app.read().expire());
        expireLater();
      },
      Math.max(0, until - Date.now()),
    );
  }
}
