/** The ways in which an account wants to be told of a message. */
import { type Contents, FOLLOWED } from '@confab/client/store';
import type { Arrived } from '../notifying.ts';
import type { AccountSettings } from './appearance.ts';

export interface Ways {
  readonly onDesktop: boolean;
  readonly withSound: boolean;
}

/** A message may ask for a person in several ways; each has settings of its own. */
type Reason = 'direct' | 'followed' | 'channel';

const SETTINGS: Readonly<
  Record<Reason, readonly [desktop: keyof AccountSettings, sound: keyof AccountSettings]>
> = {
  direct: ['enable_desktop_notifications', 'enable_sounds'],
  followed: [
    'enable_followed_topic_desktop_notifications',
    'enable_followed_topic_audible_notifications',
  ],
  channel: ['enable_stream_desktop_notifications', 'enable_stream_audible_notifications'],
};

const WILDCARDS = ['wildcard_mentioned', 'stream_wildcard_mentioned', 'topic_wildcard_mentioned'];

/** Returns how somebody is told of a message. */
export function waysOf({ message, flags }: Arrived, state: Contents): Ways {
  const settings = state.facts.user_settings;
  if (settings === undefined || message.sender_id === state.ownId || flags.includes('read')) {
    return { onDesktop: false, withSound: false };
  }
  const ways = { onDesktop: false, withSound: false };
  for (const reason of reasonsOf({ message, flags }, state, settings)) {
    const [desktop, sound] = SETTINGS[reason];
    const own = reason === 'channel' ? state.subscriptions.get(message.stream_id ?? -1) : undefined;
    // A channel follows the account until it has settings of its own.
    ways.onDesktop ||= own?.desktop_notifications ?? settings[desktop] === true;
    ways.withSound ||= own?.audible_notifications ?? settings[sound] === true;
  }
  return ways;
}

function reasonsOf(
  { message, flags }: Arrived,
  state: Contents,
  settings: AccountSettings,
): readonly Reason[] {
  const channelId = message.stream_id;
  if (channelId === undefined || flags.includes('mentioned')) return ['direct'];
  const reasons: Reason[] = [];
  const own = state.subscriptions.get(channelId);
  const policy = state.mutes.policyOf(channelId, message.subject);
  const isForAll = WILDCARDS.some((flag) => flags.includes(flag));
  const countsWildcards = own?.wildcard_mentions_notify ?? settings.wildcard_mentions_notify;
  if (flags.includes('has_alert_word') || (isForAll && countsWildcards)) reasons.push('direct');
  if (policy === FOLLOWED) {
    reasons.push('followed');
    if (isForAll && settings.enable_followed_topic_wildcard_mentions_notify) reasons.push('direct');
  }
  if (own !== undefined && !state.mutes.isMuted(channelId, message.subject)) {
    reasons.push('channel');
  }
  return reasons;
}
