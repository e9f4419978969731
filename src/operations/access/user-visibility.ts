import type { UserRow } from '../../../storage/tables/people/users.ts';
import { isSpectator } from '../../domain/rules/people/spectators.ts';
import type { Audience } from '../../domain/wire/events/log-entry.ts';
import { isGuest, Role } from '../../domain/wire/roles.ts';
import { systemGroupId } from '../../domain/wire/system-groups.ts';
import { may, type Reads, realmSetting } from './groups.ts';

/** Tests whether this viewer may know of an account; it is prepared once for many. */
export type Sees = (user: UserRow) => boolean;

/**
 * Returns the test for a viewer. All users see each other, unless the organization hides users from
 * guests who share neither a channel nor a conversation with them
 * (reference/events-and-register.md, introduction: "Can access X").
 */
export function visibilityTo(tx: Reads, viewer: UserRow): Sees {
  // Spectators see all names, and nothing else of users (5.8).
  if (isSpectator(viewer)) return () => true;
  const isRestricted = isGuest(viewer.role) && !may(tx, viewer, 'can_access_all_users_group');
  if (!isRestricted) return () => true;
  const known = acquaintances(tx, viewer.id);
  return ({ id, botOwnerId, isSystem }) =>
    isSystem || id === viewer.id || botOwnerId === viewer.id || known.has(id);
}

/** Returns all users who may know of an account, as the audience of its changes. */
export const whoSees = (tx: Reads, user: UserRow): Audience =>
  isEveryoneSeen(tx) ? { everyone: true } : { nonGuests: true, users: guestsWhoSee(tx, user) };

/** Returns all other users, who are guests; it is not called if all users are visible. */
export const whoDoesNotSee = (tx: Reads, user: UserRow): Audience => ({
  roles: { above: Role.member, upTo: Role.guest },
  except: guestsWhoSee(tx, user),
});

/** Returns the users of these roles who may know of an account. */
export function whoOfRolesSees(
  tx: Reads,
  user: UserRow,
  { above, upTo }: NonNullable<Audience['roles']>,
): Audience {
  if (upTo < Role.guest || isEveryoneSeen(tx)) return { roles: { above, upTo } };
  return { roles: { above, upTo: Role.member }, users: guestsWhoSee(tx, user) };
}

/**
 * Returns the guests who see an account while guests do not see all; the account itself and the
 * owner of a bot always do.
 */
function guestsWhoSee(tx: Reads, { id: userId, botOwnerId }: UserRow): number[] {
  const known = [...acquaintances(tx, userId)].filter((id) => isGuestAccount(tx, id));
  return [...new Set([...known, userId, ...(botOwnerId === null ? [] : [botOwnerId])])];
}

/** Tests whether guests see all users. */
export const isEveryoneSeen = (tx: Reads): boolean =>
  realmSetting(tx, 'can_access_all_users_group') === EVERYONE;

const EVERYONE = systemGroupId('role:everyone');

const isGuestAccount = (tx: Reads, userId: number) => {
  const role = tx.users.get([userId])?.role;
  return role !== undefined && isGuest(role);
};

/** Returns the users with whom a user shares a channel or a conversation. */
export function acquaintances(tx: Reads, userId: number): ReadonlySet<number> {
  const known = new Set<number>();
  for (const [[, channelId], { isActive }] of tx.userChannels.under([userId])) {
    if (!isActive) continue;
    for (const [[, peerId], subscription] of tx.subscriptions.under([channelId])) {
      if (subscription.isActive) known.add(peerId);
    }
  }
  for (const [, recipientId] of tx.userConversations.keysUnder([userId])) {
    for (const id of tx.conversations.get([recipientId])?.userIds ?? []) known.add(id);
  }
  return known;
}

/** Returns the users who have muted a user; mostly none. */
export function mutersOf(tx: Reads, userId: number): readonly number[] {
  const ids: number[] = [];
  for (const [, muterId] of tx.muters.keysUnder([userId])) ids.push(muterId);
  return ids;
}
