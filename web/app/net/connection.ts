import { type ChatEvent, connect, indexedDbOutbox } from '@confab/client';
import type { Snapshot } from '@confab/client/store';
import { app } from '../store/app.ts';
import { keptAccount } from './session.ts';

/** The parts of the snapshot that the state needs. */
const FETCHED = [
  'realm',
  'realm_user',
  'realm_user_groups',
  'realm_emoji',
  'presence',
  'user_status',
  'subscription',
  'channel_folders',
  'message',
  'update_message_flags',
  'starred_messages',
  'recent_private_conversations',
  'user_topic',
  'muted_users',
  'user_settings',
  'drafts',
  'scheduled_messages',
  'reminders',
  'alert_words',
  'custom_profile_fields',
  'default_streams',
  'realm_linkifiers',
  'realm_playgrounds',
  'realm_domains',
];

const EVENTS = [
  ...FETCHED,
  'invites_changed',
  'realm_export',
  'user_group',
  'stream',
  'channel_folder',
  'update_message',
  'delete_message',
  'reaction',
  'submessage',
  'typing',
  'typing_edit_message',
];

const REGISTER = {
  fetch_event_types: FETCHED,
  event_types: EVENTS,
  apply_markdown: true,
  // People without a picture of their own have initials: no other server is asked for one.
  client_gravatar: true,
  slim_presence: true,
  include_subscribers: 'false',
  client_capabilities: {
    notification_settings_null: true,
    bulk_message_deletion: true,
    user_avatar_url_field_optional: false,
    stream_typing_notifications: true,
    user_settings_object: true,
    linkifier_url_template: true,
    user_list_incomplete: true,
    empty_topic_name: true,
    simplified_presence_events: true,
  },
};

/** A hidden page draws no frames, but its title and its notifications go on. */
const HIDDEN_MS = 100;

/** Connects with the cookie of the browser; without a session, the account ends at once. */
export function openConnection(): void {
  const chat = connect({
    url: location.origin,
    credentials: 'cookie',
    register: REGISTER,
    // Waiting messages are kept apart for each account, so that none is sent by another one.
    outbox: indexedDbOutbox(keptAccount() ?? 'unknown'),
  });
  frames ??= perFrame((events) => app.apply(events));
  const { add, forget } = frames;
  app.connected(chat);
  chat.on('status', (status) => {
    app.status.value = status;
    if (status.state === 'ended') app.end(status.error ?? null);
  });
  chat.on('snapshot', (snapshot) => {
    forget();
    app.begin(snapshot as unknown as Snapshot);
  });
  chat.on('events', add);
  chat.on('outbox', (entries) => {
    app.outbox.value = entries;
  });
}

/** It stays when another account is opened, as its listener does. */
let frames: ReturnType<typeof perFrame> | undefined;

/** Collects events, and hands on all of a frame together. */
function perFrame(apply: (events: readonly ChatEvent[]) => void) {
  let waiting: ChatEvent[] = [];
  let isPlanned = false;
  const flush = () => {
    isPlanned = false;
    const events = waiting;
    waiting = [];
    if (events.length > 0) apply(events);
  };
  document.addEventListener('visibilitychange', () => {
    if (isPlanned) flush();
  });
  return {
    add(events: readonly ChatEvent[]) {
      waiting.push(...events);
      if (isPlanned) return;
      isPlanned = true;
      if (document.hidden) setTimeout(flush, HIDDEN_MS);
      else requestAnimationFrame(flush);
    },
    /** Events of a queue that has ended are in the snapshot that replaces them. */
    forget() {
      waiting = [];
    },
  };
}
