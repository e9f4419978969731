import type { UserRow } from '../../../storage/tables/people/users.ts';
import { isSpectator } from '../../domain/rules/people/spectators.ts';
import type { Audience } from '../../domain/wire/events/log-entry.ts';
import { isGuest, Role } from '../../domain/wire/roles.ts';
import { systemGroupId } from '../../domain/wire/system-groups.ts';
import { may, type Reads, realmSetting } from './groups.ts';

/** Whether this viewer may know of an account; prepared once for any number of them. */
export type Sees = (user: UserRow) => boolean;

/**
 * Everyone is seen by everyone, unless the organization hides from its guests those with whom they share neither a
 * channel nor a conversation (reference/events-and-register.md, introduction: "Can access X").
 */
export function sightOf(tx: Reads, viewer: UserRow): Sees {
  // Who is not logged in is shown all names, and nothing else of them (5.8).
  if (isSpectator(viewer)) return () => true;
  const isRestricted = isGuest(viewer.role) && !may(tx, viewer, 'can_access_all_users_group');
  if (!isRestricted) return () => true;
  const known = acquaintances(tx, viewer.id);
  return ({ id, botOwnerId, isSystem }) =>
    isSystem || id === viewer.id || botOwnerId === viewer.id || known.has(id);
}

/** Everyone who may know of an account: those who are told what becomes of it. */
export const whoSees = (tx: Reads, user: UserRow): Audience =>
  isEveryoneSeen(tx) ? { everyone: true } : { nonGuests: true, users: guestsWhoSee(tx, user) };

/** All others, which are guests: where everyone is seen there are none, and this is not asked. */
export const whoDoesNotSee = (tx: Reads, user: UserRow): Audience => ({
  roles: { above: Role.member, upTo: Role.guest },
  except: guestsWhoSee(tx, user),
});

/** Of these roles, those who may know of an account. */
export function whoOfRolesSees(
  tx: Reads,
  user: UserRow,
  { above, upTo }: NonNullable<Audience['roles']>,
): Audience {
  if (upTo < Role.guest || isEveryoneSeen(tx)) return { roles: { above, upTo } };
  return { roles: { above, upTo: Role.member }, users: guestsWhoSee(tx, user) };
}

/** Where guests do not see everybody; the account itself and the owner of a bot see it whatever their role. */
function guestsWhoSee(tx: Reads, { id: userId, botOwnerId }: UserRow): number[] {
  const known = [...acquaintances(tx, userId)].filter((id) => isGuestAccount(tx, id));
  return [...new Set([...known, userId, ...(botOwnerId === null ? [] : [botOwnerId])])];
}

/** Whether guests see as much as all others. */
export const isEveryoneSeen = (tx: Reads): boolean =>
  realmSetting(tx, 'can_access_all_users_group') === EVERYONE;

const EVERYONE = systemGroupId('role:everyone');

const isGuestAccount = (tx: Reads, userId: number) => {
  const role = tx.users.get([userId])?.role;
  return role !== undefined && isGuest(role);
};

/** Everybody with whom a user shares a channel or a conversation. */
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

/** Those who do not want to hear a user; mostly nobody. */
export function mutersOf(tx: Reads, userId: number): readonly number[] {
  const ids: number[] = [];
  for (const [, muterId] of tx.muters.keysUnder([userId])) ids.push(muterId);
  return ids;
}
