import type { EventType } from '../endpoint.ts';

/** Types of all events that may follow a sent message, by any way of sending. */
export const EVENTS_OF_SENDING: readonly EventType[] = [
  'message',
  'realm_user',
  'user_status',
  'muted_topics',
  'stream',
  'user_topic',
  'attachment',
];
