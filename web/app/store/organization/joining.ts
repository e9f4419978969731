/** The settings that say who comes in, and where newcomers begin. */
import type { Contents } from '@confab/client/store';
import { app } from '../app.ts';

export interface DefaultChannel {
  readonly id: number;
  readonly name: string;
  readonly isDefault: boolean;
}

/** Returns the channels that newcomers may begin with: private ones are none of them. */
export function defaultChannels({ channels, facts }: Contents): readonly DefaultChannel[] {
  const ids = new Set(facts.realm_default_streams);
  return [...channels.values()]
    .filter((channel) => !channel.is_archived && !channel.invite_only)
    .map(({ stream_id: id, name }) => ({ id, name, isDefault: ids.has(id) }))
    .sort((one, other) => one.name.localeCompare(other.name));
}

export const setDefault = (id: number, isWanted: boolean) =>
  isWanted
    ? app.chat.call('POST', '/default_streams', { stream_id: id })
    : app.chat.call('DELETE', '/default_streams', { stream_id: id });

export type Domain = NonNullable<Contents['facts']['realm_domains']>[number];

export const domains = (): readonly Domain[] => app.read('domains').facts.realm_domains ?? [];

export const addDomain = (domain: string, withSubdomains: boolean) =>
  app.chat.call('POST', '/realm/domains', {
    domain: domain.trim(),
    allow_subdomains: withSubdomains,
  });

export const removeDomain = (domain: string) =>
  app.chat.call('DELETE', '/realm/domains/{domain}', { domain });

export const WAITING: readonly (readonly [value: string, words: string])[] = [
  ['0', 'Not at all'],
  ['3', 'Three days'],
  ['7', 'A week'],
  ['30', '30 days'],
];

/** Returns the options of how long somebody is new, with the one that holds. */
export const waitingWith = (days: number | undefined): typeof WAITING =>
  days === undefined || WAITING.some(([one]) => one === String(days))
    ? WAITING
    : [...WAITING, [String(days), `${days} days`]];

export const setWaiting = (value: string) =>
  app.chat.call('PATCH', '/realm', { waiting_period_threshold: Number(value) });

/** The channel that tells of newcomers or of new channels; -1 is none. */
export const ANNOUNCEMENTS = [
  ['signup_announcements_stream_id', 'Newcomers are told of in'],
  ['new_stream_announcements_stream_id', 'New channels are told of in'],
  ['moderation_request_channel_id', 'Messages that are reported go to'],
] as const;

export type Announcement = (typeof ANNOUNCEMENTS)[number][0];

/** Returns the channels that an announcement may go to: reports go to a private one. */
export function announcementOptions(
  { channels }: Contents,
  name: Announcement,
): readonly (readonly [value: string, words: string])[] {
  const isPrivate = name === 'moderation_request_channel_id';
  const all = [...channels.values()]
    .filter((channel) => !channel.is_archived && (!isPrivate || channel.invite_only))
    .sort((one, other) => one.name.localeCompare(other.name))
    .map(({ stream_id: id, name: words }) => [String(id), `#${words}`] as const);
  return [['-1', 'No channel'], ...all];
}

export const setAnnouncement = (name: Announcement, value: string) =>
  app.chat.call('PATCH', '/realm', { [name]: Number(value) });
