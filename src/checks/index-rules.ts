import { externalIdHash, userNameHash } from '../../storage/tables/people/scim.ts';
import type { KeyOf, RowOf, TableName } from '../archives/tables.ts';
import { topicKey } from '../domain/rules/messages/topic.ts';

/** A row that has to exist because another one does. */
export type RequiredRow = readonly [table: TableName, key: readonly (string | number)[]];

type Rules = {
  readonly [Name in TableName]?: (key: KeyOf<Name>, row: RowOf<Name>) => readonly RequiredRow[];
};

/**
 * The tables that are indexes of others, in both directions: each row demands rows of other tables.
 */
export const INDEX_RULES: Rules = {
  messages: ([id], { senderId, recipientId, channelId, topic }) => [
    ['senderMessages', [senderId, id]],
    ...placesOf({ id, recipientId, channelId, topic }),
  ],
  channelMessages: ([channelId, id], row) => [
    ['messages', [id]],
    ['topicMessages', [channelId, row.topicKey, id]],
  ],
  topicMessages: ([channelId, key, id]) => [
    ['channelMessages', [channelId, id]],
    ['topics', [channelId, key]],
  ],
  senderMessages: ([, id]) => [['messages', [id]]],
  directMessages: ([recipientId, id]) => [
    ['messages', [id]],
    ['conversations', [recipientId]],
  ],
  userDirectMessages: ([, id]) => [['messages', [id]]],
  subscriptions: ([channelId, userId]) => [
    ['userChannels', [userId, channelId]],
    ['channels', [channelId]],
    ['users', [userId]],
  ],
  userChannels: ([userId, channelId]) => [['subscriptions', [channelId, userId]]],
  users: ([id], { email, fullName, isSystem }) =>
    isSystem
      ? []
      : [
          ['userEmails', [email.toLowerCase()]],
          ['userNames', [fullName.toLowerCase(), id]],
        ],
  userEmails: (_key, { userId }) => [['users', [userId]]],
  identities: ([, hash]) => [['identityOwners', [hash]]],
  identityOwners: ([hash], { userId }) => [['identities', [userId, hash]]],
  providerSessions: ([userId, secretHash], { sidHash }) => [
    ['sessions', [userId, secretHash]],
    ...(sidHash === null ? [] : [['providerSids', [sidHash, userId, secretHash]] as const]),
  ],
  providerSids: ([, userId, secretHash]) => [['providerSessions', [userId, secretHash]]],
  scimIds: ([kind, id], { externalId, userName }) => [
    [kind === 'user' ? 'users' : 'groups', [id]],
    ...(externalId === null
      ? []
      : [['scimOwners', [kind, externalIdHash(externalId), id]] as const]),
    ...(userName === null
      ? []
      : [['scimOwners', ['user_name', userNameHash(userName), id]] as const]),
  ],
  scimOwners: ([kind, , id]) => [['scimIds', [kind === 'user_name' ? 'user' : kind, id]]],
  userNames: ([, id]) => [['users', [id]]],
  channelNames: (_key, { channelId }) => [['channels', [channelId]]],
  groupNames: (_key, { groupId }) => [['groups', [groupId]]],
  groupMembers: ([groupId, userId]) => [['userGroups', [userId, groupId]]],
  userGroups: ([userId, groupId]) => [['groupMembers', [groupId, userId]]],
  subgroups: ([groupId, subgroupId]) => [['supergroups', [subgroupId, groupId]]],
  supergroups: ([subgroupId, groupId]) => [['subgroups', [groupId, subgroupId]]],
  mutedUsers: ([userId, mutedId]) => [['muters', [mutedId, userId]]],
  muters: ([mutedId, userId]) => [['mutedUsers', [userId, mutedId]]],
  conversationMembers: (_key, { recipientId }) => [['conversations', [recipientId]]],
  userConversations: ([, recipientId]) => [['conversations', [recipientId]]],
  attachments: ([id], { pathId, ownerId, unusedUntil }) => [
    ['attachmentPaths', [pathId]],
    ['userAttachments', [ownerId, id]],
    ...(unusedUntil === null ? [] : [['unusedAttachments', [unusedUntil, id]] as const]),
  ],
  attachmentPaths: (_key, { attachmentId }) => [['attachments', [attachmentId]]],
  userAttachments: ([, id]) => [['attachments', [id]]],
  unusedAttachments: ([, id]) => [['attachments', [id]]],
  attachmentUses: ([id, holder, holderId]) => [
    ['usedAttachments', [holder, holderId, id]],
    ['attachments', [id]],
  ],
  usedAttachments: ([holder, holderId, id]) => [['attachmentUses', [id, holder, holderId]]],
};

function placesOf(message: Pick<RowOf<'messages'>, 'id' | 'recipientId' | 'channelId' | 'topic'>) {
  const { id, recipientId, channelId, topic } = message;
  const places: readonly RequiredRow[] =
    channelId === null
      ? [['directMessages', [recipientId, id]]]
      : [
          ['channelMessages', [channelId, id]],
          ['topicMessages', [channelId, topicKey(topic), id]],
        ];
  return places;
}

/** The sequences of tables whose keys end with an id. */
export const NUMBERED = {
  attachments: 'attachment',
  auditLog: 'audit',
  channelFolders: 'channelFolder',
  mentionSets: 'crowd',
  defaultChannelGroups: 'defaultChannelGroup',
  drafts: 'draft',
  exports: 'export',
  linkifiers: 'linkifier',
  profileFields: 'profileField',
  realmEmoji: 'realmEmoji',
  realmPlaygrounds: 'playground',
  reminders: 'reminder',
  savedSnippets: 'savedSnippet',
  scheduledMessages: 'scheduledMessage',
} as const satisfies Partial<Record<TableName, string>>;

/** The sequences that every send counts on, which are in one row. */
export const COUNTED = {
  messages: 'message',
  users: 'user',
  channels: 'channel',
  conversations: 'recipient',
} as const satisfies Partial<Record<TableName, string>>;
