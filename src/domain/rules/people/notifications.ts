import {
  USER_SETTINGS,
  type UserSettingName,
  type UserSettings,
} from '../../wire/settings/user-settings.ts';

/** The medium by which a user who may not be looking is notified of a message. */
export type Medium = 'push' | 'mail';

/** The reason why a user is notified of a message: the first that holds, in this order. */
export type Trigger =
  | 'direct_message'
  | 'mention'
  | 'topic_wildcard_mention'
  | 'channel_wildcard_mention'
  | 'followed_topic'
  | 'channel_message';

/** A message, and one of its recipients. */
export interface Situation {
  readonly user: {
    readonly isActive: boolean;
    readonly botType: number | null;
    /** Only the settings that differ from the defaults. */
    readonly settings: Partial<UserSettings>;
  };
  readonly isSender: boolean;
  readonly isUnread: boolean;
  /** True if the user is at a client at this moment. */
  readonly isPresent: boolean;
  readonly isDirect: boolean;
  /** True if the message mentions the user by name, or as a member of a group. */
  readonly isMentioned: boolean;
  readonly hasTopicWildcard: boolean;
  readonly hasChannelWildcard: boolean;
  /** The user's policy for the topic: 0 none, 1 muted, 2 unmuted, 3 followed. */
  readonly topicPolicy: 0 | 1 | 2 | 3;
  /** The user's settings for the channel; null falls back to the setting for all channels. */
  readonly isChannelMuted: boolean;
  readonly channelWishes: Readonly<Record<Medium, boolean | null>>;
  readonly channelWildcards: boolean | null;
}

/** The settings that decide for each medium. Mails are only for users who are away. */
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
 * Decides whether a user is notified of a message by push or by mail, and why
 * (reference/endpoints.md 1.4 and 2.4). A personal mention notifies in muted channels and topics
 * too; a wildcard, or a message like any other, never does.
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
  const isEnabled = situation.channelWishes[medium] ?? wants(ofChannels);
  return isEnabled && !isMuted(situation) ? 'channel_message' : null;
}

type BooleanSetting = {
  [Name in UserSettingName]: UserSettings[Name] extends boolean ? Name : never;
}[UserSettingName];
type Wants = (name: BooleanSetting) => boolean;

/**
 * Returns the reason if the message is addressed to the user; one setting covers all such reasons.
 */
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

/** A topic that is unmuted or followed counts in a muted channel as well. */
const isMuted = ({ topicPolicy, isChannelMuted }: Situation) =>
  topicPolicy === 1 || (isChannelMuted && topicPolicy === 0);
