import {
  USER_SETTINGS,
  type UserSettingName,
  type UserSettings,
} from '../../wire/settings/user-settings.ts';

/** How somebody is told of a message who may not be looking. */
export type Medium = 'push' | 'mail';

/** Why somebody is told of a message: the first that holds, in this order. */
export type Trigger =
  | 'direct_message'
  | 'mention'
  | 'topic_wildcard_mention'
  | 'channel_wildcard_mention'
  | 'followed_topic'
  | 'channel_message';

/** A message, and one of those who received it. */
export interface Situation {
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
  readonly channelWishes: Readonly<Record<Medium, boolean | null>>;
  readonly channelWildcards: boolean | null;
}

/** What decides, by the medium. Mails are for those who are away. */
const SETTINGS = {
  push: {
    whenPresent: 'enable_online_push_notifications',
    personal: 'enable_offline_push_notifications',
    ofFollowed: 'enable_followed_topic_push_notifications',
    ofChannels: 'enable_stream_push_notifications',
  },
  mail: {
    whenPresent: null,
    personal: 'enable_offline_email_notifications',
    ofFollowed: 'enable_followed_topic_email_notifications',
    ofChannels: 'enable_stream_email_notifications',
  },
} as const satisfies Record<Medium, Record<string, UserSettingName | null>>;

/**
 * Whether somebody is told of a message by push, or by mail, and why (reference/endpoints.md 1.4 and 2.4). Who is mentioned
 * hears of it whatever they muted; of a wildcard, or a message like any other, nobody hears out of what is muted.
 */
export function triggerOf(medium: Medium, situation: Situation): Trigger | null {
  const { user } = situation;
  if (!user.isActive || user.botType !== null) return null;
  if (situation.isSender || !situation.isUnread) return null;
  const wants = (name: BooleanSetting) => user.settings[name] ?? USER_SETTINGS[name].default;
  const { whenPresent, personal, ofFollowed, ofChannels } = SETTINGS[medium];
  if (situation.isPresent && (whenPresent === null || !wants(whenPresent))) return null;
  const reason = wants(personal) ? personalTrigger(situation, wants) : null;
  if (reason !== null || situation.isDirect) return reason;
  if (isFollowed(situation) && wants(ofFollowed)) return 'followed_topic';
  const isWanted = situation.channelWishes[medium] ?? wants(ofChannels);
  return isWanted && !isMuted(situation) ? 'channel_message' : null;
}

type BooleanSetting = {
  [Name in UserSettingName]: UserSettings[Name] extends boolean ? Name : never;
}[UserSettingName];
type Wants = (name: BooleanSetting) => boolean;

/** What is for the user in particular: all of it has one setting. */
function personalTrigger(situation: Situation, wants: Wants): Trigger | null {
  if (situation.isDirect) return 'direct_message';
  if (situation.isMentioned) return 'mention';
  const isHeard =
    (isFollowed(situation) && wants('enable_followed_topic_wildcard_mentions_notify')) ||
    (!isMuted(situation) && (situation.channelWildcards ?? wants('wildcard_mentions_notify')));
  if (!isHeard) return null;
  if (situation.hasTopicWildcard) return 'topic_wildcard_mention';
  return situation.hasChannelWildcard ? 'channel_wildcard_mention' : null;
}

const isFollowed = ({ topicPolicy }: Situation) => topicPolicy === 3;

/** A topic that is unmuted or followed is heard in a muted channel. */
const isMuted = ({ topicPolicy, isChannelMuted }: Situation) =>
  topicPolicy === 1 || (isChannelMuted && topicPolicy === 0);
