/** The facts that are known of a person. */
import type { Contents } from '@confab/client/store';
import { roleName } from '../account/rights.ts';
import { app } from '../app.ts';

export interface Profile {
  readonly id: number;
  readonly name: string;
  readonly role: string;
  readonly isBot: boolean;
  readonly isActive: boolean;
  readonly isMuted: boolean;
  /** The real address; null where it is hidden. */
  readonly email: string | null;
  readonly statusText: string;
  /** The code of the emoji of the status, if it is one of Unicode. */
  readonly statusEmoji: string | null;
  readonly timezone: string;
  /** The owner of a bot. */
  readonly ownerId: number | null;
  /** ISO 8601. */
  readonly joined: string;
  /** Values of custom fields, by id. */
  readonly values: ReadonlyMap<number, string>;
}

/** Returns what is known of a person; null if the account may not see them. */
export function profileIn(state: Contents, id: number): Profile | null {
  const user = state.users.get(id);
  if (user === undefined) return null;
  const status = state.statuses.get(id);
  return {
    id,
    name: user.full_name,
    role: user.is_bot ? 'Bot' : roleName(user.role),
    isBot: user.is_bot,
    isActive: user.is_active,
    isMuted: state.mutedUsers.has(id),
    email: user.delivery_email,
    statusText: status?.status_text ?? '',
    statusEmoji: status?.reaction_type === 'unicode_emoji' ? (status.emoji_code ?? null) : null,
    timezone: user.timezone ?? '',
    ownerId: user.bot_owner_id,
    joined: user.date_joined,
    values: new Map(
      Object.entries(user.profile_data ?? {}).map(([field, { value }]) => [Number(field), value]),
    ),
  };
}

/**
 * Returns when somebody was here last, in milliseconds; null if that is too long ago for the server
 * to tell.
 */
export function lastHere({ presence }: Contents, id: number): number | null {
  const known = presence.get(id);
  if (known === undefined) return null;
  const seconds = Math.max(known.active_timestamp, known.idle_timestamp);
  return seconds === 0 ? null : seconds * 1_000;
}

/** Returns what mentions somebody in a message. */
export const mentionText = (state: Contents, id: number): string => {
  const user = state.users.get(id);
  if (user === undefined) return '';
  let namesakes = 0;
  for (const { full_name: name } of state.users.values())
    if (name === user.full_name) namesakes += 1;
  return namesakes > 1 ? `@**${user.full_name}|${id}**` : `@**${user.full_name}**`;
};

/** Lists of the people of one's channels are fetched unasked if they have so many ids together. */
export const COMMON_UNASKED_MAX = 20_000;

/** Returns how many ids the lists of the people of one's own channels have. */
export function sizeOfOwnChannels({ channels, subscriptions }: Contents): number {
  let size = 0;
  for (const id of subscriptions.keys()) size += channels.get(id)?.subscriber_count ?? 0;
  return size;
}

/** Fetches the channels that the account shares with somebody, by name. */
export async function channelsInCommon(userId: number): Promise<readonly number[]> {
  const { subscriptions } = await app.chat.call('GET', '/users/me/subscriptions', {
    include_subscribers: 'true',
  });
  return subscriptions
    .filter(({ subscribers = [] }) => subscribers.includes(userId))
    .sort((one, other) => one.name.localeCompare(other.name))
    .map(({ stream_id: id }) => id);
}

/** Returns the clock of a time zone; null for one that the browser does not know. */
export function localTime(timezone: string, atMs: number): string | null {
  if (timezone === '') return null;
  try {
    return new Intl.DateTimeFormat(undefined, {
      timeZone: timezone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
    }).format(atMs);
  } catch {
    return null;
  }
}

export interface ProfileField {
  readonly id: number;
  readonly name: string;
  readonly type: number;
  /** The names of options, by their values. */
  readonly options: ReadonlyMap<string, string>;
}

/** Types of fields whose values need more than their text. */
const OPTIONS = 3;
export const USERS = 6;

/** Fetches the custom fields of profiles. */
export async function profileFields(): Promise<readonly ProfileField[]> {
  const { custom_fields: fields } = await app.chat.call('GET', '/realm/profile_fields');
  return fields.map(({ id, name, type, field_data: data }) => ({
    id,
    name,
    type,
    options: type === OPTIONS ? optionsIn(data) : new Map(),
  }));
}

function optionsIn(data: string): ReadonlyMap<string, string> {
  try {
    const options = JSON.parse(data) as Readonly<Record<string, { readonly text: string }>>;
    return new Map(Object.entries(options).map(([value, { text }]) => [value, text]));
  } catch {
    return new Map();
  }
}

/** Returns the words of a value; of people, their names. */
export function valueText(
  { type, options }: ProfileField,
  value: string,
  nameOf: (userId: number) => string,
): string {
  if (type !== USERS) return options.get(value) ?? value;
  try {
    return (JSON.parse(value) as readonly number[]).map(nameOf).join(', ');
  } catch {
    return value;
  }
}

/** Hides what somebody writes, or shows it again. */
export const mutePerson = (id: number, isMuted: boolean) =>
  isMuted
    ? app.chat.call('POST', '/users/me/muted_users/{muted_user_id}', { muted_user_id: id })
    : app.chat.call('DELETE', '/users/me/muted_users/{muted_user_id}', { muted_user_id: id });
