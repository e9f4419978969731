import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { NEW_SUBSCRIPTION_MESSAGES_MAX } from '../../domain/limits/channels.ts';
import { fenced } from '../../domain/rules/texts/fenced.ts';
import { isGuest } from '../../domain/wire/roles.ts';
import type { Caller, Site } from '../access/caller.ts';
import { type Reads, realmSetting } from '../access/groups.ts';
import * as notices from '../posting/notices.ts';

/** The topic of notices about a channel. */
const CHANNEL_EVENTS_TOPIC = 'channel events';
const NEW_CHANNELS_TOPIC = 'new channels';
const SIGNUPS_TOPIC = 'signups';

/**
 * Sends each user whom another one subscribed to existing channels a message that lists them.
 * Returns false, and sends none, if they are too many (reference/endpoints.md 1.5:
 * `new_subscription_messages_sent`).
 */
export function notifySubscribed(
  tx: RealmTransaction,
  { user, site }: Caller,
  joinedBy: ReadonlyMap<number, readonly ChannelRow[]>,
  created: readonly ChannelRow[],
): boolean {
  if (joinedBy.size > NEW_SUBSCRIPTION_MESSAGES_MAX) return false;
  const isNew = new Set(created.map(({ id }) => id));
  for (const [userId, joined] of joinedBy) {
    const person = tx.users.get([userId]);
    const known = joined.filter(({ id }) => !isNew.has(id));
    if (person === undefined || person.id === user.id || person.botType !== null) continue;
    if (known.length === 0) continue;
    const what =
      known.length === 1
        ? `the channel ${known.map(channelLink).join()}.`
        : `the following channels:\n\n${known.map((channel) => `* ${channelLink(channel)}`).join('\n')}`;
    const content = `${notices.silentMention(user)} subscribed you to ${what}`;
    notices.toPeople(tx, site, { people: [person], content });
  }
  return true;
}

/** Announces new channels in the organization's channel for it, if there is one. */
export function announceCreated(
  tx: RealmTransaction,
  { user, site }: Caller,
  created: readonly ChannelRow[],
) {
  const channel = announcementChannel(tx, 'new_stream_announcements_stream_id');
  if (channel === undefined || created.length === 0) return;
  const what =
    created.length === 1
      ? `a new channel ${created.map(channelLink).join()}.`
      : `the following channels: ${created.map(channelLink).join(', ')}.`;
  const content = `${notices.silentMention(user)} created ${what}`;
  notices.toChannel(tx, site, { channel, topic: topicIn(channel, NEW_CHANNELS_TOPIC), content });
}

/** Announces a new user in the organization's channel for it, if there is one. */
export function announceJoined(tx: RealmTransaction, site: Site, user: UserRow) {
  const channel = announcementChannel(tx, 'signup_announcements_stream_id');
  if (channel === undefined) return;
  const as = isGuest(user.role) ? ' as a guest' : '';
  const content = `${notices.silentMention(user)} joined this organization${as}.`;
  notices.toChannel(tx, site, { channel, topic: topicIn(channel, SIGNUPS_TOPIC), content });
}

type AnnouncementSetting =
  | 'new_stream_announcements_stream_id'
  | 'signup_announcements_stream_id'
  | 'service_update_announcements_stream_id';

/** Returns the channel that a setting names, unless it is archived. */
export function announcementChannel(
  tx: Reads,
  setting: AnnouncementSetting,
): ChannelRow | undefined {
  const channel = tx.channels.get([realmSetting(tx, setting)]);
  return channel?.isArchived === false ? channel : undefined;
}

/** A channel as it is now, and as it was. */
interface Changed {
  readonly channel: ChannelRow;
  readonly former: ChannelRow;
}

/** Sends the first message of a channel: who may read it, who made it and what it is for. */
export const notifyCreation = (tx: RealmTransaction, caller: Caller, channel: ChannelRow) =>
  toChannelEvents(tx, caller, channel, [
    `**${privacyName(channel)}** channel created by ${by(caller)}. **Description:**`,
    quoted(channel.description),
  ]);

export const notifyRenamed = (tx: RealmTransaction, caller: Caller, { channel, former }: Changed) =>
  toChannelEvents(tx, caller, channel, [
    `${by(caller)} renamed channel **${former.name}** to **${channel.name}**.`,
  ]);

export const notifyDescribed = (
  tx: RealmTransaction,
  caller: Caller,
  { channel, former }: Changed,
) =>
  toChannelEvents(tx, caller, channel, [
    `${by(caller)} changed the description for this channel.`,
    '',
    '* **Old description:**',
    quoted(former.description),
    '* **New description:**',
    quoted(channel.description),
  ]);

export const notifyPrivacy = (
  tx: RealmTransaction,
  caller: Caller,
  { channel, former }: Changed,
) => {
  const [was, is] = [privacyName(former), privacyName(channel)];
  toChannelEvents(tx, caller, channel, [
    `${by(caller)} changed the access permissions for this channel from **${was}** to **${is}**.`,
  ]);
};

export const notifyRetention = (
  tx: RealmTransaction,
  caller: Caller,
  { channel, former }: Changed,
) => {
  const realmDays = realmSetting(tx, 'message_retention_days');
  toChannelEvents(tx, caller, channel, [
    `${by(caller)} has changed the message retention period for this channel:`,
    `* **Old retention period**: ${periodName(former.messageRetentionDays ?? realmDays)}`,
    `* **New retention period**: ${periodName(channel.messageRetentionDays ?? realmDays)}`,
  ]);
};

export const notifyPosting = (tx: RealmTransaction, caller: Caller, { channel }: Changed) =>
  toChannelEvents(tx, caller, channel, [`${by(caller)} changed who may post in this channel.`]);

export const notifyArchived = (tx: RealmTransaction, caller: Caller, channel: ChannelRow) =>
  toChannelEvents(tx, caller, channel, [`Channel ${channelLink(channel)} has been archived.`]);

export const notifyUnarchived = (tx: RealmTransaction, caller: Caller, channel: ChannelRow) =>
  toChannelEvents(tx, caller, channel, [`Channel ${channelLink(channel)} has been unarchived.`]);

function toChannelEvents(
  tx: RealmTransaction,
  { site }: Caller,
  channel: ChannelRow,
  lines: readonly string[],
) {
  if (!realmSetting(tx, 'send_channel_events_messages')) return;
  const topic = topicIn(channel, CHANNEL_EVENTS_TOPIC);
  notices.toChannel(tx, site, { channel, topic, content: lines.join('\n') });
}

/** Returns the topic for a notice; a channel with only the empty topic gets it there. */
export const topicIn = ({ topicsPolicy }: ChannelRow, topic: string) =>
  topicsPolicy === 'empty_topic_only' ? '' : topic;

const by = ({ user }: Caller) => notices.silentMention(user);
const channelLink = ({ name }: ChannelRow) => `#**${name}**`;
const quoted = (text: string) => fenced(text === '' ? '*No description.*' : text, 'quote');

const periodName = (days: number) => (days === -1 ? 'Forever' : `${days} days`);

function privacyName({ isWebPublic, isPrivate, hasSharedHistory }: ChannelRow): string {
  if (isWebPublic) return 'Web-public';
  if (!isPrivate) return 'Public';
  return hasSharedHistory ? 'Private, shared history' : 'Private, protected history';
}
