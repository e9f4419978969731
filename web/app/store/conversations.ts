import { computed, effect, type ReadonlySignal, untracked } from '@preact/signals';
import { app } from './app.ts';
import { directoryOfApp } from './feed/directory-of-app.ts';
import { FeedStore } from './feed/feed-store.ts';
import type { Calls, WireEvent } from './feed/message.ts';
import { ownId } from './model.ts';
import { prepareWith, route } from './navigation.ts';
import { type Route, withoutSelf } from './route.ts';

/** The messages of the account that is open. */
export interface Conversations {
  readonly feed: FeedStore;
  readonly calls: Calls;
}

const isOpen = computed(() => app.phase.value === 'open');

/** Made when an account is opened, and once more for another one. */
export const conversations: ReadonlySignal<Conversations | null> = computed(() =>
  isOpen.value ? untracked(made) : null,
);

/**
 * The view that is shown stays so long while the messages of the next one come, which is then drawn
 * as a whole. People do not notice it, and most servers have answered by then.
 */
const HOLD_MS = 50;

/** Joins the messages to the connection: events and gaps. */
export function openConversations(): void {
  app.onEvents((events) => {
    const open = conversations.peek();
    if (open === null) return;
    // Events have the fields that their types say, and are looked at by name here.
    for (const event of events as unknown as readonly WireEvent[]) open.feed.apply(event);
  });
  app.onRenewed(() => conversations.peek()?.feed.reload());
  // The account is known as soon as it is open, so that no event is missed.
  effect(() => void conversations.value);
  effect(() => {
    if (conversations.value !== null) untracked(() => ask(route.peek()));
  });
  prepareWith((to) => {
    if (conversations.peek() === null) return null;
    const feed = ask(withoutSelf(to, ownId.peek()));
    return feed === null ? null : Promise.race([feed.opened, pause(HOLD_MS)]);
  });
}

/** Asks for the messages of a route before it is drawn; null if it shows none. */
const ask = (to: Route) =>
  to.view === 'narrow' ? (conversations.peek()?.feed.ask(to.narrow, to.near) ?? null) : null;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function made(): Conversations {
  // The library checks calls by their paths; here they are made by name.
  const calls: Calls = {
    call: (method, path, params) =>
      (app.chat.call as (...request: readonly unknown[]) => Promise<unknown>).call(
        app.chat,
        method,
        path,
        params ?? {},
      ),
  };
  return { feed: new FeedStore({ calls, directory: directoryOfApp }), calls };
}
