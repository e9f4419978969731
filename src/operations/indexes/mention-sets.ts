import type { RealmTransaction } from '../../../storage/transaction.ts';
import type { Reads } from '../access/groups.ts';

/**
 * Stores the mention sets (docs/decisions/0105): the users whom the mention of a group reached in a
 * channel, stored once for all messages that mention the same users by it. A message that mentions
 * a group of 1,000 takes two rows, and none for each user. Other flags of one of them are in
 * `message_flags`.
 */

/**
 * Stores the users whom a new message mentions by groups; each set is found among the existing
 * ones, or added.
 */
export function mention(tx: RealmTransaction, messageId: number, mentions: readonly Mention[]) {
  if (mentions.length === 0) return;
  const setIds = mentions.map((each) => known(tx, each) ?? establish(tx, each));
  tx.messageMentionSets.put([messageId], { crowdIds: setIds });
  for (const setId of setIds) tx.mentionSetMessages.put([setId, messageId], {});
}

export interface Mention {
  readonly groupId: number;
  readonly channelId: number;
  /** Ascending. */
  readonly userIds: readonly number[];
}

/** Returns the users of each mention set of a message, ascending. */
export const peopleOf = (tx: Reads, messageId: number): (readonly number[])[] =>
  (tx.messageMentionSets.get([messageId])?.crowdIds ?? []).map((id) => rowOf(tx, id).userIds);

/** Tests whether a message mentions a user by one of its sets. */
export const isMentioned = (tx: Reads, userId: number, messageId: number): boolean =>
  tx.messageMentionSets
    .get([messageId])
    ?.crowdIds.some((id) => tx.userMentionSets.has([userId, id])) === true;

/** Returns the mention sets that include a user. */
export const ofUser = (tx: Reads, userId: number): number[] =>
  Array.from(tx.userMentionSets.keysUnder([userId]), ([, setId]) => setId);

/** Removes the mention sets of a message. */
export function forget(tx: RealmTransaction, messageId: number) {
  const setIds = tx.messageMentionSets.get([messageId])?.crowdIds ?? [];
  if (setIds.length > 0) tx.messageMentionSets.remove([messageId]);
  for (const setId of setIds) {
    tx.mentionSetMessages.remove([setId, messageId]);
    if (isWithoutMessages(tx, setId)) disband(tx, setId);
  }
}

function known(tx: RealmTransaction, { groupId, channelId, userIds }: Mention): number | undefined {
  const setId = tx.groupMentionSets.get([groupId, channelId])?.crowdId;
  if (setId === undefined) return undefined;
  const before = rowOf(tx, setId).userIds;
  const isSame = before.length === userIds.length && before.every((id, at) => id === userIds[at]);
  return isSame ? setId : undefined;
}

function establish(tx: RealmTransaction, { groupId, channelId, userIds }: Mention): number {
  const setId = tx.nextId('crowd');
  tx.mentionSets.put([setId], { groupId, channelId, userIds });
  tx.groupMentionSets.put([groupId, channelId], { crowdId: setId });
  for (const userId of userIds) tx.userMentionSets.put([userId, setId], {});
  return setId;
}

function isWithoutMessages(tx: Reads, setId: number): boolean {
  for (const _ of tx.mentionSetMessages.keysUnder([setId], { limit: 1 })) return false;
  return true;
}

function disband(tx: RealmTransaction, setId: number) {
  const { groupId, channelId, userIds } = rowOf(tx, setId);
  for (const userId of userIds) tx.userMentionSets.remove([userId, setId]);
  if (tx.groupMentionSets.get([groupId, channelId])?.crowdId === setId) {
    tx.groupMentionSets.remove([groupId, channelId]);
  }
  tx.mentionSets.remove([setId]);
}

function rowOf(tx: Reads, setId: number) {
  const row = tx.mentionSets.get([setId]);
  if (row === undefined) throw new Error(`there is no mention set ${setId}`);
  return row;
}
