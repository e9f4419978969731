import type { Key } from '../../storage/key.ts';
import type { TableReader } from '../../storage/table.ts';
import type { Sequence } from '../../storage/tables/realm/realm.ts';
import type { RealmReader } from '../../storage/transaction.ts';
import { NOTIFICATION_BOT } from '../domain/rules/people/system-bots.ts';
import { problemsOf } from '../domain/rules/texts/linkifiers.ts';
import { SYSTEM_GROUP_ID_MAX } from '../domain/wire/system-groups.ts';
import { isFoundBySender } from '../operations/search/sender-lists.ts';
import { ArchiveError } from './archive-error.ts';
import { type Pace, slicesOf } from './pace.ts';
import { issueOf } from './read-archive.ts';
import { ROW_SHAPES } from './row-shapes.ts';
import { type Scope, scopeOf } from './scope.ts';
import {
  ARCHIVED,
  type ArchivedName,
  type ArchivedTable,
  isFree,
  type KeyOf,
  type KeyPartKind,
  type RowOf,
} from './tables.ts';

/**
 * Refuses a realm that the service could not have written: rows of another shape, references to
 * missing rows, ids that would be given out again. A realm that passes is used like any other.
 */
export async function verify(reader: RealmReader, pace: Pace) {
  if (!reader.realm.has(['realm'])) throw new ArchiveError('the archive has no organization');
  if (!reader.counters.has(['counters'])) throw new ArchiveError('the archive has no counters');
  const isListed = reader.senderLists.has(['senders']);
  if (!isListed && (reader.counters.get(['counters'])?.message ?? 0) > 0) {
    throw new ArchiveError('the archive does not say which messages are listed by sender');
  }
  for (const table of ARCHIVED) await verifyShapes(reader, table, pace);
  if (reader.users.get([NOTIFICATION_BOT.id])?.isSystem !== true) {
    throw new ArchiveError('the archive lacks the notification bot');
  }
  const scope = await scopeOf(reader, 'whole', pace);
  for (const table of ARCHIVED) await verifyReferences(table, scope, pace);
}

const tableOf = (reader: RealmReader, { name }: ArchivedTable) =>
  reader[name] as unknown as TableReader<Key, object>; // keys and rows of any table

function refuse({ fileName }: ArchivedTable, key: Key, why: string): never {
  throw new ArchiveError(`${fileName}: the row ${JSON.stringify(key).slice(0, 200)}: ${why}`);
}

async function verifyShapes(reader: RealmReader, table: ArchivedTable, pace: Pace) {
  const kinds = table.policy.key;
  const shape = ROW_SHAPES[table.name];
  for await (const slice of slicesOf(tableOf(reader, table), pace)) {
    for (const [key, row] of slice) {
      const isKey =
        key.length === kinds.length && kinds.every((kind, index) => isOfKind(key[index], kind));
      if (!isKey) refuse(table, key, 'its key is not of this table');
      const result = shape.safeParse(row);
      if (!result.success) refuse(table, key, issueOf(result.error));
    }
  }
}

function isOfKind(part: unknown, kind: KeyPartKind): boolean {
  if (kind === 'text') return typeof part === 'string';
  const isNumber = typeof part === 'number' && Number.isSafeInteger(part);
  return isNumber && (part >= 0 || kind === 'place');
}

async function verifyReferences(table: ArchivedTable, scope: Scope, pace: Pace) {
  const check = CHECKS[table.name] as Check<never> | undefined; // of this very table
  const sequence = NUMBERED[table.name];
  const last = sequence === undefined ? 0 : (scope.reader.sequences.get([sequence.by])?.last ?? 0);
  for await (const slice of slicesOf(tableOf(scope.reader, table), pace)) {
    for (const entry of slice) {
      const [key] = entry;
      table.policy.key.forEach((kind, index) => {
        if (!isThere(kind, Number(key[index]), scope)) {
          refuse(table, key, `there is no ${kind} ${key[index]}`);
        }
      });
      if (sequence !== undefined && Number(key[sequence.part]) - (sequence.after ?? 0) > last) {
        refuse(table, key, 'its number was not given out');
      }
      const fault = check?.(entry as never, scope);
      if (fault !== undefined) refuse(table, key, fault);
    }
  }
}

function isThere(kind: KeyPartKind, id: number, { has }: Scope): boolean {
  if (isFree(kind)) return true;
  if (kind === 'anyone') return id === 0 || has('user', id);
  if (kind === 'anywhere') return id === 0 || has('channel', id);
  return has(kind === 'owner' ? 'user' : kind, id);
}

interface Numbered {
  readonly by: Sequence;
  /** The index of the id in the key. */
  readonly part: number;
  /** The ids begin after this one. */
  readonly after?: number;
}

/** Tables whose ids come from a sequence; no id may be given out a second time. */
const NUMBERED: { readonly [Name in ArchivedName]?: Numbered } = {
  attachments: { by: 'attachment', part: 0 },
  auditLog: { by: 'audit', part: 0 },
  channelFolders: { by: 'channelFolder', part: 0 },
  mentionSets: { by: 'crowd', part: 0 },
  defaultChannelGroups: { by: 'defaultChannelGroup', part: 0 },
  drafts: { by: 'draft', part: 1 },
  groups: { by: 'group', part: 0, after: SYSTEM_GROUP_ID_MAX },
  presences: { by: 'presence', part: 0 },
  profileFields: { by: 'profileField', part: 0 },
  realmEmoji: { by: 'realmEmoji', part: 0 },
  realmPlaygrounds: { by: 'playground', part: 0 },
  reminders: { by: 'reminder', part: 1 },
  savedSnippets: { by: 'savedSnippet', part: 1 },
  scheduledMessages: { by: 'scheduledMessage', part: 1 },
  submessages: { by: 'submessage', part: 1 },
};

/** Returns what is wrong with a row in relation to others, or undefined. */
type Check<Name extends ArchivedName> = (
  entry: readonly [KeyOf<Name>, RowOf<Name>],
  scope: Scope,
) => string | undefined;

const unless = (isRight: boolean, why: string) => (isRight ? undefined : why);

const ofMessage = ([, messageId]: readonly [number, number], { reader }: Scope) =>
  unless(reader.messages.has([messageId]), 'there is no such message');

const counted = ({ reader }: Scope) => {
  const row = reader.counters.get(['counters']);
  if (row === undefined) throw new Error('the store has lost its counters');
  return row;
};

/** Checks that settings name existing groups; otherwise nobody could do what they permit. */
const areGroups = (settings: object, { has }: Scope): boolean =>
  Object.values(settings).every(
    (value) =>
      (typeof value !== 'number' || has('group', value)) &&
      (!isAnonymous(value) || value.direct_subgroups.every((id) => has('group', id))),
  );

const isAnonymous = (value: unknown): value is { direct_subgroups: readonly number[] } =>
  typeof value === 'object' && value !== null && 'direct_subgroups' in value;

const CHECKS: { readonly [Name in ArchivedName]?: Check<Name> } = {
  users: ([[key], { id, email, isSystem, botOwnerId }], scope) =>
    unless(key === id, 'it is not of its number') ??
    unless(isSystem || id <= counted(scope).user, 'its number was not given out') ??
    unless(botOwnerId === null || scope.has('user', botOwnerId), 'its owner is not there') ??
    unless(
      isSystem || scope.reader.userEmails.get([email.toLowerCase()])?.userId === id,
      'it is not found by its address',
    ),
  userEmails: ([, { userId }], { has }) => unless(has('user', userId), 'the user is not there'),
  keyOwners: ([[hash], { userId }], { reader }) =>
    unless(reader.apiKeys.has([userId, hash]), 'the key is not there'),
  identityOwners: ([[hash], { userId }], { reader }) =>
    unless(reader.identities.has([userId, hash]), 'the identity is not there'),
  scimIds: ([[kind, id]], { has }) => unless(has(kind, id), 'the account or group is not there'),
  scimOwners: ([[kind, , id]], { reader }) =>
    unless(
      reader.scimIds.has([kind === 'user_name' ? 'user' : kind, id]),
      'the external id is not there',
    ),
  presences: ([, { userId }], { has }) => unless(has('user', userId), 'the user is not there'),
  userPresences: ([, { updateId }], { reader }) =>
    unless(reader.presences.has([updateId]), 'the presence is not there'),
  invitations: ([[, key], { id, inviterId }], { has }) =>
    unless(key === id && has('user', inviterId), 'it is of nobody'),
  invitationKeys: ([, { kind, id }], { reader }) =>
    unless(reader.invitations.has([kind, id]), 'the invitation is not there'),
  groups: ([[key], { id, permissions }], scope) =>
    unless(key === id && areGroups(permissions, scope), 'it names groups that are not there'),
  groupNames: ([, { groupId }], { has }) => unless(has('group', groupId), 'the group is not there'),
  realmEmoji: ([[key], { id }]) => unless(key === id, 'it is not of its number'),
  realmEmojiNames: ([, { emojiId }], { reader }) =>
    unless(reader.realmEmoji.has([emojiId]), 'the emoji is not there'),
  profileFields: ([[key], { id }]) => unless(key === id, 'it is not of its number'),
  linkifiers: ([, linkifier]) => unless(problemsOf(linkifier) === null, 'it is no linkifier'),

  channels: ([[key], { id, recipientId, groups }], scope) =>
    unless(key === id && id <= counted(scope).channel, 'its number was not given out') ??
    unless(recipientId <= counted(scope).recipient, 'its number was not given out') ??
    unless(areGroups(groups, scope), 'it names groups that are not there'),
  channelNames: ([, { channelId }], { has }) =>
    unless(has('channel', channelId), 'the channel is not there'),
  defaultChannelGroups: ([, { channelIds }], { has }) =>
    unless(
      channelIds.every((id) => has('channel', id)),
      'it has channels that are not there',
    ),
  conversations: ([[recipientId], { userIds }], scope) =>
    unless(recipientId <= counted(scope).recipient, 'its number was not given out') ??
    unless(
      userIds.every((id) => scope.has('user', id)),
      'it has people who are not there',
    ),
  conversationMembers: ([, { recipientId }], { has }) =>
    unless(has('conversation', recipientId), 'the conversation is not there'),

  messages: ([[key], row], scope) =>
    unless(key === row.id && row.id <= counted(scope).message, 'its number was not given out') ??
    unless(scope.has('user', row.senderId), 'its sender is not there') ??
    unless(isListed(row, scope), 'it is not in its channel or conversation'),
  channelMessages: ([key], scope) => ofMessage(key, scope),
  directMessages: ([key], scope) => ofMessage(key, scope),
  senderMessages: ([key], scope) => ofMessage(key, scope),
  senderLists: ([, { listedThrough }], scope) =>
    unless(listedThrough <= counted(scope).message, 'its number was not given out'),
  userDirectMessages: ([key], scope) => ofMessage(key, scope),
  topicMessages: ([[channelId, topicKey, messageId]], scope) =>
    ofMessage([channelId, messageId], scope) ??
    unless(scope.reader.topics.has([channelId, topicKey]), 'the topic is not there'),
  messageEdits: ([, { userId }], { has }) => unless(has('user', userId), 'the user is not there'),
  mentionSets: ([[setId], { userIds }], { has, reader }) =>
    unless(isAscending(userIds), 'its people are not in order') ??
    unless(
      userIds.every((id) => has('user', id) && reader.userMentionSets.has([id, setId])),
      'it has people who are not there',
    ),
  groupMentionSets: ([[groupId, channelId], { crowdId: setId }], { reader }) => {
    const mentionSet = reader.mentionSets.get([setId]);
    const isOwn = mentionSet?.groupId === groupId && mentionSet.channelId === channelId;
    return unless(isOwn, 'the mention set is one of others');
  },
  userMentionSets: ([[userId, setId]], { reader }) =>
    unless(
      reader.mentionSets.get([setId])?.userIds.includes(userId) === true,
      'the mention set is one of others',
    ),
  mentionSetMessages: ([[setId, messageId]], { reader }) =>
    unless(
      reader.messageMentionSets.get([messageId])?.crowdIds.includes(setId) === true,
      'the message mentions others',
    ),
  messageMentionSets: ([[messageId], { crowdIds: setIds }], { reader }) =>
    unless(new Set(setIds).size === setIds.length, 'it has a mention set twice') ??
    unless(
      setIds.every(
        (id) => reader.mentionSets.has([id]) && reader.mentionSetMessages.has([id, messageId]),
      ),
      'it has a mention set that is not there',
    ),
  submessages: ([, { senderId }], { has }) =>
    unless(has('user', senderId), 'its sender is not there'),

  attachments: ([[key], { ownerId, pathId }], { reader, has }) =>
    unless(has('user', ownerId), 'its owner is not there') ??
    unless(
      reader.attachmentPaths.get([pathId])?.attachmentId === key,
      'it is not found by its path',
    ),
  attachmentPaths: ([, { attachmentId }], { has }) =>
    unless(has('attachment', attachmentId), 'the file is not there'),
};

/** Tells whether ids ascend, so that each is there once. */
const isAscending = (ids: readonly number[]) => ids.every((id, at) => id > (ids[at - 1] ?? -1));

function isListed(row: RowOf<'messages'>, { reader, has }: Scope): boolean {
  if (!isFoundBySender(reader, row.senderId, row.id)) return false;
  if (row.channelId === null) {
    return (
      has('conversation', row.recipientId) && reader.directMessages.has([row.recipientId, row.id])
    );
  }
  const channel = reader.channels.get([row.channelId]);
  return (
    channel?.recipientId === row.recipientId && reader.channelMessages.has([row.channelId, row.id])
  );
}
