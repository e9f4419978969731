import { type ChatStatus, connect, indexedDbOutbox } from '@confab/client';
import { applyTo, type Snapshot } from '@confab/client/store';
import { effect } from '@preact/signals';
import { app, type Start } from '../store/app.ts';
import { OutboxView } from '../store/compose/outbox.ts';
import { conversations } from '../store/conversations.ts';
import { FeedFollower } from '../store/feed/feed-follower.ts';
import { followWith } from '../store/feed/messages.ts';
import { openTypingExpiry } from '../store/feed/typing-expiry.ts';
import { names } from '../store/model.ts';
import { mayNotify, openNotifications } from './notifications.ts';
import { perFrame } from './per-frame.ts';
import { openPresence } from './presence.ts';
import { REGISTER } from './register.ts';

/** Follows what happens from the snapshot on: events, what is sent, and who is here. */
export function openFollowing(): void {
  followWith((feed) => new FeedFollower(feed));
  app.follow(applyTo);
  openTypingExpiry();
  // Before the connection begins, so that no message goes by.
  openNotifications();
  effect(() => {
    const start = app.start.value;
    return start === null ? undefined : openChat(start);
  });
  effect(() => {
    const open = conversations.value;
    if (open === null) return;
    open.feed.outbox.value = new OutboxView(app.outbox, () => {
      if (app.sender === null) throw new Error('Nobody is logged in');
      return app.sender.outbox;
    });
  });
  openPresence();
  effect(followPushes);
  nameManifest();
}

/** Has pushes to this browser be those of the account, and end with its session. */
function followPushes(): void {
  const phase = app.phase.value;
  // A refusal of another kind says nothing of the session.
  const isOver = phase === 'logged-out' && app.fault.value === null;
  if (mayNotify() !== 'granted' || !(isOver || phase === 'open')) return;
  void import('./web-push.ts')
    .then(({ dropPushes, keepPushes }) => (isOver ? dropPushes() : keepPushes(names.ownId)))
    // The next page tries it again, and the settings say how it stands.
    .catch(() => undefined);
}

/** Says how the page is added to a home screen. A browser asks for it when somebody does that. */
function nameManifest(): void {
  for (const [rel, href] of HOME_SCREEN) {
    document.head.append(Object.assign(document.createElement('link'), { rel, href }));
  }
}

const HOME_SCREEN = [
  ['manifest', '/app.webmanifest'],
  ['apple-touch-icon', '/icon-180.png'],
] as const;

/** Connects, where the first requests left off; returns what ends the connection. */
function openChat({ resume, account }: Start): () => void {
  const chat = connect({
    url: location.origin,
    credentials: 'cookie',
    register: REGISTER,
    resume,
    // Waiting messages are kept apart for each account, so that none is sent by another one.
    outbox: indexedDbOutbox(account),
  });
  const { add, forget } = frames;
  app.connected(chat);
  app.sender = chat;
  let isNews = resume === undefined;
  chat.on('status', (status) => {
    // To take up the queue of the snapshot is no news.
    if (status.state === 'ended') app.end(status.error ?? null);
    else app.status.value = isNews ? status : quietly(status);
    if (status.state !== 'connecting' && status.state !== 'caught-up') isNews = true;
  });
  chat.on('snapshot', (snapshot) => {
    forget();
    app.begin(snapshot as unknown as Snapshot);
  });
  chat.on('events', add);
  chat.on('outbox', (entries) => {
    app.outbox.value = entries;
  });
  return () => chat.close();
}

const quietly = (status: ChatStatus): ChatStatus =>
  status.state === 'caught-up' ? { ...status, state: 'live' } : status;

const frames = perFrame((events) => app.apply(events));
