import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { ChannelObject } from '../../domain/wire/objects.ts';
import { isGuest } from '../../domain/wire/roles.ts';
import { hasContentAccess, hasMetadataAccess } from '../access/channel-access.ts';
import type { Reads } from '../access/groups.ts';
import { channelObject } from './channels.ts';

/** Selects channels: those with any of these properties, among those that the user may know of. */
export interface ChannelFilter {
  readonly isPublic: boolean;
  readonly isWebPublic: boolean;
  readonly isSubscribed: boolean;
  readonly isKnown: boolean;
  readonly isReadable: boolean;
  /** Channels to which the bot's owner is subscribed. */
  readonly isOwnerSubscribed: boolean;
  readonly isDefault: boolean;
  readonly withArchived: boolean;
}

/**
 * Returns channels sorted by name, with `is_default` if default ones are requested
 * (reference/endpoints.md 2.4).
 */
export function list(
  tx: Reads,
  user: UserRow,
  filter: ChannelFilter,
): (ChannelObject & { is_default?: boolean })[] {
  const own = activeChannels(tx, user.id);
  const ofOwner =
    filter.isOwnerSubscribed && user.botOwnerId !== null
      ? activeChannels(tx, user.botOwnerId)
      : new Set<number>();
  const listed: ChannelRow[] = [];
  for (const [[id], channel] of tx.channels.range({})) {
    if (channel.isArchived && !filter.withArchived) continue;
    const subscription = own.has(id) ? tx.subscriptions.get([id, user.id]) : undefined;
    const access = { user, channel, subscription };
    const isListed =
      (filter.isSubscribed && own.has(id)) ||
      (filter.isPublic && !channel.isPrivate && !isGuest(user.role)) ||
      (filter.isWebPublic && channel.isWebPublic) ||
      (filter.isDefault && channel.isDefault && !isGuest(user.role)) ||
      ofOwner.has(id) ||
      (filter.isReadable && hasContentAccess(tx, access)) ||
      (filter.isKnown && hasMetadataAccess(tx, access));
    if (isListed) listed.push(channel);
  }
  return listed
    .sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0))
    .map((channel) => ({
      ...channelObject(tx, channel),
      ...(filter.isDefault ? { is_default: channel.isDefault } : {}),
    }));
}

function activeChannels(tx: Reads, userId: number): ReadonlySet<number> {
  const ids = new Set<number>();
  for (const [[, channelId], { isActive }] of tx.userChannels.under([userId])) {
    if (isActive) ids.add(channelId);
  }
  return ids;
}
