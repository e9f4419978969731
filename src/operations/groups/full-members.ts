import type { RealmTransaction } from '../../../storage/transaction.ts';
import { ascending } from '../../domain/ascending.ts';
import { FULL_MEMBERS_PER_STEP } from '../../domain/limits/groups.ts';
import { Role } from '../../domain/wire/roles.ts';
import { systemGroupId } from '../../domain/wire/system-groups.ts';
import { accounts, type Reads } from '../access/groups.ts';
import * as visibility from '../channels/visibility.ts';
import { endAt, isWaiting } from '../users/waiting-period.ts';

/** Returns when (UNIX milliseconds) the next account has waited long enough. */
export function nextAt(reads: Reads): number | undefined {
  for (const [dateJoined] of reads.waitingMembers.keys({ limit: 1 }))
    return endAt(reads, dateJoined);
  return undefined;
}

/**
 * Makes the members of the next step, who have waited long enough, full members, and announces it.
 */
export function promote(tx: RealmTransaction) {
  const full = due(tx);
  const before = visibility.snapshot(tx, concerned(tx, full));
  move(tx, { full, waiting: [] });
  visibility.announce(tx, before);
}

/**
 * Does the same without the visibility of channels, so that a bug there does not hold up all
 * members who wait after them.
 */
export const promoteBlindly = (tx: RealmTransaction) => move(tx, { full: due(tx), waiting: [] });

/** Applies a changed waiting period to all members. */
export function settle(tx: RealmTransaction) {
  const full = due(tx, Number.POSITIVE_INFINITY);
  const waiting = Array.from(
    accounts(tx),
    ({ dateJoined, id }): WaitingMember => [dateJoined, id],
  ).filter((key) => isWaiting(tx, key[0]) && !tx.waitingMembers.has(key));
  const before = visibility.snapshot(tx, concerned(tx, [...full, ...waiting]));
  move(tx, { full, waiting });
  visibility.announce(tx, before);
  const next = nextAt(tx);
  if (next !== undefined) tx.wakeAt(next);
}

type WaitingMember = [dateJoined: number, userId: number];

function due(tx: RealmTransaction, countMax = FULL_MEMBERS_PER_STEP): WaitingMember[] {
  const keys: WaitingMember[] = [];
  for (const key of tx.waitingMembers.keys({})) {
    if (keys.length >= countMax || isWaiting(tx, key[0])) break;
    keys.push(key);
  }
  return keys;
}

interface Moved {
  readonly full: readonly WaitingMember[];
  readonly waiting: readonly WaitingMember[];
}

function move(tx: RealmTransaction, { full, waiting }: Moved) {
  for (const key of full) tx.waitingMembers.remove(key);
  for (const key of waiting) tx.waitingMembers.put(key, {});
  announceMove(tx, full, { from: MEMBERS, to: FULL_MEMBERS });
  announceMove(tx, waiting, { from: FULL_MEMBERS, to: MEMBERS });
}

const MEMBERS = systemGroupId('role:members');
const FULL_MEMBERS = systemGroupId('role:fullmembers');

/**
 * Announces the change so that they are in both groups between the two events, and never have fewer
 * rights than before and after.
 */
function announceMove(
  tx: RealmTransaction,
  keys: readonly WaitingMember[],
  { from, to }: { from: number; to: number },
) {
  const user_ids = activeMembers(tx, keys);
  if (user_ids.length === 0) return;
  const audience = { everyone: true } as const;
  tx.emit({ event: { type: 'user_group', op: 'add_members', group_id: to, user_ids }, audience });
  tx.emit({
    event: { type: 'user_group', op: 'remove_members', group_id: from, user_ids },
    audience,
  });
}

function concerned(tx: Reads, keys: readonly WaitingMember[]) {
  const userIds = activeMembers(tx, keys);
  const channelIds =
    userIds.length === 0 ? [] : visibility.channelsThroughSystemGroup(tx, FULL_MEMBERS);
  return { userIds, channelIds };
}

/** Returns the active members; other roles do not depend on the age of an account. */
const activeMembers = (tx: Reads, keys: readonly WaitingMember[]): number[] =>
  keys
    .map(([, id]) => tx.users.get([id]))
    .filter((user) => user !== undefined)
    .filter(({ role, isActive }) => role === Role.member && isActive)
    .map(({ id }) => id)
    .sort(ascending);
