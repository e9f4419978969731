import { USER_SETTINGS, type UserSettings } from './user-settings.ts';

/** Why somebody is pushed a message: the first that holds, in this order. */
export type PushTrigger =
  | 'direct_message'
  | 'mention'
  | 'topic_wildcard_mention'
  | 'channel_wildcard_mention'
  | 'followed_topic'
  | 'channel_message';

/** A message, and one of those who received it. */
export interface PushSituation {
  readonly user: {
    readonly isActive: boolean;
    readonly botType: number | null;
    /** Only what differs from the defaults. */
    readonly settings: Partial<UserSettings>;
  };
  readonly isSender: boolean;
  readonly isUnread: boolean;
  /** At a client at this moment. */
  readonly isPresent: boolean;
  readonly isDirect: boolean;
  /** By name, or as a member of a group. */
  readonly isMentioned: boolean;
  readonly hasTopicWildcard: boolean;
  readonly hasChannelWildcard: boolean;
  /** 0 none, 1 muted, 2 unmuted, 3 followed; what the user decided about the topic. */
  readonly topicPolicy: 0 | 1 | 2 | 3;
  /** What the user decided about the channel; null goes by the setting for all channels. */
  readonly isChannelMuted: boolean;
  readonly channelPushes: boolean | null;
  readonly channelWildcards: boolean | null;
}

/**
 * Whether a message is pushed to the devices of somebody, and why (reference/endpoints.md 1.4 and 2.4). Who is mentioned
 * hears of it whatever they muted; a wildcard, or a message like any other, is not pushed out of what is muted.
 */
export function pushTrigger(situation: PushSituation): PushTrigger | null {
  const { user } = situation;
  if (!user.isActive || user.botType !== null) return null;
  if (situation.isSender || !situation.isUnread) return null;
  const wants = (name: PushSetting) => user.settings[name] ?? USER_SETTINGS[name].default;
  if (situation.isPresent && !wants('enable_online_push_notifications')) return null;
  return personalTrigger(situation, wants) ?? channelTrigger(situation, wants);
}

type PushSetting =
  | 'enable_offline_push_notifications'
  | 'enable_online_push_notifications'
  | 'enable_stream_push_notifications'
  | 'enable_followed_topic_push_notifications'
  | 'enable_followed_topic_wildcard_mentions_notify'
  | 'wildcard_mentions_notify';
type Wants = (name: PushSetting) => boolean;

/** What is for the user in particular: all of it has one setting. */
function personalTrigger(situation: PushSituation, wants: Wants): PushTrigger | null {
  if (!wants('enable_offline_push_notifications')) return null;
  if (situation.isDirect) return 'direct_message';
  if (situation.isMentioned) return 'mention';
  const isHeard =
    (isFollowed(situation) && wants('enable_followed_topic_wildcard_mentions_notify')) ||
    (!isMuted(situation) && (situation.channelWildcards ?? wants('wildcard_mentions_notify')));
  if (!isHeard) return null;
  if (situation.hasTopicWildcard) return 'topic_wildcard_mention';
  return situation.hasChannelWildcard ? 'channel_wildcard_mention' : null;
}

function channelTrigger(situation: PushSituation, wants: Wants): PushTrigger | null {
  if (situation.isDirect) return null;
  if (isFollowed(situation) && wants('enable_followed_topic_push_notifications')) {
    return 'followed_topic';
  }
  const isWanted = situation.channelPushes ?? wants('enable_stream_push_notifications');
  return isWanted && !isMuted(situation) ? 'channel_message' : null;
}

const isFollowed = ({ topicPolicy }: PushSituation) => topicPolicy === 3;

/** A topic that is unmuted or followed is heard in a muted channel. */
const isMuted = ({ topicPolicy, isChannelMuted }: PushSituation) =>
  topicPolicy === 1 || (isChannelMuted && topicPolicy === 0);
