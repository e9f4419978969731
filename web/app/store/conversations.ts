import { computed, effect, type ReadonlySignal, untracked } from '@preact/signals';
import { app } from './app.ts';
import { directoryOfApp } from './feed/directory-of-app.ts';
import { FeedStore } from './feed/feed-store.ts';
import type { Calls, WireEvent } from './feed/message.ts';
import { route } from './navigation.ts';
import { keyOf } from './route.ts';

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

/** Another text for another view of messages; null for other views. */
const shownNarrow = computed(() => {
  const { value } = route;
  return value.view === 'narrow' ? `${value.near} ${keyOf(value.narrow)}` : null;
});

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
  // Messages are asked for before anything is drawn: the server answers while the page draws.
  effect(() => {
    if (shownNarrow.value === null) return;
    const open = conversations.value;
    const shown = route.peek();
    if (open === null || shown.view !== 'narrow') return;
    untracked(() => open.feed.ask(shown.narrow, shown.near));
  });
}

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
