import type { Key } from '../../storage/key.ts';
import { TABLES } from '../../storage/schema.ts';
import type { Table } from '../../storage/table.ts';
import { shown } from '../operations/indexes/edit-history.ts';
import {
  hiddenEmail,
  hidesEmail,
  sharedBits,
  siteOf,
  unmarked,
  withoutHidden,
  withoutSecrets,
} from './kept-parts.ts';
import type { Scope } from './scope.ts';

type Tables = typeof TABLES;
export type TableName = keyof Tables;
export type KeyOf<Name extends TableName> =
  Tables[Name] extends Table<infer K, infer _> ? K : never;
export type RowOf<Name extends TableName> =
  Tables[Name] extends Table<infer _, infer R> ? R : never;

/**
 * The kinds of key parts. A row is in an archive if everything that its key names is, and an
 * archive is refused if a key names something that is not in it. An `owner` is an account whose
 * private data the row is, so it takes their consent. `anyone` and `anywhere` may be 0, for all
 * users and all channels.
 */
export type KeyPartKind =
  | 'number'
  /** A number that may be below zero. */
  | 'place'
  | 'text'
  | 'user'
  | 'owner'
  | 'anyone'
  | 'channel'
  | 'anywhere'
  | 'conversation'
  | 'message'
  | 'attachment'
  | 'group'
  | 'mention set';

/** Tells whether a part names nothing that has to be in an archive. */
export const isFree = (kind: KeyPartKind): kind is 'number' | 'place' | 'text' =>
  kind === 'number' || kind === 'place' || kind === 'text';

type Kinds<K extends Key> = {
  readonly [Part in keyof K]: K[Part] extends string ? 'text' : Exclude<KeyPartKind, 'text'>;
};

type Entry<Name extends TableName> = readonly [KeyOf<Name>, RowOf<Name>];

interface Kept<Name extends TableName> {
  readonly key: Kinds<KeyOf<Name>>;
  /** Marks tables that let somebody in or that sign. They are only in archives for the operator. */
  readonly isSecret?: true;
  /** Returns what an archive for administrators keeps of a row, or undefined for nothing. */
  readonly part?: (entry: Entry<Name>, scope: Scope) => Entry<Name> | undefined;
}

/**
 * Tables that are in no archive: they belong to this server or to this moment, or are derived from
 * others.
 */
const LEFT = [
  'botNotices',
  'digestPlan',
  'events',
  'exports',
  'idempotencyResultTimes',
  'idempotencyResults',
  'importedIds',
  'imports',
  'keyUses',
  'membershipChanges',
  'missedMailTimes',
  'missedMails',
  'missedMessages',
  'outbox',
  'passkeyUses',
  'passkeys',
  'passwordLinks',
  'providerSessions',
  'providerSids',
  'pushWork',
  'pushedMessages',
  'pushedUsers',
  'queues',
  'rewordedMessages',
  'searchBlocks',
  'searchLists',
  'searchPostings',
  'searchProgress',
  'searchSegments',
  'sessionTimes',
  'senderBlocks',
  'senderProgress',
  'secondSteps',
  'sessions',
  'resumableUploadTimes',
  'resumableUploads',
  'unfinishedUploads',
  'uploadSpace',
  'usedChallenges',
] as const satisfies readonly TableName[];

export type ArchivedName = Exclude<TableName, (typeof LEFT)[number]>;

const same =
  <Name extends TableName>(isKept: (entry: Entry<Name>, scope: Scope) => boolean) =>
  (entry: Entry<Name>, scope: Scope) =>
    isKept(entry, scope) ? entry : undefined;

/** The policy of each table, in the order of archives. The types demand one for each new table. */
const POLICY: { readonly [Name in ArchivedName]: Kept<Name> } = {
  realm: { key: ['text'], part: ([key, row], scope) => [key, withoutHidden(row, scope)] },
  counters: { key: ['text'] },
  sequences: { key: ['text'] },
  secrets: { key: ['text'], isSecret: true },

  users: { key: ['number'], part: ([key, row], scope) => [key, withoutSecrets(row, scope)] },
  userEmails: {
    key: ['text'],
    part: ([key, row], scope) => {
      const user = scope.reader.users.get([row.userId]);
      const hidden = user !== undefined && hidesEmail(user, scope);
      return [hidden ? [hiddenEmail(row.userId)] : key, row];
    },
  },
  userNames: { key: ['text', 'user'] },
  userStatuses: { key: ['user'] },
  userPresences: { key: ['owner'] },
  presences: { key: ['number'], part: same(([, { userId }], scope) => scope.consents(userId)) },
  waitingMembers: { key: ['number', 'user'] },
  placeholders: { key: ['user'] },
  apiKeys: { key: ['user', 'text'], isSecret: true },
  keyOwners: { key: ['text'], isSecret: true },
  identities: { key: ['user', 'text'], isSecret: true },
  identityOwners: { key: ['text'], isSecret: true },
  scimTokens: { key: ['text'], isSecret: true },
  scimIds: { key: ['text', 'number'], isSecret: true },
  scimOwners: { key: ['text', 'text', 'number'], isSecret: true },
  emailChanges: { key: ['user', 'text'], isSecret: true },
  profileFields: { key: ['number'] },
  profileValues: { key: ['user', 'number'] },
  invitations: { key: ['text', 'number'], isSecret: true },
  invitationKeys: { key: ['text'], isSecret: true },

  groups: { key: ['number'] },
  groupNames: { key: ['text'] },
  groupMembers: { key: ['group', 'user'] },
  userGroups: { key: ['user', 'group'] },
  subgroups: { key: ['group', 'group'] },
  supergroups: { key: ['group', 'group'] },
  groupUses: {
    key: ['group', 'text', 'number'],
    part: same(([[, owner, id]], scope) => owner !== 'channel' || scope.has('channel', id)),
  },

  channels: {
    key: ['channel'],
    part: ([key, row], scope) => {
      const tally = scope.tally(row.id);
      if (tally === undefined) return [key, row];
      return [key, { ...row, firstMessageId: tally.firstMessageId, weeklyTraffic: null }];
    },
  },
  channelNames: {
    key: ['text'],
    part: same(([, { channelId }], scope) => scope.has('channel', channelId)),
  },
  channelFolders: { key: ['number'] },
  channelBots: { key: ['channel', 'owner'] },
  defaultChannelGroups: { key: ['number'] },
  activeChannels: { key: ['number', 'channel'] },
  trafficCounts: { key: ['number', 'channel'] },
  formerSubscribers: { key: ['channel', 'number', 'user'] },
  oldestMessages: {
    key: ['number', 'number', 'channel'],
    part: ([[days, firstMessageId, channelId], row], scope) => {
      const tally = scope.tally(channelId);
      if (tally === undefined) return [[days, firstMessageId, channelId], row];
      if (tally.firstMessageId === null) return undefined;
      return [[days, tally.firstMessageId, channelId], row];
    },
  },
  retentionMarks: { key: ['text'] },
  // It has addresses that even administrators may not see.
  auditLog: { key: ['number'], isSecret: true },
  topics: {
    key: ['channel', 'text'],
    part([[channelId, topicKey], row], scope) {
      const tally = scope.tally(channelId);
      if (tally === undefined) return [[channelId, topicKey], row];
      const topic = tally.topics.get(topicKey);
      return topic && [[channelId, topicKey], { ...topic }];
    },
  },
  topicParticipants: {
    key: ['channel', 'text', 'user'],
    part([[channelId, topicKey, userId], row], scope) {
      const tally = scope.tally(channelId);
      const key: KeyOf<'topicParticipants'> = [channelId, topicKey, userId];
      if (tally === undefined) return [key, row];
      const participant = tally.participants.get(topicKey)?.get(userId);
      return participant && [key, { ...participant }];
    },
  },
  subscriptions: {
    key: ['channel', 'user'],
    part: ([key, row], scope) => [key, scope.consents(key[1]) ? row : unmarked(row, scope)],
  },
  userChannels: { key: ['user', 'channel'] },

  conversations: { key: ['conversation'] },
  conversationMembers: {
    key: ['text'],
    part: same(([, { recipientId }], scope) => scope.has('conversation', recipientId)),
  },
  userConversations: {
    key: ['user', 'conversation'],
    part: ([key, row], scope) => [
      key,
      scope.consents(key[0]) ? row : { readThrough: scope.lastMessageId },
    ],
  },

  messages: { key: ['message'] },
  channelMessages: { key: ['channel', 'message'] },
  directMessages: { key: ['conversation', 'message'] },
  senderMessages: { key: ['user', 'message'] },
  senderLists: { key: ['text'] },
  userDirectMessages: { key: ['user', 'message'] },
  contentIndex: { key: ['number', 'number', 'message'] },
  topicMessages: { key: ['channel', 'text', 'message'] },
  movedOutMessages: { key: ['number', 'message'] },
  movedInMessages: { key: ['number', 'message'] },
  messageEdits: {
    key: ['message', 'place'],
    part([key, edit], { editHistory }) {
      const kept = shown(edit, editHistory);
      return kept && [key, kept];
    },
  },
  reactions: { key: ['message', 'text', 'text', 'user'] },
  submessages: { key: ['message', 'number'] },
  messageFlags: {
    key: ['user', 'message'],
    part([key, { bits }], scope) {
      if (scope.consents(key[0])) return [key, { bits }];
      const shared = sharedBits(bits);
      return shared === 0 ? undefined : [key, { bits: shared }];
    },
  },
  flagHolders: {
    key: ['message', 'user'],
    part: same(([[messageId, userId]], scope) => {
      if (scope.consents(userId)) return true;
      return sharedBits(scope.reader.messageFlags.get([userId, messageId])?.bits ?? 0) !== 0;
    }),
  },
  flaggedMessages: {
    key: ['anyone', 'number', 'message'],
    part: same(
      ([[userId, bit]], scope) => userId === 0 || scope.consents(userId) || sharedBits(bit) !== 0,
    ),
  },
  mentionSets: { key: ['mention set'] },
  groupMentionSets: {
    key: ['group', 'channel'],
    part: same(([, { crowdId: setId }], scope) => scope.has('mention set', setId)),
  },
  userMentionSets: { key: ['user', 'mention set'] },
  mentionSetMessages: { key: ['mention set', 'message'] },
  messageMentionSets: { key: ['message'] },

  alertWords: { key: ['owner'] },
  drafts: { key: ['owner', 'number'] },
  onboardingSteps: { key: ['owner', 'text'] },
  savedSnippets: { key: ['owner', 'number'] },
  scheduledMessages: { key: ['owner', 'number'] },
  scheduledTimes: { key: ['number', 'owner', 'number'] },
  reminders: { key: ['owner', 'number'] },
  reminderTimes: { key: ['number', 'owner', 'number'] },
  navigationViews: { key: ['owner', 'text'] },
  userTopics: { key: ['owner', 'channel', 'text'] },
  mutedTopics: { key: ['owner', 'channel', 'text'] },
  topicUsers: { key: ['channel', 'text', 'owner'] },
  mutedUsers: { key: ['owner', 'user'] },
  muters: { key: ['user', 'owner'] },
  mailListeners: { key: ['anywhere', 'owner'] },
  pushListeners: { key: ['anywhere', 'owner'] },
  pushDevices: { key: ['user', 'text'], isSecret: true },
  pushTokens: { key: ['user', 'text', 'text'], isSecret: true },
  pushHolders: { key: ['user'], isSecret: true },

  botDefaults: {
    key: ['owner'],
    part: ([key, row], scope) => {
      const seen = (id: number | null) => (id !== null && scope.has('channel', id) ? id : null);
      const registerChannelId = seen(row.registerChannelId);
      return [key, { ...row, sendingChannelId: seen(row.sendingChannelId), registerChannelId }];
    },
  },
  // The remote service knows the bot by its token, so loading an archive makes another one. Only
  // the origin of the URL is kept, as the rest may be a key as well.
  botServices: {
    key: ['user'],
    part: ([key, row]) => [key, { ...row, baseUrl: siteOf(row.baseUrl), token: '' }],
  },
  webhookSecrets: { key: ['user'], isSecret: true },
  botStorage: { key: ['owner', 'text'] },
  botStorageSizes: { key: ['owner'] },

  linkifiers: { key: ['number'] },
  realmDomains: { key: ['text'] },
  realmEmoji: { key: ['number'] },
  realmEmojiNames: { key: ['text'] },
  realmPlaygrounds: { key: ['number'] },

  attachments: { key: ['attachment'] },
  attachmentPaths: {
    key: ['text'],
    part: same(([, { attachmentId }], scope) => scope.has('attachment', attachmentId)),
  },
  attachmentPlaces: { key: ['attachment', 'number', 'number', 'message'] },
  attachmentUses: {
    key: ['attachment', 'text', 'number'],
    part: same(([[, holder, id]], scope) => scope.holds(holder, id)),
  },
  usedAttachments: {
    key: ['text', 'number', 'attachment'],
    part: same(([[holder, id]], scope) => scope.holds(holder, id)),
  },
  userAttachments: { key: ['user', 'attachment'] },
  unusedAttachments: { key: ['number', 'attachment'] },
};

/** The policy of a table that archives have. */
export interface Policy {
  readonly key: readonly KeyPartKind[];
  readonly isSecret?: true;
  readonly part?: (
    entry: readonly [Key, object],
    scope: Scope,
  ) => readonly [Key, object] | undefined;
}

export interface ArchivedTable {
  readonly name: ArchivedName;
  /** The name in the archive, which is that in the store. */
  readonly fileName: string;
  readonly columns: readonly string[];
  readonly defaults: object;
  readonly policy: Policy;
}

/** The tables of an archive, in their order. */
export const ARCHIVED: readonly ArchivedTable[] = Object.entries(POLICY).map(([key, policy]) => {
  const name = key as ArchivedName; // the keys of this very object
  const { name: fileName, columns, defaults } = TABLES[name];
  // Code that goes through all tables does not know the types of their keys and rows.
  return { name, fileName, columns, defaults, policy: policy as unknown as Policy };
});
