import type { ChannelRow, GroupSetting } from '../../../storage/tables/channels/channels.ts';
import type { SubscriptionRow } from '../../../storage/tables/channels/subscriptions.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { Audience, NewLogEntry } from '../../domain/wire/events/log-entry.ts';
import { isAdministrator, isGuest, Role } from '../../domain/wire/roles.ts';
import type { ChannelPermissionName } from '../../domain/wire/settings/permission-settings.ts';
import { systemGroupId } from '../../domain/wire/system-groups.ts';
import { mayInChannel, membersOf, type Reads, withSubgroups } from './groups.ts';

const NOBODY = systemGroupId('role:nobody');

export function byName(tx: Reads, name: string): ChannelRow | undefined {
  const found = tx.channelNames.get([name.trim().toLowerCase()]);
  return found === undefined ? undefined : tx.channels.get([found.channelId]);
}

/**
 * Tests whether a user may read a channel and subscribe to it (reference/endpoints.md 1.1: content
 * access).
 */
export function hasContentAccess(
  tx: Reads,
  { user, channel, subscription }: ChannelAccess,
): boolean {
  if (channel.isWebPublic || subscription?.isActive) return true;
  if (isGuest(user.role)) return false;
  if (!channel.isPrivate) return true;
  return grants(tx, user, channel, READING_GROUPS);
}

/**
 * Returns the users besides the subscribers who may read a channel: those for whom
 * `hasContentAccess` holds.
 */
export function whoMayRead(tx: Reads, channel: ChannelRow): Audience {
  if (channel.isWebPublic) return { everyone: true };
  return channel.isPrivate ? whoIsGranted(tx, channel, READING_GROUPS) : { nonGuests: true };
}

/**
 * Tests whether a user may know of a channel: they may read it, or administer it
 * (reference/endpoints.md 2.4).
 */
export function hasMetadataAccess(tx: Reads, access: ChannelAccess): boolean {
  const { user, channel } = access;
  return (
    hasContentAccess(tx, access) ||
    isAdministrator(user.role) ||
    (!isGuest(user.role) && grants(tx, user, channel, ['can_administer_channel_group']))
  );
}

/** Does the same for a user who may be subscribed or not. */
export function mayKnow(tx: Reads, user: UserRow, channel: ChannelRow): boolean {
  const subscription = tx.subscriptions.get([channel.id, user.id]);
  return hasMetadataAccess(tx, { user, channel, subscription });
}

/**
 * Returns the users who may know of a channel as of an event: those for whom `hasMetadataAccess`
 * holds (reference/events-and-register.md 4.2: "Metadata access").
 */
export function whoKnows(tx: Reads, channel: ChannelRow): Audience {
  if (channel.isWebPublic) return { everyone: true };
  const { id: channelId } = channel;
  if (!channel.isPrivate) return { channelId, nonGuests: true };
  return { channelId, administrators: true, ...whoIsGranted(tx, channel, KNOWING_GROUPS) };
}

export const isSubscribed = (tx: Reads, userId: number, channelId: number): boolean =>
  tx.subscriptions.get([channelId, userId])?.isActive === true;

/** Returns the ids of the active subscribers with an active account, ascending. */
export function subscriberIds(tx: Reads, channelId: number): number[] {
  const ids: number[] = [];
  for (const [[, userId], { isActive }] of tx.subscriptions.under([channelId])) {
    if (isActive && tx.users.get([userId])?.isActive) ids.push(userId);
  }
  return ids;
}

/**
 * Restricts events of an archived channel to newer clients, because older ones do not know archived
 * channels (reference/events-and-register.md section 2).
 */
export const queuesFor = ({ isArchived }: ChannelRow): Pick<NewLogEntry, 'queues'> =>
  isArchived ? { queues: { has: 'archived_channels' } } : {};

/**
 * Splits channels into groups for one event each: archived channels are not announced to all
 * queues.
 */
export const announcedTogether = (channels: readonly ChannelRow[]) =>
  [
    channels.filter(({ isArchived }) => !isArchived),
    channels.filter(({ isArchived }) => isArchived),
  ].filter((part) => part.length > 0);

/** Does the same as `queuesFor` for channels of one event, which are all archived or none. */
export const queuesForAll = ([first]: readonly ChannelRow[]) =>
  first === undefined ? {} : queuesFor(first);

export interface ChannelAccess {
  readonly user: UserRow;
  readonly channel: ChannelRow;
  readonly subscription: SubscriptionRow | undefined;
}

/** Returns the users who may read or know of a private channel by permission only. */
function whoIsGranted(
  tx: Reads,
  channel: ChannelRow,
  names: readonly ChannelPermissionName[],
): Pick<Audience, 'nonGuests' | 'users'> {
  const settings = names.map((name) => channel.groups[name] ?? NOBODY);
  if (settings.some((setting) => holdsAllMembers(tx, setting))) return { nonGuests: true };
  // None of these settings ever grants a guest anything.
  const users = [...new Set(settings.flatMap((setting) => membersOf(tx, setting)))].filter(
    (id) => !isGuest(tx.users.get([id])?.role ?? Role.guest),
  );
  return users.length === 0 ? {} : { users };
}

/** Tests whether a setting includes every member, so that no list of them is needed. */
function holdsAllMembers(tx: Reads, setting: GroupSetting): boolean {
  const named = typeof setting === 'number' ? [setting] : setting.direct_subgroups;
  for (const groupId of withSubgroups(tx, named)) {
    if (ALL_MEMBERS.has(groupId)) return true;
  }
  return false;
}

/**
 * Permissions that let users know of a private channel: to administer it, or to join it
 * (reference/endpoints.md 2.4).
 */
export const KNOWING_GROUPS = [
  'can_administer_channel_group',
  'can_add_subscribers_group',
  'can_subscribe_group',
] as const;
/** Permissions that let users read a private channel: to subscribe to it, or to add others. */
const READING_GROUPS = ['can_subscribe_group', 'can_add_subscribers_group'] as const;
const ALL_MEMBERS: ReadonlySet<number> = new Set(
  (['role:internet', 'role:everyone', 'role:members'] as const).map(systemGroupId),
);

export const grants = (
  tx: Reads,
  user: UserRow,
  channel: ChannelRow,
  names: readonly ChannelPermissionName[],
) => names.some((name) => mayInChannel(tx, user, { channel, name }));
