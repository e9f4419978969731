import type { EventType } from '../endpoint.ts';

/** Types of events that may follow when accounts are deactivated or reactivated. */
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
