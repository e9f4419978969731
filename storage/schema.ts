import { activeChannels } from './tables/active-channels.ts';
import { alertWords } from './tables/alert-words.ts';
import { apiKeys } from './tables/api-keys.ts';
import { arrivedMessages } from './tables/arrived-messages.ts';
import { attachmentPaths } from './tables/attachment-paths.ts';
import { attachmentPlaces } from './tables/attachment-places.ts';
import { attachmentUses } from './tables/attachment-uses.ts';
import { attachments } from './tables/attachments.ts';
import { botDefaults } from './tables/bot-defaults.ts';
import { botNotices } from './tables/bot-notices.ts';
import { botServices } from './tables/bot-services.ts';
import { botStorage } from './tables/bot-storage.ts';
import { botStorageSizes } from './tables/bot-storage-sizes.ts';
import { channelBots } from './tables/channel-bots.ts';
import { channelFolders } from './tables/channel-folders.ts';
import { channelMessages } from './tables/channel-messages.ts';
import { channelNames } from './tables/channel-names.ts';
import { channels } from './tables/channels.ts';
import { conversationMembers } from './tables/conversation-members.ts';
import { conversations } from './tables/conversations.ts';
import { counters } from './tables/counters.ts';
import { crowdMessages } from './tables/crowd-messages.ts';
import { crowds } from './tables/crowds.ts';
import { defaultChannelGroups } from './tables/default-channel-groups.ts';
import { departedMessages } from './tables/departed-messages.ts';
import { directMessages } from './tables/direct-messages.ts';
import { drafts } from './tables/drafts.ts';
import { emailChanges } from './tables/email-changes.ts';
import { events } from './tables/events.ts';
import { exports } from './tables/exports.ts';
import { firstResultTimes } from './tables/first-result-times.ts';
import { firstResults } from './tables/first-results.ts';
import { flagHolders } from './tables/flag-holders.ts';
import { flaggedMessages } from './tables/flagged-messages.ts';
import { formerSubscribers } from './tables/former-subscribers.ts';
import { groupCrowds } from './tables/group-crowds.ts';
import { groupMembers } from './tables/group-members.ts';
import { groupNames } from './tables/group-names.ts';
import { groupUses } from './tables/group-uses.ts';
import { groups } from './tables/groups.ts';
import { heldContents } from './tables/held-contents.ts';
import { invitationKeys } from './tables/invitation-keys.ts';
import { invitations } from './tables/invitations.ts';
import { keyOwners } from './tables/key-owners.ts';
import { keyUses } from './tables/key-uses.ts';
import { linkifiers } from './tables/linkifiers.ts';
import { mailListeners } from './tables/mail-listeners.ts';
import { membershipChanges } from './tables/membership-changes.ts';
import { messageCrowds } from './tables/message-crowds.ts';
import { messageEdits } from './tables/message-edits.ts';
import { messageFlags } from './tables/message-flags.ts';
import { messages } from './tables/messages.ts';
import { missedMailTimes } from './tables/missed-mail-times.ts';
import { missedMails } from './tables/missed-mails.ts';
import { missedMessages } from './tables/missed-messages.ts';
import { mutedTopics } from './tables/muted-topics.ts';
import { mutedUsers } from './tables/muted-users.ts';
import { muters } from './tables/muters.ts';
import { navigationViews } from './tables/navigation-views.ts';
import { newcomers } from './tables/newcomers.ts';
import { numberLines } from './tables/number-lines.ts';
import { oldestMessages } from './tables/oldest-messages.ts';
import { onboardingSteps } from './tables/onboarding-steps.ts';
import { outbox } from './tables/outbox.ts';
import { presences } from './tables/presences.ts';
import { profileFields } from './tables/profile-fields.ts';
import { profileValues } from './tables/profile-values.ts';
import { pushDevices } from './tables/push-devices.ts';
import { pushHolders } from './tables/push-holders.ts';
import { pushListeners } from './tables/push-listeners.ts';
import { pushTokens } from './tables/push-tokens.ts';
import { pushWork } from './tables/push-work.ts';
import { pushedMessages } from './tables/pushed-messages.ts';
import { pushedUsers } from './tables/pushed-users.ts';
import { queues } from './tables/queues.ts';
import { reactions } from './tables/reactions.ts';
import { realm } from './tables/realm.ts';
import { realmDomains } from './tables/realm-domains.ts';
import { realmEmoji } from './tables/realm-emoji.ts';
import { realmEmojiNames } from './tables/realm-emoji-names.ts';
import { realmPlaygrounds } from './tables/realm-playgrounds.ts';
import { reminderTimes } from './tables/reminder-times.ts';
import { reminders } from './tables/reminders.ts';
import {
  resumableUploads,
  resumableUploadTimes,
  unfinishedUploads,
} from './tables/resumable-uploads.ts';
import { retentionMarks } from './tables/retention-marks.ts';
import { rewordedMessages } from './tables/reworded-messages.ts';
import { savedSnippets } from './tables/saved-snippets.ts';
import { scheduledMessages } from './tables/scheduled-messages.ts';
import { scheduledTimes } from './tables/scheduled-times.ts';
import { searchBlocks } from './tables/search-blocks.ts';
import { searchLists } from './tables/search-lists.ts';
import { searchPostings } from './tables/search-postings.ts';
import { searchProgress } from './tables/search-progress.ts';
import { searchSegments } from './tables/search-segments.ts';
import { secrets } from './tables/secrets.ts';
import { senderMessages } from './tables/sender-messages.ts';
import { subgroups } from './tables/subgroups.ts';
import { submessages } from './tables/submessages.ts';
import { subscriptions } from './tables/subscriptions.ts';
import { supergroups } from './tables/supergroups.ts';
import { topicMessages } from './tables/topic-messages.ts';
import { topicParticipants } from './tables/topic-participants.ts';
import { topicUsers } from './tables/topic-users.ts';
import { topics } from './tables/topics.ts';
import { trafficCounts } from './tables/traffic-counts.ts';
import { unusedAttachments } from './tables/unused-attachments.ts';
import { uploadSpace } from './tables/upload-space.ts';
import { usedAttachments } from './tables/used-attachments.ts';
import { userAttachments } from './tables/user-attachments.ts';
import { userChannels } from './tables/user-channels.ts';
import { userConversations } from './tables/user-conversations.ts';
import { userCrowds } from './tables/user-crowds.ts';
import { userDirectMessages } from './tables/user-direct-messages.ts';
import { userEmails } from './tables/user-emails.ts';
import { userGroups } from './tables/user-groups.ts';
import { userNames } from './tables/user-names.ts';
import { userPresences } from './tables/user-presences.ts';
import { userStatuses } from './tables/user-statuses.ts';
import { userTopics } from './tables/user-topics.ts';
import { users } from './tables/users.ts';
import { webhookSecrets } from './tables/webhook-secrets.ts';

/** Every table of a realm's environment. */
export const TABLES = {
  activeChannels,
  trafficCounts,
  alertWords,
  apiKeys,
  arrivedMessages,
  attachmentPaths,
  attachmentPlaces,
  attachmentUses,
  attachments,
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
  crowdMessages,
  crowds,
  departedMessages,
  directMessages,
  drafts,
  emailChanges,
  events,
  exports,
  firstResultTimes,
  firstResults,
  flagHolders,
  flaggedMessages,
  formerSubscribers,
  groupCrowds,
  groupMembers,
  groupNames,
  groupUses,
  groups,
  heldContents,
  invitationKeys,
  invitations,
  keyOwners,
  keyUses,
  linkifiers,
  mailListeners,
  membershipChanges,
  messageCrowds,
  messageEdits,
  messageFlags,
  messages,
  missedMailTimes,
  missedMails,
  missedMessages,
  navigationViews,
  newcomers,
  mutedTopics,
  mutedUsers,
  muters,
  numberLines,
  oldestMessages,
  onboardingSteps,
  outbox,
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
  senderMessages,
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
  userCrowds,
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
export const SCHEMA_VERSION = 19;
