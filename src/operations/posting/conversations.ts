import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { inOrder } from '../../domain/ascending.ts';
import { apiEmail } from '../../domain/rules/people/users.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Caller, Site } from '../access/caller.ts';
import { may, type Reads } from '../access/groups.ts';
import { visibilityTo } from '../access/user-visibility.ts';
import { find, membersKey, peopleOf } from '../indexes/direct-conversations.ts';
import * as guestVisibility from '../users/guest-visibility.ts';

/** The resolved destination of a message: the channel exists, the people exist. */
export type Destination =
  | { readonly channel: ChannelRow; readonly topic: string }
  | { readonly people: readonly UserRow[] };

/**
 * Returns the id of the conversation of exactly these people, which is made for its first message.
 */
export function recipientOf(tx: RealmTransaction, people: readonly UserRow[], site: Site): number {
  const userIds = inOrder(people.map((user) => user.id));
  const found = find(tx, userIds);
  if (found !== undefined) return found;
  const known = guestVisibility.snapshot(tx, { userIds, channelIds: [] });
  const recipientId = tx.nextId('recipient');
  tx.conversations.put([recipientId], { userIds });
  tx.conversationMembers.put([membersKey(userIds)], { recipientId });
  for (const userId of userIds) {
    tx.userConversations.put([userId, recipientId], { readThrough: tx.lastId('message') - 1 });
  }
  guestVisibility.announce(tx, site, known);
  return recipientId;
}

/** Writes a direct message into the lists of its conversation and of its people. */
export function enter(
  tx: RealmTransaction,
  { id, recipientId, senderId }: Pick<MessageRow, 'id' | 'recipientId' | 'senderId'>,
) {
  tx.directMessages.put([recipientId, id], { senderId });
  for (const userId of peopleOf(tx, recipientId)) tx.userDirectMessages.put([userId, id], {});
}

/**
 * Has everybody read a message that was just entered, as one of a history. Where earlier messages
 * are unread, only this one is read. Returns the users who need a flag for that.
 */
export function readAtOnce(tx: RealmTransaction, recipientId: number, id: number): number[] {
  const others: number[] = [];
  const [before = 0] = Array.from(
    tx.directMessages.keysUnder([recipientId], { isReverse: true, limit: 2 }),
    ([, messageId]) => messageId,
  ).slice(1);
  for (const userId of peopleOf(tx, recipientId)) {
    const state = tx.userConversations.get([userId, recipientId]);
    if (state === undefined) continue;
    if (state.readThrough < before) others.push(userId);
    else tx.userConversations.put([userId, recipientId], { ...state, readThrough: id });
  }
  return others;
}

/** Removes it from them. */
export function leave(
  tx: RealmTransaction,
  { id, recipientId }: Pick<MessageRow, 'id' | 'recipientId'>,
) {
  tx.directMessages.remove([recipientId, id]);
  for (const userId of peopleOf(tx, recipientId)) tx.userDirectMessages.remove([userId, id]);
}

/** Returns the people of a conversation as messages show them, the sender included. */
export function displayRecipient(tx: Reads, recipientId: number, site: Site) {
  const people = peopleOf(tx, recipientId)
    .map((id) => tx.users.get([id]))
    .filter((user) => user !== undefined);
  return peopleAsShown(people, site);
}

/** Does the same for given people, in any order and perhaps more than once. */
export function peopleAsShown(people: readonly UserRow[], site: Site) {
  const byId = new Map(people.map((user) => [user.id, user]));
  return Array.from(byId.values(), (user) => ({
    id: user.id,
    email: apiEmail(user, site.host),
    full_name: user.fullName,
    is_mirror_dummy: false,
  })).sort((one, other) => one.id - other.id);
}

/**
 * Refuses direct messages that the sender may not write (reference/endpoints.md 1.1: direct-message
 * rule).
 */
export function refuseWriting(
  tx: RealmTransaction,
  { user: sender }: Caller,
  people: readonly UserRow[],
) {
  const sees = visibilityTo(tx, sender);
  if (!people.every(sees)) {
    throw errors.badRequest('You do not have permission to access some of the recipients.');
  }
  for (const { isActive, fullName } of people) {
    if (!isActive) throw errors.badRequest(`'${fullName}' is no longer using this service.`);
  }
  const others = people.filter((user) => user.id !== sender.id);
  if (sender.botType !== null || others.every((user) => user.botType !== null)) return;
  if (![sender, ...others].some((user) => may(tx, user, 'direct_message_permission_group'))) {
    throw errors.badRequest('Direct messages are disabled in this organization.');
  }
  // Mostly all users may; to find earlier messages takes longer.
  if (may(tx, sender, 'direct_message_initiator_group')) return;
  if (!hasMessages(tx, [sender.id, ...others.map((user) => user.id)])) {
    throw errors.badRequest('You do not have permission to initiate direct message conversations.');
  }
}

/** Tests for messages of a conversation, since earlier ones may have been deleted. */
function hasMessages(tx: Reads, userIds: readonly number[]): boolean {
  const recipientId = find(tx, userIds);
  if (recipientId === undefined) return false;
  for (const _ of tx.directMessages.keysUnder([recipientId], { limit: 1 })) return true;
  return false;
}
