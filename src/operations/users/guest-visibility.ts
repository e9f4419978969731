import type { RealmTransaction } from '../../../storage/transaction.ts';
import { isGuest } from '../../domain/wire/roles.ts';
import type { Site } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import { acquaintances, isEveryoneSeen } from '../access/user-visibility.ts';
import { oneByOne } from './profile-values.ts';
import * as userStatuses from './statuses.ts';
import { announceHiddenUser, personAdded } from './users.ts';

/** The users whom each of some guests could see at one moment; empty if guests see all users. */
export type GuestVisibility = ReadonlyMap<number, ReadonlySet<number>>;

interface Concerned {
  readonly userIds: readonly number[];
  /** The channels whose subscribers begin or cease to see these users. */
  readonly channelIds: readonly number[];
}

/**
 * Takes a snapshot before these users join or leave these channels, or begin a conversation;
 * `announce` follows it.
 */
export function snapshot(tx: Reads, { userIds, channelIds }: Concerned): GuestVisibility {
  const known = new Map<number, ReadonlySet<number>>();
  if (isEveryoneSeen(tx)) return known;
  const concerned = new Set(userIds);
  for (const channelId of channelIds) {
    for (const [[, userId], { isActive }] of tx.subscriptions.under([channelId])) {
      if (isActive) concerned.add(userId);
    }
  }
  for (const id of concerned) {
    const user = tx.users.get([id]);
    if (user?.isActive && isGuest(user.role)) known.set(id, acquaintances(tx, id));
  }
  return known;
}

/**
 * Tells each guest the accounts that they may see since then, or may not any more (reference, 4.3).
 */
export function announce(tx: RealmTransaction, site: Site, before: GuestVisibility) {
  const gained = new Map<number, number[]>();
  const lost = new Map<number, number[]>();
  for (const [guestId, knew] of before) {
    const knows = acquaintances(tx, guestId);
    note(
      gained,
      guestId,
      [...knows].filter((id) => !knew.has(id)),
    );
    note(
      lost,
      guestId,
      [...knew].filter((id) => !knows.has(id)),
    );
  }
  for (const [userId, guests] of gained) announceGained(tx, site, { userId, guests });
  for (const [userId, guests] of lost) announceLost(tx, site, { userId, guests });

  // Guests always see themselves and their own bots.
  function note(changes: Map<number, number[]>, guestId: number, ids: readonly number[]) {
    for (const id of ids) {
      const user = tx.users.get([id]);
      if (user === undefined || user.isSystem) continue;
      if (id === guestId || user.botOwnerId === guestId) continue;
      changes.set(id, [...(changes.get(id) ?? []), guestId]);
    }
  }
}

interface Change {
  readonly userId: number;
  readonly guests: readonly number[];
}

function announceGained(tx: RealmTransaction, site: Site, { userId, guests: users }: Change) {
  const user = tx.users.get([userId]);
  if (user === undefined) return;
  const person = personAdded(user, site, oneByOne(tx));
  tx.emit({ event: { type: 'realm_user', op: 'add', person }, audience: { users } });
  if (user.isActive) userStatuses.announceWhole(tx, user, { site, audience: { users } });
}

/**
 * Announces the loss of a user; clients that need every id get a placeholder, as in a new snapshot.
 */
function announceLost(tx: RealmTransaction, site: Site, { userId, guests: users }: Change) {
  const person = { user_id: userId, full_name: 'Unknown user' };
  tx.emit({ event: { type: 'realm_user', op: 'remove', person }, audience: { users } });
  announceHiddenUser(tx, userId, { site, audience: { users } });
}
