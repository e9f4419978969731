import { expect, test } from 'vitest';
import { type PushSituation, type PushTrigger, pushTrigger } from '../../src/domain/pushes.ts';
import type { UserSettings } from '../../src/domain/user-settings.ts';

const ORDINARY: PushSituation = {
  user: { isActive: true, botType: null, settings: {} },
  isSender: false,
  isUnread: true,
  isPresent: false,
  isDirect: false,
  isMentioned: false,
  hasTopicWildcard: false,
  hasChannelWildcard: false,
  topicPolicy: 0,
  isChannelMuted: false,
  channelPushes: null,
  channelWildcards: null,
};

const withSettings = (settings: Partial<UserSettings>) => ({
  user: { ...ORDINARY.user, settings },
});

/** What a message can be to somebody. */
const MESSAGES = {
  direct: { isDirect: true },
  mention: { isMentioned: true },
  topicWildcard: { hasTopicWildcard: true },
  channelWildcard: { hasChannelWildcard: true },
  ordinary: {},
} as const satisfies Record<string, Partial<PushSituation>>;
type Kind = keyof typeof MESSAGES;
type Row = readonly [
  direct: PushTrigger | null,
  mention: PushTrigger | null,
  topicWildcard: PushTrigger | null,
  channelWildcard: PushTrigger | null,
  ordinary: PushTrigger | null,
];

const [D, M, T, C, F, S] = [
  'direct_message',
  'mention',
  'topic_wildcard_mention',
  'channel_wildcard_mention',
  'followed_topic',
  'channel_message',
] as const;
const NOTHING: Row = [null, null, null, null, null];
const offline = { enable_offline_push_notifications: false };
const online = { enable_online_push_notifications: false };
const everything = { enable_stream_push_notifications: true };
const followed = { topicPolicy: 3 } as const;

/** For each state of a user and their settings: why a direct message, a mention, … an ordinary message is pushed. */
const TABLE: readonly [string, Partial<PushSituation>, Row][] = [
  ['as everybody begins', {}, [D, M, T, C, null]],
  ['the sender', { isSender: true }, NOTHING],
  ['who has read it', { isUnread: false }, NOTHING],
  ['a deactivated user', { user: { ...ORDINARY.user, isActive: false } }, NOTHING],
  ['a bot', { user: { ...ORDINARY.user, botType: 1 } }, NOTHING],

  ['who is there', { isPresent: true }, [D, M, T, C, null]],
  ['who is there and wants none then', { isPresent: true, ...withSettings(online) }, NOTHING],
  ['who is away and wants none when there', withSettings(online), [D, M, T, C, null]],

  ['who wants no pushes of what is for them', withSettings(offline), NOTHING],
  ['but of channels', withSettings({ ...offline, ...everything }), [null, S, S, S, S]],
  ['but of followed topics', { ...followed, ...withSettings(offline) }, [null, F, F, F, F]],

  ['who wants all channels', withSettings(everything), [D, M, T, C, S]],
  ['but not this one', { channelPushes: false, ...withSettings(everything) }, [D, M, T, C, null]],
  ['who wants this channel', { channelPushes: true }, [D, M, T, C, S]],
  ['and muted it', { channelPushes: true, isChannelMuted: true }, [D, M, null, null, null]],
  [
    'and muted it but not the topic',
    { channelPushes: true, isChannelMuted: true, topicPolicy: 2 },
    [D, M, T, C, S],
  ],
  ['and muted the topic', { channelPushes: true, topicPolicy: 1 }, [D, M, null, null, null]],

  [
    'who wants no wildcards',
    withSettings({ wildcard_mentions_notify: false }),
    [D, M, null, null, null],
  ],
  [
    'but those of this channel',
    { channelWildcards: true, ...withSettings({ wildcard_mentions_notify: false }) },
    [D, M, T, C, null],
  ],
  ['who wants none of this channel', { channelWildcards: false }, [D, M, null, null, null]],

  ['who follows the topic', followed, [D, M, T, C, F]],
  ['in a muted channel', { ...followed, isChannelMuted: true }, [D, M, T, C, F]],
  ['with no wildcards of the channel', { ...followed, channelWildcards: false }, [D, M, T, C, F]],
  [
    'and wants no wildcards there, nor elsewhere',
    {
      ...followed,
      channelWildcards: false,
      ...withSettings({ enable_followed_topic_wildcard_mentions_notify: false }),
    },
    [D, M, F, F, F],
  ],
  [
    'and wants no pushes of it',
    { ...followed, ...withSettings({ enable_followed_topic_push_notifications: false }) },
    [D, M, T, C, null],
  ],
  [
    'and wants no pushes of it, but of the channel',
    {
      ...followed,
      channelPushes: true,
      ...withSettings({ enable_followed_topic_push_notifications: false }),
    },
    [D, M, T, C, S],
  ],
];

test.each(TABLE)('what is pushed to %s', (_, state, expected) => {
  const kinds = Object.keys(MESSAGES) as Kind[]; // its own names
  const triggers = kinds.map((kind) => pushTrigger({ ...ORDINARY, ...state, ...MESSAGES[kind] }));
  expect(triggers).toEqual(expected);
});

test('a mention counts before a wildcard, the wildcard of a topic before that of a channel', () => {
  const all = { isMentioned: true, hasTopicWildcard: true, hasChannelWildcard: true };
  expect(pushTrigger({ ...ORDINARY, ...all })).toBe('mention');
  expect(pushTrigger({ ...ORDINARY, ...all, isMentioned: false })).toBe('topic_wildcard_mention');
});
