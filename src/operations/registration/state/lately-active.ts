import {
  PRESENCE_HISTORY_DAYS,
  PRESENCE_OFFLINE_SECONDS,
} from '../../../domain/rules/people/presence.ts';
import { isPresenceEnabled } from '../../../domain/rules/people/users.ts';
import { realmSetting } from '../../access/groups.ts';
import type { View } from './view.ts';

/**
 * Who has to be in a shortened list of subscribers: "bots and users active in the last 14 days" (specification, POST
 * /register). Active is whoever reported presence, has an event queue, or is new. Of those who hide their presence nothing
 * is known, so they are in it, too. Everybody is where the organization keeps no presence.
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
  // The newest first; who becomes invisible is stored as heard of a little earlier than that.
  for (const [, { userId, connectedAt }] of tx.presences.range({ isReverse: true })) {
    if (connectedAt < since - 2 * PRESENCE_OFFLINE_SECONDS) break;
    if (connectedAt >= since) active.add(userId);
  }
  return active;
}
