import type { AttachmentRow } from '../../../storage/tables/messages/attachments.ts';
import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import { type Intervals, lastOf } from '../../domain/rules/messages/read-state.ts';
import type { Reads } from '../access/groups.ts';
import { readableIn } from '../indexes/message-access.ts';

export interface Found {
  readonly id: number;
  readonly row: AttachmentRow;
}

/**
 * Tests for "owner, or a user who can see a message linking the file" (reference/endpoints.md 2.3).
 */
export function isReadable(reads: Reads, user: UserRow, { id, row }: Found): boolean {
  if (row.ownerId === user.id) return true;
  for (const linking of linkingMessages(reads, id)) {
    if (isLinkReadable(reads, user, linking)) return true;
  }
  return false;
}

/** A message that links a file, and the channel or conversation it is in. */
interface LinkingMessage {
  readonly attachmentId: number;
  readonly recipientId: number;
  readonly messageId: number;
}

/** Yields each channel and conversation that has messages with the file, with the first of them. */
function* linkingMessages(reads: Reads, attachmentId: number): Iterable<LinkingMessage> {
  const end = [attachmentId + 1];
  for (let next = 0; ; ) {
    const start = [attachmentId, next];
    const [first] = reads.attachmentPlaces.keys({ start, end, limit: 1 });
    if (first === undefined) return;
    const [, recipientId, , messageId] = first;
    yield { attachmentId, recipientId, messageId };
    next = recipientId + 1;
  }
}

function isLinkReadable(reads: Reads, user: UserRow, linking: LinkingMessage): boolean {
  if (reads.userConversations.has([user.id, linking.recipientId])) return true;
  const channelId = reads.messages.get([linking.messageId])?.channelId ?? null;
  const channel = channelId === null ? undefined : reads.channels.get([channelId]);
  if (channel === undefined) return false;
  const subscription = reads.subscriptions.get([channel.id, user.id]);
  return hasAnyOf(reads, linking, readableIn(reads, user, { channel, subscription }));
}

function hasAnyOf(
  reads: Reads,
  { attachmentId, recipientId }: LinkingMessage,
  readable: Intervals,
) {
  for (let index = 0; index < readable.length; index += 2) {
    const last = Math.min(lastOf(readable, index), Number.MAX_SAFE_INTEGER - 1);
    const start = [attachmentId, recipientId, readable[index] ?? 0];
    const end = [attachmentId, recipientId, last + 1];
    for (const _ of reads.attachmentPlaces.keys({ start, end, limit: 1 })) return true;
  }
  return false;
}

/** Returns the key of a message among those that link a file. */
export const placeKey = (
  attachmentId: number,
  { id, recipientId, arrivedAt }: Pick<MessageRow, 'id' | 'recipientId' | 'arrivedAt'>,
): [number, number, number, number] => [attachmentId, recipientId, arrivedAt ?? id, id];
