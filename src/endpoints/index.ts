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
import { createChannel } from './channels/create-channel.ts';
import { endChannelEmails } from './channels/end-channel-emails.ts';
import { getChannel } from './channels/get-channel.ts';
import { getChannelEmail } from './channels/get-channel-email.ts';
import { getChannelId } from './channels/get-channel-id.ts';
import { getChannels } from './channels/get-channels.ts';
import { removeDefaultChannel } from './channels/remove-default-channel.ts';
import { updateChannel } from './channels/update-channel.ts';
import { addDefaultChannelGroup } from './default-channel-groups/add-default-channel-group.ts';
import { changeGroupedChannels } from './default-channel-groups/change-grouped-channels.ts';
import { removeDefaultChannelGroup } from './default-channel-groups/remove-default-channel-group.ts';
import { updateDefaultChannelGroup } from './default-channel-groups/update-default-channel-group.ts';
import { getOpenApi } from './documents/get-openapi.ts';
import { addDomain } from './domains/add-domain.ts';
import { getDomains } from './domains/get-domains.ts';
import { removeDomain } from './domains/remove-domain.ts';
import { updateDomain } from './domains/update-domain.ts';
import { createDrafts } from './drafts/create-drafts.ts';
import { deleteDraft } from './drafts/delete-draft.ts';
import { editDraft } from './drafts/edit-draft.ts';
import { getDrafts } from './drafts/get-drafts.ts';
import { addEmoji } from './emoji/add-emoji.ts';
import { getEmoji } from './emoji/get-emoji.ts';
import { removeEmoji } from './emoji/remove-emoji.ts';
import type { Endpoint } from './endpoint.ts';
import { deleteQueue } from './events/delete-queue.ts';
import { getEvents } from './events/get-events.ts';
import { registerQueue } from './events/register-queue.ts';
import { deleteExport } from './exports/delete-export.ts';
import { exportRealm } from './exports/export-realm.ts';
import { getExportConsents } from './exports/get-export-consents.ts';
import { getExports } from './exports/get-exports.ts';
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
import { endOwnKey } from './keys/end-own-key.ts';
import { getOwnKeys } from './keys/get-own-keys.ts';
import { regenerateOwnKey } from './keys/regenerate-own-key.ts';
import { addLinkifier } from './linkifiers/add-linkifier.ts';
import { getLinkifiers } from './linkifiers/get-linkifiers.ts';
import { removeLinkifier } from './linkifiers/remove-linkifier.ts';
import { reorderLinkifiers } from './linkifiers/reorder-linkifiers.ts';
import { updateLinkifier } from './linkifiers/update-linkifier.ts';
import { addSubmessage } from './messages/add-submessage.ts';
import { deleteMessage } from './messages/delete-message.ts';
import { editMessage } from './messages/edit-message.ts';
import { getMessage } from './messages/get-message.ts';
import { getMessageHistory } from './messages/get-message-history.ts';
import { getMessages } from './messages/get-messages.ts';
import { matchNarrow } from './messages/match-narrow.ts';
import { renderMessage } from './messages/render-message.ts';
import { reportMessage } from './messages/report-message.ts';
import { runCommand } from './messages/run-command.ts';
import { sendMessage } from './messages/send-message.ts';
import { summarizeMessages } from './messages/summarize-messages.ts';
import { addNavigationView } from './navigation-views/add-navigation-view.ts';
import { getNavigationViews } from './navigation-views/get-navigation-views.ts';
import { removeNavigationView } from './navigation-views/remove-navigation-view.ts';
import { updateNavigationView } from './navigation-views/update-navigation-view.ts';
import { addPlayground } from './playgrounds/add-playground.ts';
import { removePlayground } from './playgrounds/remove-playground.ts';
import { getPresence } from './presence/get-presence.ts';
import { getRealmPresence } from './presence/get-realm-presence.ts';
import { updatePresence } from './presence/update-presence.ts';
import { addProfileField } from './profile-fields/add-profile-field.ts';
import { getProfileFields } from './profile-fields/get-profile-fields.ts';
import { removeProfileData } from './profile-fields/remove-profile-data.ts';
import { removeProfileField } from './profile-fields/remove-profile-field.ts';
import { reorderProfileFields } from './profile-fields/reorder-profile-fields.ts';
import { setProfileData } from './profile-fields/set-profile-data.ts';
import { updateProfileField } from './profile-fields/update-profile-field.ts';
import { addApnsToken } from './push/add-apns-token.ts';
import { addFcmToken } from './push/add-fcm-token.ts';
import { addWebPush } from './push/add-web-push.ts';
import { getPushDevices } from './push/get-push-devices.ts';
import { getWebPush } from './push/get-web-push.ts';
import { registerPushDevice } from './push/register-push-device.ts';
import { removeApnsToken } from './push/remove-apns-token.ts';
import { removeFcmToken } from './push/remove-fcm-token.ts';
import { removePushDevice } from './push/remove-push-device.ts';
import { removeWebPush } from './push/remove-web-push.ts';
import { testDeviceNotification } from './push/test-device-notification.ts';
import { testTokenNotification } from './push/test-token-notification.ts';
import { addReaction } from './reactions/add-reaction.ts';
import { removeReaction } from './reactions/remove-reaction.ts';
import { getReadReceipts } from './reading/get-read-receipts.ts';
import { markAllAsRead } from './reading/mark-all-as-read.ts';
import { markChannelAsRead } from './reading/mark-channel-as-read.ts';
import { markTopicAsRead } from './reading/mark-topic-as-read.ts';
import { updateFlags } from './reading/update-flags.ts';
import { updateFlagsNarrow } from './reading/update-flags-narrow.ts';
import { deactivateRealm } from './realm/deactivate-realm.ts';
import { getAuditLog } from './realm/get-audit-log.ts';
import { getIcon } from './realm/get-icon.ts';
import { getLogo } from './realm/get-logo.ts';
import { removeIcon } from './realm/remove-icon.ts';
import { removeLogo } from './realm/remove-logo.ts';
import { setIcon } from './realm/set-icon.ts';
import { setLogo } from './realm/set-logo.ts';
import { testWelcomeMessage } from './realm/test-welcome-message.ts';
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
import { addPasskey, passkeyOptions } from './second-steps/add-passkey.ts';
import {
  beginApp,
  confirmApp,
  removeApp,
  removePasskey,
  renewCodes,
} from './second-steps/change-app.ts';
import { getSecondStep } from './second-steps/get-second-step.ts';
import { logInByPasskey, passkeyLogInOptions } from './second-steps/log-in-by-passkey.ts';
import { resetSecondStep } from './second-steps/reset-second-step.ts';
import { devFetchApiKey, devListUsers } from './server/dev-fetch-api-key.ts';
import { fetchApiKey } from './server/fetch-api-key.ts';
import { getServerSettings } from './server/get-server-settings.ts';
import { jwtFetchApiKey } from './server/jwt-fetch-api-key.ts';
import { createDemoSession } from './sessions/create-demo-session.ts';
import { createSession } from './sessions/create-session.ts';
import { endCurrentSession } from './sessions/end-current-session.ts';
import { endOtherSessions, endSession } from './sessions/end-session.ts';
import { getSessions } from './sessions/get-sessions.ts';
import { resetPassword } from './sessions/reset-password.ts';
import {
  updateDisplaySettings,
  updateNotificationSettings,
  updateSettings,
} from './settings/update-settings.ts';
import { getUserStatus } from './statuses/get-user-status.ts';
import { setOwnStatus } from './statuses/set-own-status.ts';
import { setUserStatus } from './statuses/set-user-status.ts';
import { changeSubscriptions } from './subscriptions/change-subscriptions.ts';
import { getSubscribers } from './subscriptions/get-subscribers.ts';
import { getSubscriptionStatus } from './subscriptions/get-subscription-status.ts';
import { getSubscriptions } from './subscriptions/get-subscriptions.ts';
import { subscribe } from './subscriptions/subscribe.ts';
import { unsubscribe } from './subscriptions/unsubscribe.ts';
import { updateSubscriptionProperties } from './subscriptions/update-subscription-properties.ts';
import { updateSubscriptionProperty } from './subscriptions/update-subscription-property.ts';
import { deleteTopic } from './topics/delete-topic.ts';
import { getTopics } from './topics/get-topics.ts';
import { muteTopic } from './topics/mute-topic.ts';
import { setTopicPolicy } from './topics/set-topic-policy.ts';
import { sendMessageTyping } from './typing/send-message-typing.ts';
import { sendTyping } from './typing/send-typing.ts';
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
import { getOwnUser } from './users/get-own-user.ts';
import { getUser } from './users/get-user.ts';
import { getUsers } from './users/get-users.ts';
import { markOnboardingStep } from './users/mark-onboarding-step.ts';
import { muteUser } from './users/mute-user.ts';
import { reactivateUser } from './users/reactivate-user.ts';
import { removeAvatar } from './users/remove-avatar.ts';
import { setAvatar } from './users/set-avatar.ts';
import { unmuteUser } from './users/unmute-user.ts';
import { updateUser } from './users/update-user.ts';

/** The endpoints in the order of the specification. */
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
  endChannelEmails,
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
  getWebPush,
  addWebPush,
  removeWebPush,
  getPushDevices,
  removePushDevice,
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
  getAuditLog,
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
  createSession,
  createDemoSession,
  getSessions,
  endCurrentSession,
  endSession,
  endOtherSessions,
  resetPassword,
  passkeyLogInOptions,
  logInByPasskey,
  getSecondStep,
  beginApp,
  confirmApp,
  removeApp,
  renewCodes,
  passkeyOptions,
  addPasskey,
  removePasskey,
  resetSecondStep,
  devFetchApiKey,
  jwtFetchApiKey,
  devListUsers,
  ...createCalls,
];

/** Every endpoint, and the document of them all. */
export const ENDPOINTS: readonly Endpoint[] = [...ALL, getOpenApi(ALL)];
