import { addAlertWords } from './alert-words/add-alert-words.ts';
import { getAlertWords } from './alert-words/get-alert-words.ts';
import { removeAlertWords } from './alert-words/remove-alert-words.ts';
import { createBot } from './bots/create-bot.ts';
import { deactivateBot } from './bots/deactivate-bot.ts';
import { endBotKey } from './bots/end-bot-key.ts';
import { getBotKey } from './bots/get-bot-key.ts';
import { getBotKeys } from './bots/get-bot-keys.ts';
import { getBotStorage } from './bots/get-bot-storage.ts';
import { getBots } from './bots/get-bots.ts';
import { regenerateBotKey } from './bots/regenerate-bot-key.ts';
import { removeBotStorage } from './bots/remove-bot-storage.ts';
import { updateBot } from './bots/update-bot.ts';
import { updateBotStorage } from './bots/update-bot-storage.ts';
import { createCalls } from './calls/create-call.ts';
import { addChannelFolder } from './channel-folders/add-channel-folder.ts';
import { getChannelFolders } from './channel-folders/get-channel-folders.ts';
import { reorderChannelFolders } from './channel-folders/reorder-channel-folders.ts';
import { updateChannelFolder } from './channel-folders/update-channel-folder.ts';
import { addDefaultChannel } from './channels/add-default-channel.ts';
import { archiveChannel } from './channels/archive-channel.ts';
import { changeSubscriptions } from './channels/change-subscriptions.ts';
import { createChannel } from './channels/create-channel.ts';
import { deleteTopic } from './channels/delete-topic.ts';
import { getChannel } from './channels/get-channel.ts';
import { getChannelEmail } from './channels/get-channel-email.ts';
import { getChannelId } from './channels/get-channel-id.ts';
import { getChannels } from './channels/get-channels.ts';
import { getSubscribers } from './channels/get-subscribers.ts';
import { getSubscriptionStatus } from './channels/get-subscription-status.ts';
import { getSubscriptions } from './channels/get-subscriptions.ts';
import { getTopics } from './channels/get-topics.ts';
import { removeDefaultChannel } from './channels/remove-default-channel.ts';
import { subscribe } from './channels/subscribe.ts';
import { unsubscribe } from './channels/unsubscribe.ts';
import { updateChannel } from './channels/update-channel.ts';
import { updateSubscriptionProperties } from './channels/update-subscription-properties.ts';
import { updateSubscriptionProperty } from './channels/update-subscription-property.ts';
import { addDefaultChannelGroup } from './default-channel-groups/add-default-channel-group.ts';
import { changeGroupedChannels } from './default-channel-groups/change-grouped-channels.ts';
import { removeDefaultChannelGroup } from './default-channel-groups/remove-default-channel-group.ts';
import { updateDefaultChannelGroup } from './default-channel-groups/update-default-channel-group.ts';
import { getOpenApi } from './documents/get-openapi.ts';
import { createDrafts } from './drafts/create-drafts.ts';
import { deleteDraft } from './drafts/delete-draft.ts';
import { editDraft } from './drafts/edit-draft.ts';
import { getDrafts } from './drafts/get-drafts.ts';
import type { Endpoint } from './endpoint.ts';
import { deleteQueue } from './events/delete-queue.ts';
import { getEvents } from './events/get-events.ts';
import { registerQueue } from './events/register-queue.ts';
import { receiveWebhook } from './external/receive-webhook.ts';
import { deleteAttachment } from './files/delete-attachment.ts';
import { getAttachments } from './files/get-attachments.ts';
import { getFileUrl } from './files/get-file-url.ts';
import { uploadFile } from './files/upload-file.ts';
import { createInviteLink } from './invites/create-invite-link.ts';
import { getInvites } from './invites/get-invites.ts';
import { resendInvite } from './invites/resend-invite.ts';
import { revokeInvite } from './invites/revoke-invite.ts';
import { revokeInviteLink } from './invites/revoke-invite-link.ts';
import { sendInvites } from './invites/send-invites.ts';
import { addReaction } from './messages/add-reaction.ts';
import { addSubmessage } from './messages/add-submessage.ts';
import { deleteMessage } from './messages/delete-message.ts';
import { editMessage } from './messages/edit-message.ts';
import { getMessage } from './messages/get-message.ts';
import { getMessageHistory } from './messages/get-message-history.ts';
import { getMessages } from './messages/get-messages.ts';
import { getReadReceipts } from './messages/get-read-receipts.ts';
import { markAllAsRead } from './messages/mark-all-as-read.ts';
import { markChannelAsRead } from './messages/mark-channel-as-read.ts';
import { markTopicAsRead } from './messages/mark-topic-as-read.ts';
import { matchNarrow } from './messages/match-narrow.ts';
import { removeReaction } from './messages/remove-reaction.ts';
import { renderMessage } from './messages/render-message.ts';
import { reportMessage } from './messages/report-message.ts';
import { runCommand } from './messages/run-command.ts';
import { sendMessage } from './messages/send-message.ts';
import { sendMessageTyping } from './messages/send-message-typing.ts';
import { sendTyping } from './messages/send-typing.ts';
import { summarizeMessages } from './messages/summarize-messages.ts';
import { updateFlags } from './messages/update-flags.ts';
import { updateFlagsNarrow } from './messages/update-flags-narrow.ts';
import { addNavigationView } from './navigation-views/add-navigation-view.ts';
import { getNavigationViews } from './navigation-views/get-navigation-views.ts';
import { removeNavigationView } from './navigation-views/remove-navigation-view.ts';
import { updateNavigationView } from './navigation-views/update-navigation-view.ts';
import { addApnsToken } from './push/add-apns-token.ts';
import { addFcmToken } from './push/add-fcm-token.ts';
import { registerPushDevice } from './push/register-push-device.ts';
import { removeApnsToken } from './push/remove-apns-token.ts';
import { removeFcmToken } from './push/remove-fcm-token.ts';
import { testDeviceNotification } from './push/test-device-notification.ts';
import { testTokenNotification } from './push/test-token-notification.ts';
import { addDomain } from './realm/add-domain.ts';
import { addEmoji } from './realm/add-emoji.ts';
import { addLinkifier } from './realm/add-linkifier.ts';
import { addPlayground } from './realm/add-playground.ts';
import { addProfileField } from './realm/add-profile-field.ts';
import { deactivateRealm } from './realm/deactivate-realm.ts';
import { deleteExport } from './realm/delete-export.ts';
import { exportRealm } from './realm/export-realm.ts';
import { getDomains } from './realm/get-domains.ts';
import { getEmoji } from './realm/get-emoji.ts';
import { getExportConsents } from './realm/get-export-consents.ts';
import { getExports } from './realm/get-exports.ts';
import { getIcon } from './realm/get-icon.ts';
import { getLinkifiers } from './realm/get-linkifiers.ts';
import { getLogo } from './realm/get-logo.ts';
import { getProfileFields } from './realm/get-profile-fields.ts';
import { getRealmPresence } from './realm/get-realm-presence.ts';
import { removeDomain } from './realm/remove-domain.ts';
import { removeEmoji } from './realm/remove-emoji.ts';
import { removeIcon } from './realm/remove-icon.ts';
import { removeLinkifier } from './realm/remove-linkifier.ts';
import { removeLogo } from './realm/remove-logo.ts';
import { removePlayground } from './realm/remove-playground.ts';
import { removeProfileField } from './realm/remove-profile-field.ts';
import { reorderLinkifiers } from './realm/reorder-linkifiers.ts';
import { reorderProfileFields } from './realm/reorder-profile-fields.ts';
import { setIcon } from './realm/set-icon.ts';
import { setLogo } from './realm/set-logo.ts';
import { testWelcomeMessage } from './realm/test-welcome-message.ts';
import { updateDomain } from './realm/update-domain.ts';
import { updateLinkifier } from './realm/update-linkifier.ts';
import { updateProfileField } from './realm/update-profile-field.ts';
import { updateRealm } from './realm/update-realm.ts';
import { updateUserDefaults } from './realm/update-user-defaults.ts';
import { addReminder } from './reminders/add-reminder.ts';
import { deleteReminder } from './reminders/delete-reminder.ts';
import { getReminders } from './reminders/get-reminders.ts';
import { addSavedSnippet } from './saved-snippets/add-saved-snippet.ts';
import { deleteSavedSnippet } from './saved-snippets/delete-saved-snippet.ts';
import { editSavedSnippet } from './saved-snippets/edit-saved-snippet.ts';
import { getSavedSnippets } from './saved-snippets/get-saved-snippets.ts';
import { deleteScheduledMessage } from './scheduled-messages/delete-scheduled-message.ts';
import { editScheduledMessage } from './scheduled-messages/edit-scheduled-message.ts';
import { getScheduledMessages } from './scheduled-messages/get-scheduled-messages.ts';
import { scheduleMessage } from './scheduled-messages/schedule-message.ts';
import { devFetchApiKey, devListUsers } from './server/dev-fetch-api-key.ts';
import { fetchApiKey } from './server/fetch-api-key.ts';
import { getServerSettings } from './server/get-server-settings.ts';
import { jwtFetchApiKey } from './server/jwt-fetch-api-key.ts';
import {
  updateDisplaySettings,
  updateNotificationSettings,
  updateSettings,
} from './settings/update-settings.ts';
import { muteTopic } from './topics/mute-topic.ts';
import { setTopicPolicy } from './topics/set-topic-policy.ts';
import { createUserGroup } from './user-groups/create-user-group.ts';
import { deactivateUserGroup } from './user-groups/deactivate-user-group.ts';
import { getGroupMembers } from './user-groups/get-group-members.ts';
import { getIsGroupMember } from './user-groups/get-is-group-member.ts';
import { getSubgroups } from './user-groups/get-subgroups.ts';
import { getUserGroups } from './user-groups/get-user-groups.ts';
import { updateGroupMembers } from './user-groups/update-group-members.ts';
import { updateSubgroups } from './user-groups/update-subgroups.ts';
import { updateUserGroup } from './user-groups/update-user-group.ts';
import { createUser } from './users/create-user.ts';
import { deactivateOwnUser } from './users/deactivate-own-user.ts';
import { deactivateUser } from './users/deactivate-user.ts';
import { endOwnKey } from './users/end-own-key.ts';
import { getOwnKeys } from './users/get-own-keys.ts';
import { getOwnUser } from './users/get-own-user.ts';
import { getPresence } from './users/get-presence.ts';
import { getUser } from './users/get-user.ts';
import { getUserStatus } from './users/get-user-status.ts';
import { getUsers } from './users/get-users.ts';
import { markOnboardingStep } from './users/mark-onboarding-step.ts';
import { muteUser } from './users/mute-user.ts';
import { reactivateUser } from './users/reactivate-user.ts';
import { regenerateOwnKey } from './users/regenerate-own-key.ts';
import { removeAvatar } from './users/remove-avatar.ts';
import { removeProfileData } from './users/remove-profile-data.ts';
import { setAvatar } from './users/set-avatar.ts';
import { setOwnStatus } from './users/set-own-status.ts';
import { setProfileData } from './users/set-profile-data.ts';
import { setUserStatus } from './users/set-user-status.ts';
import { unmuteUser } from './users/unmute-user.ts';
import { updatePresence } from './users/update-presence.ts';
import { updateUser } from './users/update-user.ts';

/** In the order of the specification. */
const ALL: readonly Endpoint[] = [
  sendMessage,
  scheduleMessage,
  getScheduledMessages,
  editScheduledMessage,
  deleteScheduledMessage,
  getDrafts,
  createDrafts,
  editDraft,
  deleteDraft,
  getSavedSnippets,
  addSavedSnippet,
  editSavedSnippet,
  deleteSavedSnippet,
  getReminders,
  addReminder,
  deleteReminder,
  renderMessage,
  getMessages,
  getMessage,
  updateFlags,
  matchNarrow,
  updateFlagsNarrow,
  markAllAsRead,
  markChannelAsRead,
  markTopicAsRead,
  editMessage,
  getMessageHistory,
  getReadReceipts,
  deleteMessage,
  addReaction,
  removeReaction,
  reportMessage,
  summarizeMessages,
  addSubmessage,
  sendTyping,
  sendMessageTyping,
  runCommand,
  uploadFile,
  getFileUrl,
  getAttachments,
  deleteAttachment,
  getTopics,
  deleteTopic,
  setTopicPolicy,
  muteTopic,
  getAlertWords,
  addAlertWords,
  removeAlertWords,
  muteUser,
  unmuteUser,
  markOnboardingStep,
  setAvatar,
  removeAvatar,
  updateSettings,
  updateDisplaySettings,
  updateNotificationSettings,
  subscribe,
  unsubscribe,
  getSubscriptions,
  changeSubscriptions,
  updateSubscriptionProperties,
  updateSubscriptionProperty,
  getSubscriptionStatus,
  getChannels,
  getChannel,
  getChannelId,
  getSubscribers,
  getChannelEmail,
  createChannel,
  updateChannel,
  archiveChannel,
  addDefaultChannel,
  removeDefaultChannel,
  addDefaultChannelGroup,
  updateDefaultChannelGroup,
  removeDefaultChannelGroup,
  changeGroupedChannels,
  getChannelFolders,
  addChannelFolder,
  updateChannelFolder,
  reorderChannelFolders,
  createInviteLink,
  getInvites,
  revokeInviteLink,
  sendInvites,
  revokeInvite,
  resendInvite,
  updatePresence,
  getPresence,
  getRealmPresence,
  registerPushDevice,
  testDeviceNotification,
  testTokenNotification,
  addFcmToken,
  removeFcmToken,
  addApnsToken,
  removeApnsToken,
  getNavigationViews,
  addNavigationView,
  updateNavigationView,
  removeNavigationView,
  addLinkifier,
  updateLinkifier,
  removeLinkifier,
  getLinkifiers,
  reorderLinkifiers,
  createUserGroup,
  updateUserGroup,
  deactivateUserGroup,
  getUserGroups,
  updateGroupMembers,
  getGroupMembers,
  getIsGroupMember,
  updateSubgroups,
  getSubgroups,
  setUserStatus,
  setOwnStatus,
  getUserStatus,
  updateRealm,
  updateUserDefaults,
  testWelcomeMessage,
  deactivateRealm,
  getDomains,
  addDomain,
  updateDomain,
  removeDomain,
  getEmoji,
  addEmoji,
  removeEmoji,
  addPlayground,
  removePlayground,
  getIcon,
  setIcon,
  removeIcon,
  getLogo,
  setLogo,
  removeLogo,
  exportRealm,
  getExports,
  deleteExport,
  getExportConsents,
  getProfileFields,
  addProfileField,
  updateProfileField,
  removeProfileField,
  reorderProfileFields,
  setProfileData,
  removeProfileData,
  registerQueue,
  getEvents,
  deleteQueue,
  getOwnUser,
  getUsers,
  getUser,
  createUser,
  updateUser,
  deactivateUser,
  deactivateOwnUser,
  reactivateUser,
  getServerSettings,
  createBot,
  getBots,
  updateBot,
  deactivateBot,
  getBotKey,
  regenerateBotKey,
  getBotKeys,
  endBotKey,
  regenerateOwnKey,
  getOwnKeys,
  endOwnKey,
  updateBotStorage,
  getBotStorage,
  removeBotStorage,
  receiveWebhook,
  fetchApiKey,
  devFetchApiKey,
  jwtFetchApiKey,
  devListUsers,
  ...createCalls,
];

/** Every endpoint, and the document of them all. */
export const ENDPOINTS: readonly Endpoint[] = [...ALL, getOpenApi(ALL)];
