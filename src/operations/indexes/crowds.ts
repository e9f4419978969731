import type { RealmTransaction } from '../../../storage/transaction.ts';
import type { Reads } from '../access/groups.ts';

/**
 * Crowds (docs/decisions/0105): those whom the mention of a user group reached in a channel, kept once for all messages that
 * mention the same people by it. A message that mentions a group of 1,000 takes two rows, and none for each of them. What
 * else is said of one of them and a message is in `message_flags`, beside it.
 */

/** These are whom a new message mentions by groups: each crowd is known from before, or is a new one. */
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

/** The people of each crowd that a message mentions, ascending. */
export const peopleOf = (tx: Reads, messageId: number): (readonly number[])[] =>
  (tx.messageCrowds.get([messageId])?.crowdIds ?? []).map((id) => rowOf(tx, id).userIds);

/** Whether a message mentions a user by one of them. */
export const isMentioned = (tx: Reads, userId: number, messageId: number): boolean =>
  tx.messageCrowds.get([messageId])?.crowdIds.some((id) => tx.userCrowds.has([userId, id])) ===
  true;

/** The crowds that a user is in. */
export const ofUser = (tx: Reads, userId: number): number[] =>
  Array.from(tx.userCrowds.keysUnder([userId]), ([, crowdId]) => crowdId);

/** The message mentions none of them any more. */
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
