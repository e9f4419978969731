import type { ChannelRow } from '../../storage/tables/channels/channels.ts';
import type { ParticipantRow, TopicRow } from '../../storage/tables/channels/topics.ts';
import type { AttachmentHolder } from '../../storage/tables/messages/attachments.ts';
import type { UserRow } from '../../storage/tables/people/users.ts';
import type { RealmReader } from '../../storage/transaction.ts';
import { ARCHIVED_MESSAGE_ID_MAX } from '../domain/limits/archives.ts';
import { EVERYTHING, type Intervals } from '../domain/rules/messages/read-state.ts';
import { SYSTEM_GROUPS } from '../domain/wire/system-groups.ts';
import { realmSetting } from '../operations/access/groups.ts';
import type { EditHistoryPolicy } from '../operations/indexes/edit-history.ts';
import { isReadableIn, readableIn } from '../operations/indexes/message-access.ts';
import { ArchiveError } from './archive-error.ts';
import { type Pace, slicesOf } from './pace.ts';

/**
 * The kind of an archive: all of a realm, for the operator of the server, or what its
 * administrators may have.
 */
export type ArchiveKind = 'whole' | 'standard' | 'public';

/** The part of a realm that is in an archive. */
export interface Scope {
  readonly reader: RealmReader;
  readonly isWhole: boolean;
  readonly lastMessageId: number;
  has(kind: Named, id: number): boolean;
  /** Tells whether an account's private data is in it. */
  consents(userId: number): boolean;
  /** Returns what there is of a channel of which only some messages are in it. */
  tally(channelId: number): Tally | undefined;
  /** How much of the edit history of messages is in it. */
  readonly editHistory: EditHistoryPolicy;
  /** Tells whether a message or another holder of a file is in it. */
  holds(holder: AttachmentHolder, id: number): boolean;
}

export type Named =
  | 'user'
  | 'channel'
  | 'conversation'
  | 'message'
  | 'attachment'
  | 'group'
  | 'mention set';

/** The topics of a channel, counted over its archived messages only. */
export interface Tally {
  firstMessageId: number | null;
  readonly topics: Map<string, TopicRow>;
  readonly participants: Map<string, Map<number, ParticipantRow>>;
}

/**
 * Reads a realm to find what an archive of this kind holds. The result is in memory, as one bit for
 * each message and sets of ids.
 */
export async function scopeOf(reader: RealmReader, kind: ArchiveKind, pace: Pace): Promise<Scope> {
  const isWhole = kind === 'whole';
  const lastMessageId = reader.counters.get(['counters'])?.message ?? 0;
  const users = await usersOf(reader, pace);
  const consenting = kind === 'standard' ? consentingOf(users) : new Set<number>();
  const consents = (userId: number) => isWhole || consenting.has(userId);
  const channels = await channelsOf(reader, { consents, isWhole, users }, pace);
  const conversations = await idsOf(reader.conversations, pace, ({ userIds }) =>
    userIds.some(consents),
  );
  const messages = bitsUpTo(lastMessageId);
  const tallies = new Map<number, Tally>();
  for (const [channelId, readable] of channels) {
    if (readable === EVERYTHING)
      await addAll(reader.channelMessages, channelId, { messages, pace });
    else tallies.set(channelId, await addSome(reader, { channelId, readable, messages }, pace));
  }
  for (const recipientId of conversations) {
    await addAll(reader.directMessages, recipientId, { messages, pace });
  }
  const scheduled = await scheduledOf(reader, consents, pace);
  const holds = (holder: AttachmentHolder, id: number) =>
    holder === 'message' ? messages.has(id) : scheduled.has(id);
  const attachments = await idsOf(reader.attachments, pace, ({ ownerId }) => consents(ownerId));
  await addLinked(reader, { attachments, holds }, pace);
  const groups = await idsOf(reader.groups, pace);
  const parts = { user: users, channel: channels, conversation: conversations };
  const mentionSets = await mentionSetsOf(reader, messages, pace);
  const named = {
    ...parts,
    message: messages,
    attachment: attachments,
    'mention set': mentionSets,
  };
  return {
    reader,
    isWhole,
    lastMessageId,
    has: (kind, id) =>
      kind === 'group' ? isSystemGroup(id) || groups.has(id) : named[kind].has(id),
    consents,
    tally: (channelId) => tallies.get(channelId),
    editHistory: isWhole ? 'all' : realmSetting(reader, 'message_edit_history_visibility_policy'),
    holds,
  };
}

const isSystemGroup = (id: number) => id >= 1 && id <= SYSTEM_GROUPS.length;

type Accounts = ReadonlyMap<number, UserRow>;

async function usersOf(reader: RealmReader, pace: Pace): Promise<Accounts> {
  const users = new Map<number, UserRow>();
  for await (const slice of slicesOf(reader.users, pace)) {
    for (const [[id], row] of slice) users.set(id, row);
  }
  return users;
}

/**
 * Returns the accounts that consent to the export of private data; a bot consents as its owner
 * does.
 */
function consentingOf(users: Accounts): Set<number> {
  const does = (user: UserRow | undefined) => user?.settings.allow_private_data_export === true;
  const ids = new Set<number>();
  for (const [id, user] of users) {
    if (user.isSystem) continue;
    if (does(user.botOwnerId === null ? user : users.get(user.botOwnerId))) ids.add(id);
  }
  return ids;
}

/** Returns the mention sets that archived messages use. */
async function mentionSetsOf(
  reader: RealmReader,
  messages: Bits,
  pace: Pace,
): Promise<Set<number>> {
  const ids = new Set<number>();
  for await (const slice of slicesOf(reader.messageMentionSets, pace)) {
    for (const [[messageId], { crowdIds: setIds }] of slice) {
      if (messages.has(messageId)) for (const id of setIds) ids.add(id);
    }
  }
  return ids;
}

interface Willing {
  readonly consents: (userId: number) => boolean;
  readonly isWhole: boolean;
  readonly users: Accounts;
}

/**
 * Finds the messages of public channels, and those of private channels that a consenting subscriber
 * may read.
 */
async function channelsOf(
  reader: RealmReader,
  { consents, isWhole, users }: Willing,
  pace: Pace,
): Promise<Map<number, Intervals>> {
  const channels = new Map<number, Intervals>();
  for await (const slice of slicesOf(reader.channels, pace)) {
    for (const [[id], channel] of slice) {
      if (isWhole || !channel.isPrivate) channels.set(id, EVERYTHING);
      else {
        const readable = await readableBy(reader, { channel, consents, users }, pace);
        if (readable.length > 0) channels.set(id, readable);
      }
    }
  }
  return channels;
}

async function readableBy(
  reader: RealmReader,
  { channel, consents, users }: Omit<Willing, 'isWhole'> & { readonly channel: ChannelRow },
  pace: Pace,
): Promise<Intervals> {
  let readable: Intervals = [];
  const bounds = { start: [channel.id], end: [channel.id + 1] };
  for await (const slice of slicesOf(reader.subscriptions, pace, bounds)) {
    for (const [[, userId], subscription] of slice) {
      const user = users.get(userId);
      if (user === undefined || !subscription.isActive || !consents(userId)) continue;
      const own = readableIn(reader, user, { channel, subscription });
      if (own === EVERYTHING) return EVERYTHING;
      readable = union(readable, own);
    }
  }
  return readable;
}

/** Merges two lists of intervals, which are flat pairs as in `messages/read-state.ts`. */
function union(one: Intervals, other: Intervals): Intervals {
  const pairs = [one, other]
    .flatMap((intervals) =>
      intervals.flatMap((first, index) =>
        index % 2 === 0 ? [{ first: first ?? 0, last: intervals[index + 1] ?? null }] : [],
      ),
    )
    .sort((left, right) => left.first - right.first);
  const merged: { first: number; last: number | null }[] = [];
  for (const pair of pairs) {
    const before = merged.at(-1);
    if (before === undefined || (before.last !== null && pair.first > before.last + 1)) {
      merged.push({ ...pair });
    } else if (before.last !== null && (pair.last === null || pair.last > before.last)) {
      before.last = pair.last;
    }
  }
  return merged.flatMap(({ first, last }) => [first, last]);
}

interface Bits {
  has(id: number): boolean;
  add(id: number): void;
}

function bitsUpTo(last: number): Bits {
  if (last > ARCHIVED_MESSAGE_ID_MAX) {
    throw new ArchiveError(`an archive has no message numbers over ${ARCHIVED_MESSAGE_ID_MAX}`);
  }
  const bytes = new Uint8Array((last >> 3) + 1);
  const isIn = (id: number) => Number.isInteger(id) && id >= 0 && id <= last;
  return {
    has: (id) => isIn(id) && ((bytes[id >> 3] ?? 0) & (1 << (id & 7))) !== 0,
    add(id) {
      if (isIn(id)) bytes[id >> 3] = (bytes[id >> 3] ?? 0) | (1 << (id & 7));
    },
  };
}

type MessageList = RealmReader['directMessages'] | RealmReader['channelMessages'];

async function addAll(
  list: MessageList,
  placeId: number,
  { messages, pace }: { messages: Bits; pace: Pace },
) {
  const bounds = { start: [placeId], end: [placeId + 1] };
  // The keys of both tables have the place before the message.
  for await (const slice of slicesOf(list as RealmReader['directMessages'], pace, bounds)) {
    for (const [[, messageId]] of slice) messages.add(messageId);
  }
}

async function addSome(
  reader: RealmReader,
  { channelId, readable, messages }: { channelId: number; readable: Intervals; messages: Bits },
  pace: Pace,
): Promise<Tally> {
  const tally: Tally = { firstMessageId: null, topics: new Map(), participants: new Map() };
  const bounds = { start: [channelId], end: [channelId + 1] };
  for await (const slice of slicesOf(reader.channelMessages, pace, bounds)) {
    for (const [[, id], { topicKey }] of slice) {
      const row = reader.messages.get([id]);
      if (row === undefined || !isReadableIn(readable, row)) continue;
      messages.add(id);
      tally.firstMessageId ??= id;
      const { messageCount } = tally.topics.get(topicKey) ?? { messageCount: 0 };
      const topic = { name: row.topic, newestMessageId: id, messageCount: messageCount + 1 };
      tally.topics.set(topicKey, topic);
      count(tally, { topicKey, userId: row.senderId, sent: 1, reacted: 0 });
      if (!row.hasReactions) continue;
      for (const [, , , userId] of reader.reactions.keysUnder([id])) {
        count(tally, { topicKey, userId, sent: 0, reacted: 1 });
      }
    }
  }
  return tally;
}

interface Part extends ParticipantRow {
  readonly topicKey: string;
  readonly userId: number;
}

function count({ participants }: Tally, { topicKey, userId, sent, reacted }: Part) {
  const ofTopic = participants.get(topicKey) ?? new Map<number, ParticipantRow>();
  participants.set(topicKey, ofTopic);
  const before = ofTopic.get(userId) ?? { sent: 0, reacted: 0 };
  ofTopic.set(userId, { sent: before.sent + sent, reacted: before.reacted + reacted });
}

async function scheduledOf(
  reader: RealmReader,
  consents: (userId: number) => boolean,
  pace: Pace,
): Promise<Set<number>> {
  const ids = new Set<number>();
  for await (const slice of slicesOf(reader.scheduledMessages, pace)) {
    for (const [[userId, id]] of slice) if (consents(userId)) ids.add(id);
  }
  return ids;
}

/** Adds the files that an archived row links. */
async function addLinked(
  reader: RealmReader,
  { attachments, holds }: { attachments: Set<number>; holds: Scope['holds'] },
  pace: Pace,
) {
  for await (const slice of slicesOf(reader.attachmentUses, pace)) {
    for (const [[attachmentId, holder, id]] of slice) {
      // Links stay when their file is deleted, so the file may be gone.
      if (holds(holder, id) && reader.attachments.has([attachmentId]))
        attachments.add(attachmentId);
    }
  }
}

async function idsOf<R extends object>(
  table: { range: (bounds: object) => Iterable<readonly [[number], R]> },
  pace: Pace,
  isIn: (row: R) => boolean = () => true,
): Promise<Set<number>> {
  const ids = new Set<number>();
  for await (const slice of slicesOf(table, pace)) {
    for (const [[id], row] of slice) if (isIn(row)) ids.add(id);
  }
  return ids;
}
