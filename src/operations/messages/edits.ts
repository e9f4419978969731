import { createHash } from 'node:crypto';
import type { MessageEditRow } from '../../../storage/tables/messages/edits.ts';
import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { EDIT_GRACE_SECONDS } from '../../domain/limits.ts';
import { normalizeContent } from '../../domain/rules/messages/topic.ts';
import * as errors from '../../domain/wire/errors.ts';
import { FlagBit } from '../../domain/wire/flags.ts';
import { isMeMessage, type RenderedContent, renderMarkdown } from '../../markdown/markdown.ts';
import type { Caller } from '../access/caller.ts';
import { realmSetting } from '../access/groups.ts';
import { ownBitsOf, ownHolders } from '../indexes/flag-reads.ts';
import * as heldContents from '../indexes/held-contents.ts';
import { forgetWildcard, noteWildcard, received } from '../indexes/message-access.ts';
import { bearAlone, bitsByUser, setFlags } from '../indexes/message-flags.ts';
import * as pushes from '../posting/pushes.ts';
import {
  acceptableContent,
  refuseGroupMentions,
  refuseWildcards,
} from '../posting/sending-rules.ts';
import { messageDirectory } from '../rendering/mention-directory.ts';
import * as searchIndex from '../search/index.ts';

/** What an empty edit leaves of a message (reference/endpoints.md 1.3). */
const DELETED = '(deleted)';

/** Editing takes the sender, and has its time (specification, "PATCH /messages/{message_id}"). */
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

/** Guards against an edit of what somebody else has changed meanwhile. */
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

/** The content as it is stored; refuses what no message may say. */
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

/** Writes the new content, and the flags of those who are mentioned now or are not any more. */
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
  heldContents.noteChange(tx, row, edited);
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

/** Adds to the history of a message. What one request changes of it, content and topic, is one entry. */
export function noteEdit(
  tx: RealmTransaction,
  row: MessageRow,
  { userId, before, after }: Omit<MessageEditRow, 'at'>,
): MessageRow {
  // Each request tells of its change, so the number of the next event is one that no earlier request had.
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

/** What an `update_message` event says of an edit of the content. */
export const contentFields = (before: MessageRow, after: MessageRow) => ({
  orig_content: before.content,
  orig_rendered_content: before.renderedContent,
  content: after.content,
  rendered_content: after.renderedContent,
  is_me_message: isMeMessage(after.content),
});

/** Those who received it have the flags that follow from what it says now. Gives those whom it mentions since now. */
function writeMentions(
  tx: RealmTransaction,
  row: MessageRow,
  rendered: RenderedContent,
): readonly number[] {
  const mentioned: number[] = [];
  const receives = (userId: number) => received(tx, userId, row);
  const bits = bitsByUser(tx, { row, rendered, receives, readBy: [] });
  bearAlone(tx, row.id);
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
