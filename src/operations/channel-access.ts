import type { ChannelRow } from '../../storage/tables/channels.ts';
import type { SubscriptionRow } from '../../storage/tables/subscriptions.ts';
import type { UserRow } from '../../storage/tables/users.ts';
import { isAdministrator, isGuest } from '../domain/roles.ts';
import { systemGroupId } from '../domain/system-groups.ts';
import { isAllowed, type Reads } from './groups.ts';

const NOBODY = systemGroupId('role:nobody');

export function byName(tx: Reads, name: string): ChannelRow | undefined {
  const found = tx.channelNames.get([name.trim().toLowerCase()]);
  return found === undefined ? undefined : tx.channels.get([found.channelId]);
}

/** May read what is said and subscribe (reference/endpoints.md 1.1: content access). */
export function hasContentAccess(
  tx: Reads,
  { user, channel, subscription }: ChannelAccess,
): boolean {
  if (channel.isWebPublic || subscription?.isActive) return true;
  if (isGuest(user.role)) return false;
  if (!channel.isPrivate) return true;
  return grants(tx, user, channel, ['can_subscribe_group', 'can_add_subscribers_group']);
}

/** May know of the channel: whoever may read it, and who administers it (reference/endpoints.md 2.4). */
export function hasMetadataAccess(tx: Reads, access: ChannelAccess): boolean {
  const { user, channel } = access;
  return (
    hasContentAccess(tx, access) ||
    isAdministrator(user.role) ||
    (!isGuest(user.role) && grants(tx, user, channel, ['can_administer_channel_group']))
  );
}

export interface ChannelAccess {
  readonly user: UserRow;
  readonly channel: ChannelRow;
  readonly subscription: SubscriptionRow | undefined;
}

export const grants = (tx: Reads, user: UserRow, channel: ChannelRow, names: readonly string[]) =>
  names.some((name) => isAllowed(tx, user, channel.groups[name] ?? NOBODY));
