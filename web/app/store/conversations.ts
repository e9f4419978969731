import { computed, effect, type ReadonlySignal, untracked } from '@preact/signals';
import { app } from './app.ts';
import { ComposeStore } from './compose/compose-store.ts';
import type { FileKeep } from './compose/kept-files.ts';
import { OutboxView } from './compose/outbox.ts';
import type { UploadSend } from './compose/uploads.ts';
import { directoryOfApp } from './feed/directory-of-app.ts';
import { FeedStore } from './feed/feed-store.ts';
import type { Calls, WireEvent } from './feed/message.ts';

/** The messages and the field of the account that is open. */
export interface Conversations {
  readonly feed: FeedStore;
  readonly compose: ComposeStore;
}

const isOpen = computed(() => app.phase.value === 'open');

/** How files are sent, and what keeps those of an account across a reload. */
export interface FileParts {
  readonly send: UploadSend;
  readonly keepOf: (account: string) => Promise<FileKeep | null>;
}

let files: FileParts = {
  send: () => Promise.reject(new Error('Nothing is connected')),
  keepOf: async () => null,
};

/** Made when an account is opened, and once more for another one. */
export const conversations: ReadonlySignal<Conversations | null> = computed(() =>
  isOpen.value ? untracked(made) : null,
);

/** Joins the messages to the connection: events, gaps, and how files are sent. */
export function openConversations(parts: FileParts): void {
  files = parts;
  app.onEvents((events) => {
    const open = conversations.peek();
    if (open === null) return;
    // Events have the fields that their types say, and are looked at by name here.
    for (const event of events as unknown as readonly WireEvent[]) {
      outboxes.get(open)?.apply(event);
      open.feed.apply(event);
      open.compose.apply(event);
    }
  });
  app.onRenewed(() => conversations.peek()?.feed.reload());
  // The account is known as soon as it is open, so that no event is missed.
  effect(() => void conversations.value);
}

const outboxes = new WeakMap<Conversations, OutboxView>();

function made(): Conversations {
  const outbox = new OutboxView(app.outbox, () => app.chat.outbox);
  const directory = directoryOfApp;
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
  const drafts = [...app.read().drafts.values()];
  const account = app.read().ownId;
  const compose = new ComposeStore({
    calls,
    directory,
    drafts,
    sendPart: (...part) => files.send(...part),
    keepFiles: () => files.keepOf(String(account)),
    send: (message) => void app.chat.send(message).sent.catch(() => undefined),
  });
  const open = { feed: new FeedStore({ calls, directory, outbox }), compose };
  outboxes.set(open, outbox);
  return open;
}
