import { z } from 'zod';
import { MESSAGE_LENGTH_MAX } from '../domain/limits/messages.ts';
import {
  isRealmPermission,
  isRealmProperty,
  type RealmProperties,
  valuesOf,
} from '../domain/rules/realm/realm-setting-values.ts';
import { AUDIT_ACTORS, AUDIT_OPS } from '../domain/wire/audit.ts';
import { AUDIT_KINDS } from '../domain/wire/audit-kinds.ts';
import { KEY_MAKERS } from '../domain/wire/key-makers.ts';
import { groupSettingValue, reactionType, topicsPolicy } from '../domain/wire/objects.ts';
import { Role } from '../domain/wire/roles.ts';
import {
  USER_SETTINGS,
  type UserSettingName,
  type UserSettings,
} from '../domain/wire/settings/user-settings.ts';
import type { ArchivedName, RowOf } from './tables.ts';

/**
 * Bounds on lengths are well above what the service stores: a row may come from a version with
 * other bounds.
 */
const text = z.string().max(100_000);
const value = z.string().max(12_000_000);
const markdown = z.string().max(10 * MESSAGE_LENGTH_MAX);
const html = z.string().max(4_000_000);
const flag = z.boolean();
const id = z.int().nonnegative();
const someId = id.nullable();
const ids = z.array(id);
const time = z.number();
const someTime = time.nullable();
const count = z.int();
const nothing = z.object({});
const role = z.enum(Role);
const invitationKind = z.enum(['link', 'email']);
const auditValues = z.record(z.string().max(1_000), z.json()).nullable();
const image = z.object({
  folder: z.string().regex(/^[\w-]{2}$/),
  file: z.string().regex(/^[\w-]{10,100}$/),
});

/** The settings whose values are groups, by name. */
const permissions = <Names extends string>() =>
  z.record(z.string(), groupSettingValue) as unknown as z.ZodType<
    Readonly<Record<Names, z.output<typeof groupSettingValue>>>
  >; // names of other versions do no harm

/** An object of some of these settings, each with a value that it may have. */
const someOf = <Settings extends object>(isRight: (name: string, value: unknown) => boolean) =>
  z.custom<Partial<Settings>>(
    (given) =>
      typeof given === 'object' &&
      given !== null &&
      Object.entries(given).every(([name, one]) => isRight(name, one)),
    'is no list of settings with their values',
  );

const realmSettings = someOf<RealmProperties>((name, one) =>
  isRealmProperty(name)
    ? (isRealmPermission(name) ? groupSettingValue : valuesOf(name)).safeParse(one).success
    : false,
);

const userSettings = someOf<UserSettings>(
  (name, one) =>
    Object.hasOwn(USER_SETTINGS, name) &&
    typeof one === typeof USER_SETTINGS[name as UserSettingName].default,
);

/**
 * The shape of each column of each table. Stored rows are used without another check, so it is made
 * here.
 */
export const ROW_SHAPES: { readonly [Name in ArchivedName]: z.ZodType<RowOf<Name>> } = {
  realm: z.object({
    id,
    stringId: text,
    name: text,
    description: text,
    dateCreated: time,
    isActive: flag,
    settings: realmSettings,
    userDefaults: userSettings,
    deletableAt: someTime,
    formerStringIds: z.array(text).max(1_000),
    firstStringId: text.nullable(),
    newsVersion: text,
    formerIds: z.array(id).max(1_000),
  }),
  auditLog: z.object({
    at: time,
    by: z.enum(AUDIT_ACTORS),
    actingUserId: someId,
    kind: z.enum(AUDIT_KINDS),
    op: z.enum(AUDIT_OPS),
    target: z.union([id, text]),
    before: auditValues,
    after: auditValues,
  }),
  counters: z.object({ event: id, message: id, user: id, channel: id, recipient: id }),
  sequences: z.object({ last: id }),
  secrets: z.object({ value: text }),

  users: z.object({
    id,
    email: text,
    fullName: text,
    role,
    isActive: flag,
    botType: z.int().min(1).max(4).nullable(),
    botOwnerId: someId,
    dateJoined: time,
    timezone: text,
    avatarVersion: id,
    passwordHash: text.nullable(),
    settings: userSettings,
    isSystem: flag,
    uploadedAvatar: z.object({ small: image, medium: image }).nullable(),
  }),
  userEmails: z.object({ userId: id }),
  userNames: nothing,
  userStatuses: z.object({
    text,
    emoji: z.object({ name: text, code: text, type: reactionType }).nullable(),
  }),
  userPresences: z.object({ updateId: id }),
  presences: z.object({ activeAt: someTime, connectedAt: time, userId: id }),
  waitingMembers: nothing,
  placeholders: nothing,
  apiKeys: z.object({
    createdAt: time,
    origin: z.enum(['issued', 'login']),
    madeBy: z.enum(KEY_MAKERS).nullable(),
  }),
  keyOwners: z.object({ userId: id }),
  identities: z.object({ issuer: text, subject: text, linkedAt: time }),
  identityOwners: z.object({ userId: id }),
  scimTokens: z.object({ hash: text, createdAt: time }),
  scimIds: z.object({
    externalId: text.nullable(),
    isDeleted: flag,
    userName: text.nullable(),
    attributes: text.nullable(),
  }),
  scimOwners: nothing,
  emailChanges: z.object({ newEmail: text, askedAt: time, isDone: flag }),
  profileFields: z.object({
    id,
    type: z.int().min(1).max(8),
    name: text,
    hint: text,
    fieldData: text,
    order: count,
    isRequired: flag,
    isEditable: flag,
    isInSummary: flag,
  }),
  profileValues: z.object({ value: text, renderedValue: html.nullable() }),
  invitations: z.object({
    id,
    key: text,
    email: text.nullable(),
    inviterId: id,
    invitedAt: time,
    expiresAt: someTime,
    role,
    channelIds: ids,
    groupIds: ids,
    includesDefaultChannels: flag,
    welcomeText: text.nullable(),
    notifiesInviter: flag,
    isEnded: flag,
    linkId: id.optional(),
  }),
  invitationKeys: z.object({ kind: invitationKind, id }),

  groups: z.object({
    id,
    name: text,
    description: text,
    dateCreated: time,
    creatorId: someId,
    isDeactivated: flag,
    permissions: permissions(),
  }),
  groupNames: z.object({ groupId: id }),
  groupMembers: nothing,
  userGroups: nothing,
  subgroups: nothing,
  supergroups: nothing,
  groupUses: nothing,

  channels: z.object({
    id,
    recipientId: id,
    name: text,
    description: text,
    renderedDescription: html,
    dateCreated: time,
    creatorId: someId,
    isPrivate: flag,
    isWebPublic: flag,
    hasSharedHistory: flag,
    isArchived: flag,
    messageRetentionDays: z.int().nullable(),
    topicsPolicy,
    folderId: someId,
    firstMessageId: someId,
    subscriberCount: id,
    isDefault: flag,
    groups: permissions(),
    activeUntil: someTime,
    weeklyTraffic: z.number().nullable(),
  }),
  channelNames: z.object({ channelId: id }),
  channelFolders: z.object({
    name: text,
    description: text,
    renderedDescription: html,
    dateCreated: time,
    creatorId: someId,
    order: count,
    isArchived: flag,
  }),
  channelBots: nothing,
  defaultChannelGroups: z.object({ name: text, description: text, channelIds: ids }),
  activeChannels: nothing,
  trafficCounts: z.object({ from: someId, count }),
  formerSubscribers: nothing,
  oldestMessages: nothing,
  retentionMarks: z.object({ messageId: id }),
  topics: z.object({ name: text, newestMessageId: id, messageCount: id }),
  topicParticipants: z.object({ sent: count, reacted: count }),
  subscriptions: z.object({
    isActive: flag,
    color: text,
    isMuted: flag,
    isPinned: flag,
    desktopNotifications: flag.nullable(),
    audibleNotifications: flag.nullable(),
    pushNotifications: flag.nullable(),
    emailNotifications: flag.nullable(),
    wildcardMentionsNotify: flag.nullable(),
    received: z.array(someId),
    readThrough: id,
    isForgotten: flag,
  }),
  userChannels: z.object({ isActive: flag }),

  conversations: z.object({ userIds: ids }),
  conversationMembers: z.object({ recipientId: id }),
  userConversations: z.object({ readThrough: count }),

  messages: z.object({
    id,
    senderId: id,
    recipientId: id,
    channelId: someId,
    topic: text,
    content: markdown,
    renderedContent: html,
    sentAt: time,
    client: text,
    hasChannelWildcard: flag,
    lastEditedAt: someTime,
    lastMovedAt: someTime,
    hasReactions: flag,
    hasEdits: flag,
    homeChannelId: someId,
    arrivedAt: someId,
    hasSubmessages: flag,
  }),
  channelMessages: z.object({ topicKey: text, senderId: id }),
  directMessages: z.object({ senderId: id }),
  senderMessages: nothing,
  senderLists: z.object({ listedThrough: id }),
  userDirectMessages: nothing,
  contentIndex: nothing,
  topicMessages: nothing,
  movedOutMessages: z.object({ moves: ids, isQuiet: flag }),
  movedInMessages: nothing,
  messageEdits: z.object({
    userId: id,
    at: time,
    before: z.object({
      content: markdown.exactOptional(),
      renderedContent: html.exactOptional(),
      topic: text.exactOptional(),
      channelId: id.exactOptional(),
    }),
    after: z.object({ topic: text.exactOptional(), channelId: id.exactOptional() }),
  }),
  reactions: z.object({ emojiName: text, eventId: id }),
  submessages: z.object({ senderId: id, msgType: text, content: text }),
  messageFlags: z.object({ bits: id }),
  flagHolders: nothing,
  flaggedMessages: nothing,
  mentionSets: z.object({ groupId: id, channelId: id, userIds: z.array(id) }),
  groupMentionSets: z.object({ crowdId: id }),
  userMentionSets: nothing,
  mentionSetMessages: nothing,
  messageMentionSets: z.object({ crowdIds: z.array(id) }),

  alertWords: z.object({ words: z.array(text) }),
  onboardingSteps: nothing,
  drafts: z.object({
    type: z.enum(['', 'private', 'stream']),
    to: ids,
    topic: text,
    content: markdown,
    timestamp: time,
  }),
  savedSnippets: z.object({ title: text, content: markdown, dateCreated: time }),
  scheduledMessages: z.object({
    channelId: someId,
    userIds: ids,
    topic: text,
    content: markdown,
    renderedContent: html,
    dueAt: time,
    isReadBySender: flag,
    client: text,
    isFailed: flag,
    failureReason: text.nullable(),
  }),
  scheduledTimes: nothing,
  reminders: z.object({
    messageId: id,
    note: text,
    content: markdown,
    renderedContent: html,
    dueAt: time,
    isFailed: flag,
  }),
  reminderTimes: nothing,
  navigationViews: z.object({ isPinned: flag, name: text.nullable() }),
  userTopics: z.object({
    topic: text,
    policy: z.union([z.literal(1), z.literal(2), z.literal(3)]),
    updatedAt: time,
  }),
  mutedTopics: nothing,
  topicUsers: nothing,
  mutedUsers: z.object({ mutedAt: time }),
  muters: nothing,
  mailListeners: nothing,
  pushListeners: nothing,
  pushDevices: z.object({
    tokenKind: z.enum(['fcm', 'apns']),
    publicKey: text,
    bouncerPublicKey: text,
    encryptedRegistration: text,
    status: z.enum(['pending', 'active', 'failed']),
    errorCode: text.nullable(),
    bouncerDeviceId: text.nullable(),
  }),
  pushTokens: z.object({
    token: text,
    appId: text.nullable(),
    keys: z.object({ p256dh: text, auth: text }).nullable(),
    registeredAt: time,
  }),
  pushHolders: nothing,

  botDefaults: z.object({
    sendingChannelId: someId,
    registerChannelId: someId,
    hearsAllPublicChannels: flag,
  }),
  botServices: z.object({
    baseUrl: text,
    interface: z.union([z.literal(1), z.literal(2)]),
    token: text,
  }),
  webhookSecrets: z.object({ secret: text }),
  botStorage: z.object({ value }),
  botStorageSizes: z.object({ keys: id, characters: id }),

  linkifiers: z.object({ id, pattern: text, urlTemplate: text }),
  realmDomains: z.object({ allowsSubdomains: flag }),
  realmEmoji: z.object({
    id,
    name: text,
    authorId: someId,
    isDeactivated: flag,
    fileName: text,
    stillFileName: text.nullable(),
  }),
  realmEmojiNames: z.object({ emojiId: id }),
  realmPlaygrounds: z.object({ name: text, language: text, urlTemplate: text }),

  attachments: z.object({
    ownerId: id,
    pathId: z.string().regex(/^\d{1,15}\/[\w-]{2}\/[\w-]{10,100}\/[^/]{1,1000}$/),
    name: text,
    size: id,
    contentType: text,
    createdAt: time,
    unusedUntil: someTime,
    image: z.object({ width: id, height: id, isAnimated: flag, isReady: flag }).nullable(),
  }),
  attachmentPaths: z.object({ attachmentId: id }),
  attachmentPlaces: nothing,
  attachmentUses: z.object({ sentAt: time }),
  usedAttachments: nothing,
  userAttachments: nothing,
  unusedAttachments: nothing,
};
