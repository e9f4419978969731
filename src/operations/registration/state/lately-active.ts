import {
  PRESENCE_HISTORY_DAYS,
  PRESENCE_OFFLINE_SECONDS,
} from '../../../domain/rules/people/presence.ts';
import { isPresenceEnabled } from '../../../domain/rules/people/users.ts';
import { realmSetting } from '../../access/groups.ts';
import type { View } from './view.ts';

/**
 * Returns the users who have to be in a shortened list of subscribers: "bots and users active in
 * the last 14 days" (specification, POST /register). Active users have reported presence, have an
 * event queue, or are new. Users who hide their presence are included, since nothing is known of
 * them; and all users are if the organization keeps no presence.
 */
export function latelyActive(view: View): ReadonlySet<number> {
  const known = activeIn.get(view) ?? findActive(view);
  activeIn.set(view, known);
  return known;
}

const activeIn = new WeakMap<View, ReadonlySet<number>>();

function findActive({ tx, user: viewer, now, accounts }: View): ReadonlySet<number> {
  const since = Math.floor(now / 1000) - PRESENCE_HISTORY_DAYS * 86_400;
  const keepsPresence = !realmSetting(tx, 'presence_disabled');
  const active = new Set([viewer.id]);
  for (const user of accounts()) {
    const isUnknown = !keepsPresence || !isPresenceEnabled(user);
    if (user.botType !== null || user.dateJoined >= since || isUnknown) active.add(user.id);
  }
  for (const [, { userId }] of tx.queues.range({})) active.add(userId);
  // Presences are read newest first; a user who becomes invisible is stored with a slightly earlier
  // time.
  for (const [, { userId, connectedAt }] of tx.presences.range({ isReverse: true })) {
    if (connectedAt < since - 2 * PRESENCE_OFFLINE_SECONDS) break;
    if (connectedAt >= since) active.add(userId);
  }
  return active;
}
