import type { RealmTransaction } from '../../../storage/transaction.ts';
import type { Reads } from '../access/groups.ts';

/**
 * Stores the mention sets, or crowds (docs/decisions/0105): the users whom the mention of a group
 * reached in a channel, stored once for all messages that mention the same users by it. A message
 * that mentions a group of 1,000 takes two rows, and none for each user. Other flags of one of them
 * are in `message_flags`.
 */

/**
 * Stores the users whom a new message mentions by groups; each set is found among the existing
 * ones, or added.
 */
export function mention(tx: RealmTransaction, messageId: number, mentions: readonly Mention[]) {
  if (mentions.length === 0) return;
  const crowdIds = mentions.map((each) => known(tx, each) ?? establish(tx, each));
  tx.messageCrowds.put([messageId], { crowdIds });
  for (const crowdId of crowdIds) tx.crowdMessages.put([crowdId, messageId], {});
}

export interface Mention {
  readonly groupId: number;
  readonly channelId: number;
  /** Ascending. */
  readonly userIds: readonly number[];
}

/** Returns the users of each mention set of a message, ascending. */
export const peopleOf = (tx: Reads, messageId: number): (readonly number[])[] =>
  (tx.messageCrowds.get([messageId])?.crowdIds ?? []).map((id) => rowOf(tx, id).userIds);

/** Tests whether a message mentions a user by one of its sets. */
export const isMentioned = (tx: Reads, userId: number, messageId: number): boolean =>
  tx.messageCrowds.get([messageId])?.crowdIds.some((id) => tx.userCrowds.has([userId, id])) ===
  true;

/** Returns the mention sets that include a user. */
export const ofUser = (tx: Reads, userId: number): number[] =>
  Array.from(tx.userCrowds.keysUnder([userId]), ([, crowdId]) => crowdId);

/** Removes the mention sets of a message. */
export function forget(tx: RealmTransaction, messageId: number) {
  const crowdIds = tx.messageCrowds.get([messageId])?.crowdIds ?? [];
  if (crowdIds.length > 0) tx.messageCrowds.remove([messageId]);
  for (const crowdId of crowdIds) {
    tx.crowdMessages.remove([crowdId, messageId]);
    if (isWithoutMessages(tx, crowdId)) disband(tx, crowdId);
  }
}

function known(tx: RealmTransaction, { groupId, channelId, userIds }: Mention): number | undefined {
  const crowdId = tx.groupCrowds.get([groupId, channelId])?.crowdId;
  if (crowdId === undefined) return undefined;
  const before = rowOf(tx, crowdId).userIds;
  const isSame = before.length === userIds.length && before.every((id, at) => id === userIds[at]);
  return isSame ? crowdId : undefined;
}

function establish(tx: RealmTransaction, { groupId, channelId, userIds }: Mention): number {
  const crowdId = tx.nextId('crowd');
  tx.crowds.put([crowdId], { groupId, channelId, userIds });
  tx.groupCrowds.put([groupId, channelId], { crowdId });
  for (const userId of userIds) tx.userCrowds.put([userId, crowdId], {});
  return crowdId;
}

function isWithoutMessages(tx: Reads, crowdId: number): boolean {
  for (const _ of tx.crowdMessages.keysUnder([crowdId], { limit: 1 })) return false;
  return true;
}

function disband(tx: RealmTransaction, crowdId: number) {
  const { groupId, channelId, userIds } = rowOf(tx, crowdId);
  for (const userId of userIds) tx.userCrowds.remove([userId, crowdId]);
  if (tx.groupCrowds.get([groupId, channelId])?.crowdId === crowdId) {
    tx.groupCrowds.remove([groupId, channelId]);
  }
  tx.crowds.remove([crowdId]);
}

function rowOf(tx: Reads, crowdId: number) {
  const row = tx.crowds.get([crowdId]);
  if (row === undefined) throw new Error(`there is no crowd ${crowdId}`);
  return row;
}
