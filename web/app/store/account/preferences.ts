/** The settings that an account keeps on the server, in groups, with the words for them. */
import type { ParamsOf } from '@confab/client';
import { app } from '../app.ts';

type AccountChange = NonNullable<ParamsOf<'PATCH', '/settings'>>;

export const changeAccount = (change: AccountChange) => app.chat.call('PATCH', '/settings', change);

type Value = boolean | number | string;

/** Names of settings whose values are of a type. */
type NamesOf<Kind extends Value> = {
  [Name in keyof AccountChange]-?: NonNullable<AccountChange[Name]> extends Kind ? Name : never;
}[keyof AccountChange];

export type Toggle = NamesOf<boolean>;
export type Chosen = NamesOf<number | string>;

export interface ToggleWords {
  readonly name: Toggle;
  readonly label: string;
  readonly hint?: string;
}

export interface ChoiceWords {
  readonly name: Chosen;
  readonly label: string;
  readonly hint?: string;
  readonly options: readonly (readonly [value: number | string, words: string])[];
}

const kept = (): Readonly<Record<string, unknown>> =>
  app.read('settings').facts.user_settings ?? {};

/** Returns whether a setting of the account is on. */
export const isOn = (name: Toggle): boolean => kept()[name] === true;

export const setToggle = (name: Toggle, wanted: boolean) => changeAccount({ [name]: wanted });

/** Returns the value of a setting; undefined until the account is known. */
export function chosenOf(name: Chosen): number | string | undefined {
  const value = kept()[name];
  return typeof value === 'number' || typeof value === 'string' ? value : undefined;
}

export const setChosen = (name: Chosen, value: number | string) => changeAccount({ [name]: value });

/**
 * Returns the options of a setting as a field shows them. A value that another client has set and
 * that is none of them is one as well, so that the field says what is.
 */
export function optionsOf(
  { options }: Pick<ChoiceWords, 'options'>,
  value: number | string | undefined,
): readonly (readonly [string, string])[] {
  const texts = options.map(([one, words]) => [String(one), words] as const);
  if (value === undefined || options.some(([one]) => one === value)) return texts;
  return [...texts, [String(value), String(value)]];
}

export const SIZES: readonly ChoiceWords[] = [
  {
    name: 'web_font_size_px',
    label: 'Size of texts',
    options: [
      [14, 'Small'],
      [16, 'As the browser has it'],
      [18, 'Large'],
      [20, 'Larger'],
      [24, 'Largest'],
    ],
  },
  {
    name: 'web_line_height_percent',
    label: 'Room between lines',
    options: [
      [122, 'Little'],
      [140, 'Usual'],
      [160, 'More'],
      [180, 'Much'],
    ],
  },
];

export const CLOCK: ToggleWords = {
  name: 'twenty_four_hour_time',
  label: 'Hours from 0 to 23',
  hint: 'Without it, the clock is as the language of your browser has it.',
};

export const HOME: ChoiceWords = {
  name: 'web_home_view',
  label: 'The chat begins with',
  options: [
    ['inbox', 'the Inbox'],
    ['recent_topics', 'recent conversations'],
    ['all_messages', 'all messages'],
  ],
};

export const READING: ChoiceWords = {
  name: 'web_mark_read_on_scroll_policy',
  label: 'Messages that you have seen are read',
  options: [
    [1, 'in every view'],
    [2, 'in conversations, not in lists of several'],
    [3, 'only when you mark them'],
  ],
};

export const WRITING: readonly ToggleWords[] = [
  {
    name: 'enter_sends',
    label: 'Enter sends',
    hint: 'Shift and Enter begin a line then. Without it, Ctrl and Enter send.',
  },
  {
    name: 'translate_emoticons',
    label: 'Emoticons become emoji',
    hint: 'What you write as :) is shown as 🙂.',
  },
];

const WHEN_TAKING_PART = [
  [1, 'in which you do anything'],
  [2, 'to which you send'],
  [3, 'that you begin'],
  [4, 'only by hand'],
] as const;

export const FOLLOWING: readonly ChoiceWords[] = [
  {
    name: 'automatically_follow_topics_policy',
    label: 'You follow topics',
    options: WHEN_TAKING_PART,
  },
  {
    name: 'automatically_unmute_topics_in_muted_streams_policy',
    label: 'In muted channels, you hear of topics',
    options: WHEN_TAKING_PART,
  },
];

export const FOLLOWS_MENTIONS: ToggleWords = {
  name: 'automatically_follow_topics_where_mentioned',
  label: 'You follow topics in which you are mentioned',
};

/** The ways in which somebody may be told of messages, by the kind of message. */
export const NOTIFICATIONS: readonly {
  readonly title: string;
  readonly settings: readonly ToggleWords[];
}[] = [
  {
    title: 'Mentions and direct messages',
    settings: [
      { name: 'enable_desktop_notifications', label: 'On the desktop' },
      { name: 'enable_sounds', label: 'With a sound' },
      { name: 'enable_offline_push_notifications', label: 'By push, when you are away' },
      { name: 'enable_online_push_notifications', label: 'By push, also while you are here' },
      { name: 'enable_offline_email_notifications', label: 'By mail, when you are away' },
      { name: 'wildcard_mentions_notify', label: 'Also mentions of everybody' },
    ],
  },
  {
    title: 'Topics that you follow',
    settings: [
      { name: 'enable_followed_topic_desktop_notifications', label: 'On the desktop' },
      { name: 'enable_followed_topic_audible_notifications', label: 'With a sound' },
      { name: 'enable_followed_topic_push_notifications', label: 'By push' },
      { name: 'enable_followed_topic_email_notifications', label: 'By mail' },
      {
        name: 'enable_followed_topic_wildcard_mentions_notify',
        label: 'Mentions of everybody, as those of you',
      },
    ],
  },
  {
    title: 'All messages of your channels',
    settings: [
      { name: 'enable_stream_desktop_notifications', label: 'On the desktop' },
      { name: 'enable_stream_audible_notifications', label: 'With a sound' },
      { name: 'enable_stream_push_notifications', label: 'By push' },
      { name: 'enable_stream_email_notifications', label: 'By mail' },
    ],
  },
  {
    title: 'What they say',
    settings: [
      {
        name: 'pm_content_in_desktop_notifications',
        label: 'The text of direct messages on the desktop',
      },
      { name: 'message_content_in_email_notifications', label: 'The text of messages in mails' },
    ],
  },
  {
    title: 'Other mails',
    settings: [{ name: 'enable_digest_emails', label: 'What you missed, after days away' }],
  },
];

export const NOTIFYING: readonly ChoiceWords[] = [
  {
    name: 'notification_sound',
    label: 'Sound',
    options: [
      ['chime', 'Chime'],
      ['bell', 'Bell'],
      ['ding', 'Ding'],
      ['drop', 'Drop'],
      ['knock', 'Knock'],
      ['none', 'None'],
    ],
  },
  {
    name: 'email_notifications_batching_period_seconds',
    label: 'Mails wait, so that several come as one',
    options: [
      [30, 'Half a minute'],
      [120, 'Two minutes'],
      [300, 'Five minutes'],
      [600, 'Ten minutes'],
      [3_600, 'An hour'],
    ],
  },
];

/** Settings of what others see. */
export const PRIVACY: readonly ToggleWords[] = [
  { name: 'presence_enabled', label: 'Others see whether I am here' },
  { name: 'send_private_typing_notifications', label: 'Others see that I write to them' },
  { name: 'send_stream_typing_notifications', label: 'Others see that I write in a channel' },
  { name: 'send_read_receipts', label: 'Others see what I have read' },
  {
    name: 'allow_private_data_export',
    label: 'Administrators may export my private messages',
    hint: 'Without it, an export has only what is public.',
  },
];

export const VISIBILITY: ChoiceWords = {
  name: 'email_address_visibility',
  label: 'My mail address is seen by',
  options: [
    [1, 'everybody in the organization'],
    [2, 'members, not guests'],
    [5, 'moderators and administrators'],
    [3, 'administrators'],
    [4, 'nobody'],
  ],
};

export const SEES_TYPING: ToggleWords = {
  name: 'receives_typing_notifications',
  label: 'I see that others write',
};

export const RESOLVED_NOTICES: ChoiceWords = {
  name: 'resolved_topic_notice_auto_read_policy',
  label: 'Notices that a topic is resolved are read at once',
  options: [
    ['always', 'always'],
    ['except_followed', 'except in topics that you follow'],
    ['never', 'never'],
  ],
};

export const addAlertWord = (word: string) =>
  app.chat.call('POST', '/users/me/alert_words', { alert_words: [word.trim()] });

export const removeAlertWord = (word: string) =>
  app.chat.call('DELETE', '/users/me/alert_words', { alert_words: [word] });

export const alertWords = (): readonly string[] => app.read('alertWords').facts.alert_words ?? [];
