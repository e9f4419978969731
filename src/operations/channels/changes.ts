import type { ChannelRow, GroupSetting } from '../../../storage/tables/channels/channels.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import * as errors from '../../domain/wire/errors.ts';
import { isAdministrator, Role } from '../../domain/wire/roles.ts';
import type { ChannelPermissionName } from '../../domain/wire/settings/permission-settings.ts';
import type { Caller } from '../access/caller.ts';
import {
  byName,
  grants,
  hasContentAccess,
  hasMetadataAccess,
  KNOWING_GROUPS,
} from '../access/channel-access.ts';
import {
  acceptableForChannel,
  isSame,
  noteUses,
  refuseOutdated,
  type SettingChange,
} from '../access/group-settings.ts';
import { accounts, may, membersOf, type Reads } from '../access/groups.ts';
import * as oldestMessages from '../indexes/oldest-messages.ts';
import * as userTopics from '../indexes/user-topics.ts';
import * as botDefaults from '../users/bot-defaults.ts';
import * as addresses from './addresses.ts';
import * as archiving from './archiving.ts';
import { announceChanges } from './change-events.ts';
import * as channels from './channels.ts';
import * as defaultChannelGroups from './default-channel-groups.ts';
import { refuseUnlessOpen } from './folders.ts';
import { refuseDeletePolicy, refuseWithoutWebPublic } from './new-channels.ts';
import * as channelNotices from './notices.ts';
import * as visibility from './visibility.ts';

/** The changes that a request makes to a channel; undefined members stay as they are. */
export interface ChannelChange {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly isPrivate: boolean | undefined;
  readonly isWebPublic: boolean | undefined;
  readonly hasSharedHistory: boolean | undefined;
  readonly isDefault: boolean | undefined;
  readonly messageRetentionDays: number | null | undefined;
  readonly topicsPolicy: ChannelRow['topicsPolicy'] | undefined;
  readonly folderId: number | null | undefined;
  readonly isArchived: boolean | undefined;
  readonly groups: Readonly<Partial<Record<ChannelPermissionName, SettingChange>>>;
}

/**
 * Changes a channel and announces it to users who may know of it (reference/endpoints.md 2.4,
 * "PATCH /streams/{id}").
 */
export function change(
  tx: RealmTransaction,
  caller: Caller,
  channelId: number,
  given: ChannelChange,
) {
  const channel = administered(tx, caller.user, channelId);
  if (given.isWebPublic === true) refuseWithoutWebPublic(caller.site.settings);
  const { isArchived } = given;
  if (isArchived === true) archiving.archive(tx, caller, channel);
  if (isArchived === false) archiving.unarchive(tx, caller, channel);
  const former = tx.channels.get([channelId]) ?? channel;
  const changed = changedRow(tx, caller.user, former, given);
  const before = visibility.snapshot(tx, concerned(tx, former, changed));
  write(tx, former, changed);
  const changes = visibility.changesSince(tx, before);
  for (const { lost } of changes) visibility.announceLost(tx, [changed], lost);
  for (const gain of changes) visibility.announceGained(tx, gain);
  announceChanges(tx, { former, changed, upToDate: changes.flatMap(({ gained }) => gained) });
  if (former.name !== changed.name) userTopics.announceMuted(tx, channelId);
  if (former.isDefault !== changed.isDefault) channels.announceDefaults(tx);
  if (changed.isPrivate && !former.isPrivate) defaultChannelGroups.forget(tx, changed.id);
  botDefaults.announceChannel(tx, { former, changed });
  notify(tx, caller, { former, channel: changed });
}

/** Archives a channel (reference/endpoints.md 2.4: "archives"). */
export const archive = (tx: RealmTransaction, caller: Caller, channelId: number) =>
  archiving.archive(tx, caller, administered(tx, caller.user, channelId));

/** Ends the mail addresses of a channel, as somebody does who administers it. */
export function endAddresses(tx: RealmTransaction, user: UserRow, channelId: number) {
  const { id } = administered(tx, user, channelId);
  addresses.endAll(tx, id);
  tx.audit({ kind: 'channel_addresses', op: 'remove', target: id });
}

/** Adds the channel to those that new accounts join, or removes it. */
export function setDefault(
  tx: RealmTransaction,
  user: UserRow,
  { channelId, isDefault }: { channelId: number; isDefault: boolean },
) {
  const channel = knownChannel(tx, user, channelId);
  if (isDefault && channel.isPrivate) {
    throw errors.badRequest('Private channels cannot be made default.');
  }
  if (isDefault) refuseDefault(channel);
  if (channel.isDefault === isDefault) return;
  tx.channels.put([channelId], { ...channel, isDefault });
  channels.announceDefaults(tx);
}

/** Returns a channel that the user may know of; refuses a hidden one like a missing one. */
export function knownChannel(tx: Reads, user: UserRow, channelId: number): ChannelRow {
  const channel = tx.channels.get([channelId]);
  const subscription = tx.subscriptions.get([channelId, user.id]);
  if (channel === undefined || !hasMetadataAccess(tx, { user, channel, subscription })) {
    throw errors.invalidChannelId();
  }
  return channel;
}

/** Returns the id of a channel by its name, if the user may know of it. */
export function channelIdOf(tx: Reads, user: UserRow, name: string): number {
  const channel = byName(tx, name);
  const subscription = channel && tx.subscriptions.get([channel.id, user.id]);
  if (channel === undefined || !hasMetadataAccess(tx, { user, channel, subscription })) {
    throw errors.badRequest(`Invalid channel name '${name}'`);
  }
  return channel.id;
}

function administered(tx: Reads, user: UserRow, channelId: number): ChannelRow {
  const channel = knownChannel(tx, user, channelId);
  if (isAdministrator(user.role) || grants(tx, user, channel, ['can_administer_channel_group'])) {
    return channel;
  }
  throw errors.cannotAdministerChannel();
}

function changedRow(
  tx: RealmTransaction,
  user: UserRow,
  channel: ChannelRow,
  given: ChannelChange,
): ChannelRow {
  const privacy = changedPrivacy(tx, user, channel, given);
  const groups = changedGroups(tx, user, channel, given.groups);
  refuseUnpermitted(tx, user, channel, given);
  const { messageRetentionDays, topicsPolicy, description, folderId } = given;
  const changed: ChannelRow = {
    ...channel,
    ...privacy,
    ...(given.name === undefined ? {} : { name: changedName(tx, channel, given.name) }),
    ...(description === undefined ? {} : channels.described(tx, user, description)),
    ...(given.isDefault === undefined ? {} : { isDefault: given.isDefault }),
    ...(messageRetentionDays === undefined ? {} : { messageRetentionDays }),
    ...(topicsPolicy === undefined ? {} : { topicsPolicy }),
    ...(folderId === undefined ? {} : { folderId }),
    groups: { ...channel.groups, ...groups },
  };
  if (changed.isDefault) refuseDefault(changed);
  return changed;
}

function changedName(tx: Reads, channel: ChannelRow, given: string): string {
  const name = given.trim();
  const fault = channels.faultOfName(name);
  if (fault !== undefined) throw errors.badRequest(fault);
  if (name === channel.name) throw errors.badRequest('Channel already has that name.');
  const taken = byName(tx, name);
  if (taken !== undefined && taken.id !== channel.id) {
    throw errors.badRequest('Channel name is already in use.');
  }
  return name;
}

/** Returns the privacy of a channel; fields that the request omits follow from the others. */
function changedPrivacy(
  tx: Reads,
  user: UserRow,
  channel: ChannelRow,
  given: ChannelChange,
): Pick<ChannelRow, 'isPrivate' | 'isWebPublic' | 'hasSharedHistory'> {
  const isWebPublic = given.isWebPublic ?? (given.isPrivate === true ? false : channel.isWebPublic);
  const isPrivate = given.isPrivate ?? (given.isWebPublic === true ? false : channel.isPrivate);
  const keepsHistory = channel.isPrivate && channel.hasSharedHistory;
  const hasSharedHistory = given.hasSharedHistory ?? (isPrivate ? keepsHistory : true);
  if ((isPrivate && isWebPublic) || (!isPrivate && !hasSharedHistory)) {
    throw errors.badRequest('Invalid parameters');
  }
  const isChanged =
    isPrivate !== channel.isPrivate ||
    isWebPublic !== channel.isWebPublic ||
    hasSharedHistory !== channel.hasSharedHistory;
  if (isChanged) {
    refuseWithoutContent(tx, user, channel);
    channels.refuseKind(tx, user, { isPrivate, isWebPublic });
  }
  return { isPrivate, isWebPublic, hasSharedHistory };
}

function changedGroups(
  tx: Reads,
  user: UserRow,
  channel: ChannelRow,
  changes: ChannelChange['groups'],
): Partial<Record<ChannelPermissionName, GroupSetting>> {
  const changed: Partial<Record<ChannelPermissionName, GroupSetting>> = {};
  // The names are those of the type; `Object.entries` loses them.
  const entries = Object.entries(changes) as [ChannelPermissionName, SettingChange][];
  for (const [name, change] of entries) {
    refuseOutdated(tx, channel.groups[name], change);
    const value = acceptableForChannel(tx, name, change.new);
    if (isSame(value, channel.groups[name])) continue;
    if (LETS_IN.has(name)) refuseWithoutContent(tx, user, channel);
    changed[name] = value;
  }
  refuseDeletePolicy(tx, user, changed);
  return changed;
}

function refuseUnpermitted(
  tx: RealmTransaction,
  user: UserRow,
  channel: ChannelRow,
  given: ChannelChange,
) {
  const { folderId } = given;
  if (folderId != null && folderId !== channel.folderId) refuseUnlessOpen(tx, folderId);
  if (given.messageRetentionDays !== undefined && user.role !== Role.owner) {
    throw errors.unauthorizedPrincipal('Must be an organization owner');
  }
  if (given.isDefault !== undefined && !isAdministrator(user.role)) {
    throw errors.badRequest('Insufficient permission');
  }
  const { topicsPolicy } = given;
  if (topicsPolicy === undefined || topicsPolicy === channel.topicsPolicy) return;
  if (!may(tx, user, 'can_set_topics_policy_group')) {
    throw errors.badRequest('Insufficient permission');
  }
  if (topicsPolicy === 'empty_topic_only' && hasNamedTopics(tx, channel.id)) {
    throw errors.badRequest('Some messages of this channel have topics with a name.');
  }
}

/** Tests for another topic than the empty one, whose key is the first, so two rows are enough. */
function hasNamedTopics(tx: Reads, channelId: number): boolean {
  for (const [, key] of tx.topics.keysUnder([channelId], { limit: 2 })) {
    if (key !== '') return true;
  }
  return false;
}

/**
 * Refuses changes by users who administer a channel but cannot read it, and so may not let others
 * read it.
 */
function refuseWithoutContent(tx: Reads, user: UserRow, channel: ChannelRow) {
  const subscription = tx.subscriptions.get([channel.id, user.id]);
  if (!hasContentAccess(tx, { user, channel, subscription })) {
    throw errors.badRequest('Channel content access is required.');
  }
}

function refuseDefault({ isPrivate, isArchived }: ChannelRow) {
  if (isPrivate) throw errors.badRequest('A default channel cannot be private.');
  if (isArchived) throw errors.badRequest('A default channel cannot be archived.');
}

/** Returns the users and channels whose visibility the change may affect. */
function concerned(tx: Reads, former: ChannelRow, changed: ChannelRow) {
  const channelIds = [former.id];
  const isOpened =
    former.isPrivate !== changed.isPrivate || former.isWebPublic !== changed.isWebPublic;
  if (isOpened) return { channelIds, userIds: Array.from(accounts(tx), ({ id }) => id) };
  if (!former.isPrivate) return { channelIds, userIds: [] };
  const userIds = KNOWING_GROUPS.filter(
    (name) => !isSame(former.groups[name], changed.groups[name]),
  ).flatMap((name) => [
    ...membersOf(tx, former.groups[name]),
    ...membersOf(tx, changed.groups[name]),
  ]);
  return { channelIds, userIds: [...new Set(userIds)] };
}

function write(tx: RealmTransaction, former: ChannelRow, changed: ChannelRow) {
  tx.channels.put([changed.id], changed);
  oldestMessages.note(tx, former, changed);
  noteUses(
    tx,
    { kind: 'channel', id: changed.id },
    { before: former.groups, after: changed.groups },
  );
  if (former.name === changed.name) return;
  tx.channelNames.remove([former.name.toLowerCase()]);
  tx.channelNames.put([changed.name.toLowerCase()], { channelId: changed.id });
}

/** Sends the notices about a change to the channel itself, unless it is archived. */
function notify(
  tx: RealmTransaction,
  caller: Caller,
  both: { former: ChannelRow; channel: ChannelRow },
) {
  const { former, channel } = both;
  if (channel.isArchived) return;
  if (former.name !== channel.name) channelNotices.notifyRenamed(tx, caller, both);
  if (former.description !== channel.description) channelNotices.notifyDescribed(tx, caller, both);
  if (
    former.isPrivate !== channel.isPrivate ||
    former.isWebPublic !== channel.isWebPublic ||
    former.hasSharedHistory !== channel.hasSharedHistory
  ) {
    channelNotices.notifyPrivacy(tx, caller, both);
  }
  if (former.messageRetentionDays !== channel.messageRetentionDays) {
    channelNotices.notifyRetention(tx, caller, both);
  }
  if (!isSame(former.groups.can_send_message_group, channel.groups.can_send_message_group)) {
    channelNotices.notifyPosting(tx, caller, both);
  }
}

const LETS_IN: ReadonlySet<ChannelPermissionName> = new Set([
  'can_add_subscribers_group',
  'can_subscribe_group',
]);
