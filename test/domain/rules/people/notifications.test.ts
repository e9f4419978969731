import { expect, test } from 'vitest';
import {
  type Situation,
  type Trigger,
  triggerOf,
} from '../../../../src/domain/rules/people/notifications.ts';
import type { UserSettings } from '../../../../src/domain/wire/settings/user-settings.ts';

const ORDINARY: Situation = {
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
  channelWishes: { push: null, mail: null },
  channelWildcards: null,
};

const withSettings = (settings: Partial<UserSettings>) => ({
  user: { ...ORDINARY.user, settings },
});

/** The ways in which a message can concern a user. */
const MESSAGES = {
  direct: { isDirect: true },
  mention: { isMentioned: true },
  topicWildcard: { hasTopicWildcard: true },
  channelWildcard: { hasChannelWildcard: true },
  ordinary: {},
} as const satisfies Record<string, Partial<Situation>>;
type Kind = keyof typeof MESSAGES;
type Row = readonly [
  direct: Trigger | null,
  mention: Trigger | null,
  topicWildcard: Trigger | null,
  channelWildcard: Trigger | null,
  ordinary: Trigger | null,
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

/**
 * A row for each state of a user and their settings says why a direct message, a mention, and so on
 * up to an ordinary message is pushed.
 */
const TABLE: readonly [string, Partial<Situation>, Row][] = [
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
  [
    'but not this one',
    { channelWishes: { push: false, mail: true }, ...withSettings(everything) },
    [D, M, T, C, null],
  ],
  ['who wants this channel', { channelWishes: { push: true, mail: null } }, [D, M, T, C, S]],
  [
    'and muted it',
    { channelWishes: { push: true, mail: null }, isChannelMuted: true },
    [D, M, null, null, null],
  ],
  [
    'and muted it but not the topic',
    { channelWishes: { push: true, mail: null }, isChannelMuted: true, topicPolicy: 2 },
    [D, M, T, C, S],
  ],
  [
    'and muted the topic',
    { channelWishes: { push: true, mail: null }, topicPolicy: 1 },
    [D, M, null, null, null],
  ],

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
      channelWishes: { push: true, mail: null },
      ...withSettings({ enable_followed_topic_push_notifications: false }),
    },
    [D, M, T, C, S],
  ],
];

test.each(TABLE)('what is pushed to %s', (_, state, expected) => {
  const kinds = Object.keys(MESSAGES) as Kind[]; // its own names
  const triggers = kinds.map((kind) =>
    triggerOf('push', { ...ORDINARY, ...state, ...MESSAGES[kind] }),
  );
  expect(triggers).toEqual(expected);
});

/** The same table for mails, which have settings of their own; a user who is present gets none. */
const MAILS: readonly [string, Partial<Situation>, Row][] = [
  ['as everybody begins', {}, [D, M, T, C, null]],
  ['who is there', { isPresent: true }, NOTHING],
  ['who has read it', { isUnread: false }, NOTHING],
  ['who wants no pushes', withSettings({ ...offline, ...online }), [D, M, T, C, null]],
  [
    'who wants no mails of what is for them',
    withSettings({ enable_offline_email_notifications: false }),
    NOTHING,
  ],
  [
    'who wants all channels',
    withSettings({ enable_stream_email_notifications: true }),
    [D, M, T, C, S],
  ],
  ['who wants pushes of all channels', withSettings(everything), [D, M, T, C, null]],
  ['who wants this channel', { channelWishes: { push: null, mail: true } }, [D, M, T, C, S]],
  [
    'who wants all channels but this one',
    {
      channelWishes: { push: true, mail: false },
      ...withSettings({ enable_stream_email_notifications: true }),
    },
    [D, M, T, C, null],
  ],
  ['who follows the topic', followed, [D, M, T, C, F]],
  [
    'who follows it without mails',
    { ...followed, ...withSettings({ enable_followed_topic_email_notifications: false }) },
    [D, M, T, C, null],
  ],
];

test.each(MAILS)('what is mailed to %s', (_, state, expected) => {
  const kinds = Object.keys(MESSAGES) as Kind[]; // its own names
  const triggers = kinds.map((kind) =>
    triggerOf('mail', { ...ORDINARY, ...state, ...MESSAGES[kind] }),
  );
  expect(triggers).toEqual(expected);
});

test('a mention counts before a wildcard, the wildcard of a topic before that of a channel', () => {
  const all = { isMentioned: true, hasTopicWildcard: true, hasChannelWildcard: true };
  expect(triggerOf('push', { ...ORDINARY, ...all })).toBe('mention');
  expect(triggerOf('push', { ...ORDINARY, ...all, isMentioned: false })).toBe(
    'topic_wildcard_mention',
  );
});
