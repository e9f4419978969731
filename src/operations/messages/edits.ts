import { createHash } from 'node:crypto';
import type { MessageEditRow } from '../../../storage/tables/messages/edits.ts';
import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { EDIT_GRACE_SECONDS } from '../../domain/limits/messages.ts';
import { normalizeContent } from '../../domain/rules/messages/topic.ts';
import * as errors from '../../domain/wire/errors.ts';
import { FlagBit } from '../../domain/wire/flags.ts';
import { isMeMessage, type RenderedContent, renderMarkdown } from '../../markdown/markdown.ts';
import type { Caller } from '../access/caller.ts';
import { realmSetting } from '../access/groups.ts';
import * as contentIndex from '../indexes/content-index.ts';
import { ownBitsOf, ownHolders } from '../indexes/flag-reads.ts';
import { forgetWildcard, noteWildcard, received } from '../indexes/message-access.ts';
import { bitsByUser, setFlags, splitMentionSets } from '../indexes/message-flags.ts';
import * as pushes from '../posting/pushes.ts';
import {
  acceptableContent,
  refuseGroupMentions,
  refuseWildcards,
} from '../posting/sending-rules.ts';
import { messageDirectory } from '../rendering/mention-directory.ts';
import * as searchIndex from '../search/index.ts';

/** The content that an empty edit leaves in a message (reference/endpoints.md 1.3). */
const DELETED = '(deleted)';

/**
 * Refuses an edit by others than the sender, or after the time limit (specification, "PATCH
 * /messages/{message_id}").
 */
export function refuseEditing(tx: RealmTransaction, user: UserRow, row: MessageRow) {
  if (!realmSetting(tx, 'allow_message_editing')) {
    throw errors.badRequest('Your organization has turned off message editing');
  }
  if (row.senderId !== user.id) {
    throw errors.badRequest("You don't have permission to edit this message");
  }
  const limit = realmSetting(tx, 'message_content_edit_limit_seconds');
  if (isTooOld(tx, row, limit)) {
    throw errors.badRequest('The time limit for editing this message has passed');
  }
}

export const isTooOld = (tx: RealmTransaction, row: MessageRow, limitSeconds: number | null) =>
  limitSeconds !== null && tx.now > (row.sentAt + limitSeconds + EDIT_GRACE_SECONDS) * 1000;

/** Refuses an edit of content that has changed since the client saw it. */
export function refuseMismatch(row: MessageRow, sha256: string | undefined) {
  if (sha256 === undefined) return;
  if (createHash('sha256').update(row.content, 'utf8').digest('hex') !== sha256) {
    throw errors.expectationMismatch();
  }
}

export interface NewContent {
  readonly content: string;
  readonly rendered: RenderedContent;
}

/** Returns the content as it is stored, and refuses content that no message may have. */
export function acceptable(
  tx: RealmTransaction,
  { user, site }: Caller,
  { row, text }: { row: MessageRow; text: string },
): NewContent {
  const content = normalizeContent(text) === '' ? DELETED : acceptableContent(text);
  const rendered = renderMarkdown(content, messageDirectory(tx, user, site));
  const channel = row.channelId === null ? undefined : tx.channels.get([row.channelId]);
  if (channel !== undefined) {
    refuseWildcards(tx, user, { destination: { channel, topic: row.topic }, rendered });
  }
  refuseGroupMentions(tx, user, rendered);
  return { content, rendered };
}

/** Writes the new content, and updates the flags of users who are or were mentioned. */
export function writeContent(
  tx: RealmTransaction,
  { user, site }: Caller,
  { row, content, rendered }: NewContent & { row: MessageRow },
): MessageRow {
  forgetWildcard(tx, row);
  const edited: MessageRow = {
    ...row,
    content,
    renderedContent: rendered.html,
    hasChannelWildcard: rendered.hasChannelWildcard,
    lastEditedAt: Math.floor(tx.now / 1000),
  };
  noteWildcard(tx, edited);
  const mentioned = writeMentions(tx, row, rendered);
  contentIndex.noteChange(tx, row, edited);
  searchIndex.noteChange(tx, row, edited);
  tx.messages.put([row.id], edited);
  const isForAll = rendered.hasChannelWildcard && !row.hasChannelWildcard;
  pushes.post(tx, site.settings, {
    id: row.id,
    rendered,
    ...(isForAll ? {} : { userIds: mentioned }),
  });
  const before = { content: row.content, renderedContent: row.renderedContent };
  return noteEdit(tx, edited, { userId: user.id, before, after: {} });
}

/**
 * Adds to the edit history of a message. One request makes one entry, also if it changes both
 * content and topic.
 */
export function noteEdit(
  tx: RealmTransaction,
  row: MessageRow,
  { userId, before, after }: Omit<MessageEditRow, 'at'>,
): MessageRow {
  // Each request sends an event, so no earlier request had the id of the next event.
  const key = [row.id, tx.head() + 1] as [number, number];
  const begun = tx.messageEdits.get(key);
  tx.messageEdits.put(key, {
    userId,
    at: Math.floor(tx.now / 1000),
    before: { ...begun?.before, ...before },
    after: { ...begun?.after, ...after },
  });
  if (row.hasEdits) return row;
  const noted = { ...row, hasEdits: true };
  tx.messages.put([row.id], noted);
  return noted;
}

/** Returns the fields of an `update_message` event about a change of the content. */
export const contentFields = (before: MessageRow, after: MessageRow) => ({
  orig_content: before.content,
  orig_rendered_content: before.renderedContent,
  content: after.content,
  rendered_content: after.renderedContent,
  is_me_message: isMeMessage(after.content),
});

/**
 * Sets the flags that follow from the new content for all who received the message. Returns the
 * users whom it mentions newly.
 */
function writeMentions(
  tx: RealmTransaction,
  row: MessageRow,
  rendered: RenderedContent,
): readonly number[] {
  const mentioned: number[] = [];
  const receives = (userId: number) => received(tx, userId, row);
  const bits = bitsByUser(tx, { row, rendered, receives, readBy: [] });
  splitMentionSets(tx, row.id);
  for (const userId of new Set([...ownHolders(tx, row.id), ...bits.keys()])) {
    const before = ownBitsOf(tx, userId, row.id);
    const after = bits.get(userId) ?? 0;
    setFlags(tx, userId, row.id, (before & ~OF_CONTENT) | after);
    if ((after & ~before & MENTION) !== 0) mentioned.push(userId);
  }
  return mentioned;
}

const MENTION = FlagBit.mentioned | FlagBit.topic_wildcard_mentioned;

const OF_CONTENT = FlagBit.mentioned | FlagBit.topic_wildcard_mentioned | FlagBit.has_alert_word;
