import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { Situation } from '../../domain/rules/people/notifications.ts';
import { FlagBit } from '../../domain/wire/flags.ts';
import type { Reads } from '../access/groups.ts';
import { bitsOf } from '../indexes/flag-reads.ts';
import * as userTopics from '../indexes/user-topics.ts';
import { isUnread } from '../reading/unread.ts';

/** Returns what decides on notifications: how a message concerns one of its recipients. */
export function situationOf(
  tx: Reads,
  user: UserRow,
  { message, isPresent }: { readonly message: MessageRow; readonly isPresent: boolean },
): Situation {
  const { id, channelId, topic } = message;
  const bits = bitsOf(tx, user.id, id);
  const subscription = channelId === null ? undefined : tx.subscriptions.get([channelId, user.id]);
  return {
    user,
    isSender: user.id === message.senderId,
    isUnread: isUnread(tx, user.id, message),
    isPresent,
    isDirect: channelId === null,
    isMentioned: (bits & FlagBit.mentioned) !== 0,
    hasTopicWildcard: (bits & FlagBit.topic_wildcard_mentioned) !== 0,
    hasChannelWildcard: message.hasChannelWildcard,
    topicPolicy: channelId === null ? 0 : userTopics.policyOf(tx, user.id, { channelId, topic }),
    isChannelMuted: subscription?.isMuted ?? false,
    channelWishes: {
      push: subscription?.pushNotifications ?? null,
      mail: subscription?.emailNotifications ?? null,
    },
    channelWildcards: subscription?.wildcardMentionsNotify ?? null,
  };
}
