import {
  activeChannels,
  channelBots,
  channelNames,
  channels,
  trafficCounts,
} from './tables/channels/channels.ts';
import { channelFolders, defaultChannelGroups } from './tables/channels/folders.ts';
import {
  formerSubscribers,
  membershipChanges,
  subscriptions,
  userChannels,
} from './tables/channels/subscriptions.ts';
import {
  mutedTopics,
  topicParticipants,
  topics,
  topicUsers,
  userTopics,
} from './tables/channels/topics.ts';
import {
  attachmentPaths,
  attachmentPlaces,
  attachments,
  attachmentUses,
  resumableUploads,
  resumableUploadTimes,
  unfinishedUploads,
  unusedAttachments,
  uploadSpace,
  usedAttachments,
  userAttachments,
} from './tables/messages/attachments.ts';
import { contentIndex } from './tables/messages/contents.ts';
import {
  conversationMembers,
  conversations,
  directMessages,
  userConversations,
  userDirectMessages,
} from './tables/messages/direct-messages.ts';
import {
  drafts,
  reminders,
  reminderTimes,
  savedSnippets,
  scheduledMessages,
  scheduledTimes,
} from './tables/messages/drafts.ts';
import { messageEdits, movedInMessages, movedOutMessages } from './tables/messages/edits.ts';
import { flaggedMessages, flagHolders, messageFlags } from './tables/messages/flags.ts';
import {
  groupMentionSets,
  mentionSetMessages,
  mentionSets,
  messageMentionSets,
  userMentionSets,
} from './tables/messages/mention-sets.ts';
import {
  channelMessages,
  messages,
  oldestMessages,
  retentionMarks,
  topicMessages,
} from './tables/messages/messages.ts';
import { reactions, submessages } from './tables/messages/reactions.ts';
import {
  rewordedMessages,
  searchBlocks,
  searchLists,
  searchPostings,
  searchProgress,
  searchSegments,
} from './tables/messages/search.ts';
import {
  senderBlocks,
  senderLists,
  senderMessages,
  senderProgress,
} from './tables/messages/senders.ts';
import { digestPlan } from './tables/notifications/digests.ts';
import {
  mailListeners,
  missedMails,
  missedMailTimes,
  missedMessages,
} from './tables/notifications/mails.ts';
import {
  pushDevices,
  pushedMessages,
  pushedUsers,
  pushHolders,
  pushListeners,
  pushTokens,
  pushWork,
} from './tables/notifications/push.ts';
import {
  botDefaults,
  botNotices,
  botServices,
  botStorage,
  botStorageSizes,
  webhookSecrets,
} from './tables/people/bots.ts';
import {
  groupMembers,
  groupNames,
  groups,
  groupUses,
  subgroups,
  supergroups,
  userGroups,
} from './tables/people/groups.ts';
import { identities, identityOwners } from './tables/people/identities.ts';
import {
  emailChanges,
  invitationKeys,
  invitations,
  passwordLinks,
} from './tables/people/invitations.ts';
import { apiKeys, keyOwners, keyUses, sessions, sessionTimes } from './tables/people/keys.ts';
import { mutedUsers, muters } from './tables/people/muted-users.ts';
import { alertWords, navigationViews, onboardingSteps } from './tables/people/personal.ts';
import { presences, userPresences, userStatuses } from './tables/people/presences.ts';
import { profileFields, profileValues } from './tables/people/profiles.ts';
import { providerSessions, providerSids } from './tables/people/provider-sessions.ts';
import { scimIds, scimOwners, scimTokens } from './tables/people/scim.ts';
import {
  passkeys,
  passkeyUses,
  secondSteps,
  usedChallenges,
} from './tables/people/second-steps.ts';
import { userEmails, userNames, users, waitingMembers } from './tables/people/users.ts';
import { auditLog } from './tables/realm/audit.ts';
import { realmEmoji, realmEmojiNames } from './tables/realm/emoji.ts';
import { events, queues } from './tables/realm/events.ts';
import { exports } from './tables/realm/exports.ts';
import { importedIds, imports, placeholders } from './tables/realm/imports.ts';
import { idempotencyResults, idempotencyResultTimes, outbox } from './tables/realm/outbox.ts';
import { counters, realm, secrets, sequences } from './tables/realm/realm.ts';
import { linkifiers, realmDomains, realmPlaygrounds } from './tables/realm/texts.ts';

/** Every table of a realm's environment. */
export const TABLES = {
  digestPlan,
  activeChannels,
  trafficCounts,
  alertWords,
  apiKeys,
  movedInMessages,
  attachmentPaths,
  attachmentPlaces,
  attachmentUses,
  attachments,
  auditLog,
  botDefaults,
  botNotices,
  botStorage,
  botStorageSizes,
  botServices,
  channelBots,
  channelMessages,
  channelNames,
  channels,
  conversationMembers,
  conversations,
  counters,
  mentionSetMessages,
  mentionSets,
  movedOutMessages,
  directMessages,
  drafts,
  emailChanges,
  passkeyUses,
  passkeys,
  passwordLinks,
  secondSteps,
  usedChallenges,
  events,
  exports,
  idempotencyResultTimes,
  idempotencyResults,
  flagHolders,
  flaggedMessages,
  formerSubscribers,
  groupMentionSets,
  groupMembers,
  groupNames,
  groupUses,
  groups,
  contentIndex,
  importedIds,
  imports,
  invitationKeys,
  invitations,
  identities,
  identityOwners,
  scimIds,
  scimOwners,
  scimTokens,
  keyOwners,
  keyUses,
  linkifiers,
  mailListeners,
  membershipChanges,
  messageMentionSets,
  messageEdits,
  messageFlags,
  messages,
  missedMailTimes,
  missedMails,
  missedMessages,
  navigationViews,
  waitingMembers,
  mutedTopics,
  mutedUsers,
  muters,
  sequences,
  sessionTimes,
  sessions,
  oldestMessages,
  onboardingSteps,
  outbox,
  placeholders,
  presences,
  pushDevices,
  pushHolders,
  pushListeners,
  pushTokens,
  pushWork,
  pushedMessages,
  pushedUsers,
  profileFields,
  profileValues,
  providerSessions,
  providerSids,
  queues,
  reactions,
  realm,
  realmDomains,
  realmEmoji,
  realmEmojiNames,
  realmPlaygrounds,
  retentionMarks,
  savedSnippets,
  scheduledMessages,
  scheduledTimes,
  channelFolders,
  defaultChannelGroups,
  reminders,
  reminderTimes,
  rewordedMessages,
  searchBlocks,
  searchLists,
  searchPostings,
  searchProgress,
  searchSegments,
  secrets,
  senderBlocks,
  senderLists,
  senderMessages,
  senderProgress,
  subgroups,
  submessages,
  subscriptions,
  supergroups,
  topicMessages,
  topicParticipants,
  topicUsers,
  topics,
  resumableUploads,
  resumableUploadTimes,
  unfinishedUploads,
  unusedAttachments,
  uploadSpace,
  usedAttachments,
  userAttachments,
  userChannels,
  userConversations,
  userMentionSets,
  userDirectMessages,
  userEmails,
  userGroups,
  userNames,
  userPresences,
  userStatuses,
  userTopics,
  users,
  webhookSecrets,
} as const;

/** Raised with each migration; an environment of a higher one is refused. */
export const SCHEMA_VERSION = 22;
