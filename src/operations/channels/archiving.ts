import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { EventBody } from '../../domain/wire/events/log-entry.ts';
import type { Caller } from '../access/caller.ts';
import { subscriberIds, whoKnows } from '../access/channel-access.ts';
import * as userTopics from '../indexes/user-topics.ts';
import { readChannel } from '../reading/channel-reads.ts';
import * as channels from './channels.ts';
import * as defaultChannelGroups from './default-channel-groups.ts';
import * as channelNotices from './notices.ts';
import { announceAgain } from './subscription-events.ts';

/**
 * Archives a channel: it accepts no messages, and those in it count as read (docs/decisions/0041).
 * For older clients the channel is deleted.
 */
export function archive(tx: RealmTransaction, caller: Caller, given: ChannelRow) {
  if (given.isArchived) throw errors.badRequest('Channel is already deactivated');
  channelNotices.notifyArchived(tx, caller, given);
  for (const userId of subscriberIds(tx, given.id)) readChannel(tx, userId, given.id);
  const channel = { ...(tx.channels.get([given.id]) ?? given), isArchived: true, isDefault: false };
  tx.channels.put([channel.id], channel);
  const audience = whoKnows(tx, channel);
  tx.emit({ event: archived(channel), audience, queues: { has: 'archived_channels' } });
  const { id } = channel;
  tx.emit({
    event: { type: 'stream', op: 'delete', stream_ids: [id], streams: [{ stream_id: id }] },
    audience,
    queues: { lacks: 'archived_channels' },
  });
  userTopics.announceAll(tx, channel);
  if (given.isDefault) channels.announceDefaults(tx);
  defaultChannelGroups.forget(tx, channel.id);
}

/** Restores a channel. For older clients it is created, and its subscribers join it. */
export function unarchive(tx: RealmTransaction, caller: Caller, given: ChannelRow) {
  if (!given.isArchived) throw errors.badRequest('Channel is not currently deactivated');
  const channel = { ...given, isArchived: false };
  tx.channels.put([channel.id], channel);
  const audience = whoKnows(tx, channel);
  tx.emit({ event: archived(channel), audience, queues: { has: 'archived_channels' } });
  const streams = [{ ...channels.channelObject(tx, channel), subscriber_count: 0 }];
  const queues = { lacks: 'archived_channels' } as const;
  tx.emit({ event: { type: 'stream', op: 'create', streams }, audience, queues });
  announceAgain(tx, caller.site, { channel, queues });
  userTopics.announceAll(tx, channel);
  channelNotices.notifyUnarchived(tx, caller, channel);
}

const archived = ({ id, name, isArchived }: ChannelRow): EventBody => ({
  type: 'stream',
  op: 'update',
  stream_id: id,
  name,
  property: 'is_archived',
  value: isArchived,
});
