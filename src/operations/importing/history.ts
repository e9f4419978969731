import type { MessageEditRow } from '../../../storage/tables/messages/edits.ts';
import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { FlagBit } from '../../domain/wire/flags.ts';
import * as attachmentLinks from '../files/attachment-links.ts';
import { setFlags } from '../indexes/message-flags.ts';
import * as thumbnails from '../messages/thumbnails.ts';
import * as conversations from '../posting/conversations.ts';
import * as messages from '../posting/messages.ts';
import { attachWidget } from '../posting/submessages.ts';
import type { ReactionType } from '../rendering/emoji.ts';
import { idOf, quiet, remember } from './imported-ids.ts';
import type { Importing } from './people.ts';
import type { TopicTally } from './topic-tally.ts';

/** A message of a history, which was rendered elsewhere. All ids but its own are those here. */
export interface PastMessage {
  /** The id of the source. */
  readonly id: string;
  readonly senderId: number;
  readonly to:
    | { readonly channelId: number; readonly topic: string }
    | { readonly userIds: readonly number[] };
  /** UNIX seconds. */
  readonly sentAt: number;
  readonly editedAt: number | null;
  readonly movedAt: number | null;
  /** The oldest first. */
  readonly changes: readonly PastChange[];
  readonly content: string;
  readonly html: string;
  readonly mentionedUserIds: readonly number[];
  readonly reactions: readonly PastReaction[];
  readonly starredBy: readonly number[];
  /** The users who have not read it; all others have. */
  readonly unreadBy: readonly number[];
  /** Subscribers who have not read the channel as far as this: their subscription will say so. */
  readonly notReadBy: readonly number[];
  /** Its sender, if they have not read the channel as far as this: they know it all the same. */
  readonly readBy: readonly number[];
}

/** A row of the edit history; its texts were rendered elsewhere. */
export interface PastChange {
  readonly userId: number;
  /** UNIX seconds. */
  readonly at: number;
  readonly before: Optional<MessageEditRow['before']>;
  readonly after: Optional<MessageEditRow['after']>;
}

type Optional<Fields> = { readonly [Key in keyof Fields]?: Fields[Key] | undefined };

export interface PastReaction {
  readonly name: string;
  readonly code: string;
  readonly type: ReactionType;
  readonly userIds: readonly number[];
}

const NO_WILDCARD = {
  mentionedGroupIds: [],
  wildcard: null,
  hasChannelWildcard: false,
  hasTopicWildcard: false,
  pagesToUnfurl: [],
} as const;

/** An operation that writes messages; its caller writes the tally before it ends. */
export interface ImportingMessages extends Importing {
  readonly tally: TopicTally;
}

/** Writes a message where it belongs, as read and announced to nobody. */
export function enterMessage(
  tx: RealmTransaction,
  of: ImportingMessages,
  past: PastMessage,
): 'added' | 'known' | 'lost' {
  if (idOf(tx, of.source, 'message', past.id) !== undefined) return 'known';
  const user = tx.users.get([past.senderId]);
  const destination = destinationOf(tx, past);
  if (user === undefined || destination === undefined) return 'lost';
  const { content, mentionedUserIds } = past;
  const html = thumbnails.shownNow(tx, past.html);
  const caller = { user, site: of.site, client: of.format };
  const row = messages.writeUncounted(quiet(tx), caller, {
    destination,
    content,
    rendered: { html, mentionedUserIds, ...NO_WILDCARD },
    sentAt: past.sentAt,
    lastEditedAt: past.editedAt,
    hasReactions: past.reactions.length > 0,
    isQuiet: false,
  });
  remember(tx, of.source, 'message', { from: past.id, to: row.id });
  of.tally.addMessage(row);
  flag(tx, past, {
    id: row.id,
    read: row.channelId === null ? conversations.readAtOnce(tx, row.recipientId, row.id) : [],
  });
  const changed = noteChanges(tx, row, past);
  attachWidget(tx, changed, undefined);
  let order = 0;
  for (const { name, code, type, userIds } of past.reactions) {
    for (const userId of new Set(userIds)) {
      tx.reactions.put([row.id, type, code, userId], { emojiName: name, eventId: order });
      of.tally.addReaction(row, userId);
      order += 1;
    }
  }
  attachmentLinks.claim(quiet(tx), caller, row);
  return 'added';
}

/** Writes the edit history; numbers of later changes are those of events, and so above zero. */
function noteChanges(tx: RealmTransaction, row: MessageRow, { changes, movedAt }: PastMessage) {
  for (const [index, change] of changes.entries()) {
    // It was sent as JSON, which has no fields that are undefined.
    const stored = change as MessageEditRow;
    tx.messageEdits.put([row.id, index - changes.length], stored);
  }
  if (changes.length === 0 && movedAt === null) return row;
  const changed = { ...row, lastMovedAt: movedAt, hasEdits: true };
  tx.messages.put([row.id], changed);
  return changed;
}

function destinationOf(tx: RealmTransaction, { to, senderId }: PastMessage) {
  if ('channelId' in to) {
    const channel = tx.channels.get([to.channelId]);
    return channel === undefined ? undefined : { channel, topic: to.topic };
  }
  const people: UserRow[] = [];
  for (const id of new Set(to.userIds)) {
    const user = tx.users.get([id]);
    if (user === undefined) return undefined;
    if (id !== senderId) people.push(user);
  }
  return { people };
}

function flag(
  tx: RealmTransaction,
  { mentionedUserIds, starredBy, unreadBy, notReadBy, readBy }: PastMessage,
  { id, read }: { readonly id: number; readonly read: readonly number[] },
) {
  const bits = new Map<number, number>();
  const add = (userIds: readonly number[], bit: number) => {
    for (const userId of userIds) bits.set(userId, (bits.get(userId) ?? 0) | bit);
  };
  add(mentionedUserIds, FlagBit.mentioned | FlagBit.read);
  add(starredBy, FlagBit.starred | FlagBit.read);
  add([...read, ...readBy], FlagBit.read);
  for (const userId of notReadBy) {
    const own = bits.get(userId);
    if (own !== undefined) bits.set(userId, own & ~FlagBit.read);
  }
  for (const userId of unreadBy) {
    bits.set(userId, ((bits.get(userId) ?? 0) & ~FlagBit.read) | FlagBit.unread);
  }
  for (const [userId, own] of bits) setFlags(tx, userId, id, own);
}
