import type { EventType } from '../endpoint.ts';

/** What may follow when accounts are no longer in use, or are again. */
export const activityEvents: readonly EventType[] = [
  'subscription',
  'realm_user',
  'realm_bot',
  'user_group',
  'realm',
  'stream',
  'user_status',
  'invites_changed',
];
