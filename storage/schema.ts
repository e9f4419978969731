import { apiKeys } from './tables/api-keys.ts';
import { channelMessages } from './tables/channel-messages.ts';
import { channelNames } from './tables/channel-names.ts';
import { channels } from './tables/channels.ts';
import { conversationMembers } from './tables/conversation-members.ts';
import { conversations } from './tables/conversations.ts';
import { counters } from './tables/counters.ts';
import { directMessages } from './tables/direct-messages.ts';
import { events } from './tables/events.ts';
import { firstResultTimes } from './tables/first-result-times.ts';
import { firstResults } from './tables/first-results.ts';
import { flaggedMessages } from './tables/flagged-messages.ts';
import { membershipChanges } from './tables/membership-changes.ts';
import { messageFlags } from './tables/message-flags.ts';
import { messages } from './tables/messages.ts';
import { queues } from './tables/queues.ts';
import { realm } from './tables/realm.ts';
import { senderMessages } from './tables/sender-messages.ts';
import { subscriptions } from './tables/subscriptions.ts';
import { topicMessages } from './tables/topic-messages.ts';
import { topics } from './tables/topics.ts';
import { userChannels } from './tables/user-channels.ts';
import { userConversations } from './tables/user-conversations.ts';
import { userEmails } from './tables/user-emails.ts';
import { userNames } from './tables/user-names.ts';
import { users } from './tables/users.ts';

/** Every table of a realm's environment. */
export const TABLES = {
  apiKeys,
  channelMessages,
  channelNames,
  channels,
  conversationMembers,
  conversations,
  counters,
  directMessages,
  events,
  firstResultTimes,
  firstResults,
  flaggedMessages,
  membershipChanges,
  messageFlags,
  messages,
  queues,
  realm,
  senderMessages,
  subscriptions,
  topicMessages,
  topics,
  userChannels,
  userConversations,
  userEmails,
  userNames,
  users,
} as const;

/** Raised with each migration; an environment of a higher one is refused. */
export const SCHEMA_VERSION = 1;
