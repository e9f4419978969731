/** The settings that an account keeps on the server. */
import type { ParamsOf, ReplyOf } from '@confab/client';
import { app } from '../app.ts';

export type Session = ReplyOf<'GET', '/sessions'>['sessions'][number];

type AccountChange = NonNullable<ParamsOf<'PATCH', '/settings'>>;

export const changeAccount = (change: AccountChange) => app.chat.call('PATCH', '/settings', change);

/** Other browsers are logged out by it, and keys of programs end. */
export const changePassword = (before: string, after: string) =>
  changeAccount({ old_password: before, new_password: after });

export const sessions = async (): Promise<readonly Session[]> =>
  (await app.chat.call('GET', '/sessions')).sessions;

export const endSession = (id: string) =>
  app.chat.call('DELETE', '/sessions/{session_id}', { session_id: id });

/** Logs all other browsers out. */
export const endOtherSessions = () => app.chat.call('DELETE', '/sessions');

/** Returns the key with which programs act as the account. */
export async function apiKey(password: string): Promise<string> {
  const state = app.read('own');
  const own = state.users.get(state.ownId);
  const { api_key: key } = await app.chat.call('POST', '/fetch_api_key', {
    username: own?.delivery_email ?? own?.email ?? '',
    password,
  });
  return key;
}

export interface OwnStatus {
  readonly text: string;
  /** The name of an emoji; empty for none. */
  readonly emoji: string;
}

export const setStatus = ({ text, emoji }: OwnStatus) =>
  app.chat.call('POST', '/users/me/status', { status_text: text.trim(), emoji_name: emoji });

/** Statuses that are set with one click. */
export const STATUSES: readonly OwnStatus[] = [
  { text: 'In a meeting', emoji: 'calendar' },
  { text: 'Commuting', emoji: 'bus' },
  { text: 'At home', emoji: 'house' },
  { text: 'Out sick', emoji: 'sick' },
  { text: 'On vacation', emoji: 'palm_tree' },
];

/** The notifications that the server sends, or that all clients follow, by groups. */
export const NOTIFICATIONS = [
  {
    title: 'Mentions and direct messages',
    settings: [
      ['enable_desktop_notifications', 'On the desktop'],
      ['enable_sounds', 'With a sound'],
      ['enable_offline_push_notifications', 'On the phone, when you are away'],
      ['enable_offline_email_notifications', 'By mail, when you are away'],
      ['wildcard_mentions_notify', 'Also mentions of everybody'],
    ],
  },
  {
    title: 'Topics that you follow',
    settings: [
      ['enable_followed_topic_desktop_notifications', 'On the desktop'],
      ['enable_followed_topic_audible_notifications', 'With a sound'],
      ['enable_followed_topic_push_notifications', 'On the phone'],
      ['enable_followed_topic_email_notifications', 'By mail'],
    ],
  },
  {
    title: 'All messages of your channels',
    settings: [
      ['enable_stream_desktop_notifications', 'On the desktop'],
      ['enable_stream_audible_notifications', 'With a sound'],
      ['enable_stream_push_notifications', 'On the phone'],
      ['enable_stream_email_notifications', 'By mail'],
    ],
  },
  {
    title: 'Mails',
    settings: [
      ['message_content_in_email_notifications', 'With the text of messages'],
      ['enable_login_emails', 'When somebody logs in as you'],
      ['enable_digest_emails', 'What you missed, after days away'],
    ],
  },
] as const;

/** Settings of what others see. */
export const PRIVACY = [
  ['presence_enabled', 'Others see whether I am here'],
  ['send_private_typing_notifications', 'Others see that I write to them'],
  ['send_stream_typing_notifications', 'Others see that I write in a channel'],
  ['send_read_receipts', 'Others see what I have read'],
] as const;

export type Toggle =
  | (typeof NOTIFICATIONS)[number]['settings'][number][0]
  | (typeof PRIVACY)[number][0];

/** Returns whether a setting of the account is on. */
export const isOn = (name: Toggle): boolean =>
  app.read('settings').facts.user_settings?.[name] === true;

export const setToggle = (name: Toggle, wanted: boolean) => changeAccount({ [name]: wanted });
