import type { EventType } from '../endpoint.ts';

/** All that may be told because a message is sent, however it came. */
export const EVENTS_OF_SENDING: readonly EventType[] = [
  'message',
  'realm_user',
  'user_status',
  'muted_topics',
  'stream',
  'user_topic',
  'attachment',
];
