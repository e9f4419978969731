import type { ChatEvent } from '@confab/client';
import { type ConnectionStatus, Line } from '@confab/client/parts';
import type { Snapshot } from '@confab/client/store';
import { app } from '../store/app.ts';

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
];

const EVENTS = [
  ...FETCHED,
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
    user_list_incomplete: true,
    empty_topic_name: true,
    simplified_presence_events: true,
  },
};

/** A hidden page draws no frames, but its title and its notifications go on. */
const HIDDEN_MS = 100;

/** Connects with the cookie of the browser; without a session, the account ends at once. */
export function openConnection(): void {
  frames ??= perFrame((events) => app.apply(events));
  app.connected(new PageLine({ url: location.origin, credentials: 'cookie', register: REGISTER }));
}

/** The line of the page, which hands on to the state what comes. */
class PageLine extends Line {
  protected override statusChanged(status: ConnectionStatus): void {
    app.status.value = status;
    if (status.state === 'ended') app.end(status.error ?? null);
  }

  protected override registered(snapshot: object): void {
    frames?.forget();
    app.begin(snapshot as Snapshot);
  }

  protected override arrived(events: readonly ChatEvent[]): void {
    frames?.add(events);
  }
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
