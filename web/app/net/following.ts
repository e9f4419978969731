import { indexedDbOutbox } from '@confab/client';
import { outboxOf } from '@confab/client/parts';
import { applyTo } from '@confab/client/store';
import { effect, untracked } from '@preact/signals';
import { app } from '../store/app.ts';
import { OutboxView } from '../store/compose/outbox.ts';
import { conversations } from '../store/conversations.ts';
import { FeedFollower } from '../store/feed/feed-follower.ts';
import { followWith } from '../store/feed/messages.ts';
import { openTypingExpiry } from '../store/feed/typing-expiry.ts';
import { openPresence } from './presence.ts';
import { openKeys } from './pressed-keys.ts';

/** Follows what happens from the snapshot on: events, what is sent, who is here, and keys. */
export function openFollowing(): void {
  followWith((feed) => new FeedFollower(feed));
  effect(openOutbox);
  app.follow(applyTo);
  openTypingExpiry();
  openPresence();
  openKeys();
}

/** Opens the outbox of the account; that of the account before is closed. */
function openOutbox() {
  const line = app.line.value;
  const open = conversations.value;
  if (line === null || open === null) return;
  // Waiting messages are kept apart for each account, so that none is sent by another one.
  const account = untracked(() => app.read().ownId);
  const outbox = outboxOf(line, indexedDbOutbox(String(account)), {
    changed: (entries) => {
      app.outbox.value = entries;
    },
    // Messages go on from memory.
    failed: () => undefined,
  });
  app.sender = outbox;
  open.feed.outbox.value = new OutboxView(app.outbox, () => outbox);
  return () => {
    app.sender = null;
    outbox.close();
  };
}
