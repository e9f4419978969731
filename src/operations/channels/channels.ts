import type { ChannelRow, GroupSetting } from '../../../storage/tables/channels/channels.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  CHANNEL_DESCRIPTION_LENGTH_MAX,
  CHANNEL_NAME_LENGTH_MAX,
} from '../../domain/limits/channels.ts';
import { unprintableIn, unprintablePosition } from '../../domain/rules/messages/topic.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { ChannelObject, TopicsPolicy } from '../../domain/wire/objects.ts';
import { isAdministrator } from '../../domain/wire/roles.ts';
import {
  type ChannelPermissionName,
  SERVER_SUPPORTED_PERMISSION_SETTINGS,
} from '../../domain/wire/settings/permission-settings.ts';
import { systemGroupId, systemGroupName } from '../../domain/wire/system-groups.ts';
import { renderMarkdown } from '../../markdown/markdown.ts';
import { whoKnows } from '../access/channel-access.ts';
import { allShown, noteUses } from '../access/group-settings.ts';
import { may, type Reads, realmSetting } from '../access/groups.ts';
import * as channelActivity from '../indexes/channel-activity.ts';
import { mentionDirectory } from '../rendering/mention-directory.ts';
import * as channelTraffic from './traffic.ts';

export interface NewChannel {
  readonly name: string;
  readonly description: string;
  readonly isPrivate: boolean;
  readonly isWebPublic: boolean;
  readonly isDefault: boolean;
  readonly hasSharedHistory: boolean | undefined;
  readonly messageRetentionDays: number | null;
  readonly topicsPolicy: TopicsPolicy;
  readonly folderId: number | null;
  readonly groups: Readonly<Partial<Record<ChannelPermissionName, GroupSetting>>>;
}

/** Adds a channel without subscribers; the caller announces it to users who may know of it. */
export function create(tx: RealmTransaction, channel: NewChannel, creator: UserRow): ChannelRow {
  refuseCreation(tx, channel, creator);
  const { isPrivate } = channel;
  const dateCreated = Math.floor(tx.now / 1000);
  const row: ChannelRow = {
    id: tx.nextId('channel'),
    recipientId: tx.nextId('recipient'),
    name: channel.name,
    ...described(tx, creator, channel.description),
    dateCreated,
    creatorId: creator.id,
    isPrivate,
    isWebPublic: channel.isWebPublic,
    // Public channels always share their history (reference/endpoints.md 1.5).
    hasSharedHistory: isPrivate ? (channel.hasSharedHistory ?? false) : true,
    isArchived: false,
    messageRetentionDays: channel.messageRetentionDays,
    topicsPolicy: channel.topicsPolicy,
    folderId: channel.folderId,
    firstMessageId: null,
    subscriberCount: 0,
    isDefault: channel.isDefault,
    groups: { ...defaultGroups(creator.id), ...channel.groups },
    activeUntil: channelActivity.endAfter(dateCreated),
    weeklyTraffic: null,
  };
  tx.channels.put([row.id], row);
  channelActivity.begin(tx, row);
  channelTraffic.begin(tx, row);
  tx.channelNames.put([row.name.toLowerCase()], { channelId: row.id });
  noteUses(tx, { kind: 'channel', id: row.id }, { before: {}, after: row.groups });
  return row;
}

/** Returns a description as it is stored; refuses an invalid one. */
export function described(
  tx: RealmTransaction,
  author: UserRow,
  given: string,
): Pick<ChannelRow, 'description' | 'renderedDescription'> {
  if ([...given].length > CHANNEL_DESCRIPTION_LENGTH_MAX) {
    throw errors.badRequest(
      `description is too long (limit: ${CHANNEL_DESCRIPTION_LENGTH_MAX} characters)`,
    );
  }
  if (given.includes('\0')) {
    throw errors.badRequest('description must not contain null bytes');
  }
  const description = given.replace(/\n/g, ' ');
  const { html } = renderMarkdown(description, mentionDirectory(tx, author));
  return { description, renderedDescription: html };
}

/**
 * Announces a new channel to users who may know of it; subscribers of a private one are told when
 * they are subscribed.
 */
export function announceCreation(tx: RealmTransaction, channel: ChannelRow) {
  tx.emit({
    event: { type: 'stream', op: 'create', streams: [channelObject(tx, channel)] },
    audience: whoKnows(tx, channel),
  });
}

/** Announces the channels that new accounts join, after one was added. */
export function announceDefaults(tx: RealmTransaction) {
  tx.emit({
    event: { type: 'default_streams', default_streams: defaultIds(tx) },
    audience: { nonGuests: true },
  });
}

/** Returns the ids of the default channels, ascending. */
export const defaultIds = (tx: Reads): number[] =>
  defaultsAmong(Array.from(tx.channels.range({}), ([, channel]) => channel));

/** Returns the default ones among channels that are ascending by id. */
export const defaultsAmong = (channels: readonly ChannelRow[]): number[] =>
  channels.filter(({ isDefault, isArchived }) => isDefault && !isArchived).map(({ id }) => id);

/** Returns a channel as in events and snapshots (reference/events-and-register.md 4.2). */
export function channelObject(tx: Reads, channel: ChannelRow): ChannelObject {
  const policy = postPolicy(channel.groups.can_send_message_group);
  return {
    stream_id: channel.id,
    name: channel.name,
    description: channel.description,
    rendered_description: channel.renderedDescription,
    date_created: channel.dateCreated,
    creator_id: channel.creatorId,
    invite_only: channel.isPrivate,
    is_web_public: channel.isWebPublic,
    history_public_to_subscribers: channel.hasSharedHistory,
    is_announcement_only: policy === 2,
    is_archived: channel.isArchived,
    is_recently_active: channel.activeUntil !== null,
    stream_post_policy: policy,
    message_retention_days: channel.messageRetentionDays,
    first_message_id: channel.firstMessageId,
    stream_weekly_traffic: channel.weeklyTraffic,
    subscriber_count: channel.subscriberCount,
    folder_id: channel.folderId,
    topics_policy: channel.topicsPolicy,
    ...allShown(tx, channel.groups),
  };
}

function refuseCreation(tx: RealmTransaction, channel: NewChannel, creator: UserRow) {
  const fault = faultOfName(channel.name);
  if (fault !== undefined) throw errors.badRequest(fault);
  refuseKind(tx, creator, channel);
  if (channel.isDefault && !isAdministrator(creator.role)) {
    throw errors.badRequest('Insufficient permission');
  }
  if (channel.isDefault && channel.isPrivate) {
    throw errors.badRequest('A default channel cannot be private.');
  }
}

/** Refuses users who may not make a channel of this kind: public, private or web-public. */
export function refuseKind(
  tx: Reads,
  user: UserRow,
  { isPrivate, isWebPublic }: Pick<ChannelRow, 'isPrivate' | 'isWebPublic'>,
) {
  const setting = isWebPublic
    ? 'can_create_web_public_channel_group'
    : isPrivate
      ? 'can_create_private_channel_group'
      : 'can_create_public_channel_group';
  if (!may(tx, user, setting)) throw errors.badRequest('Insufficient permission');
  if (isWebPublic && !realmSetting(tx, 'enable_spectator_access')) {
    throw errors.badRequest('Web-public channels are not enabled.');
  }
}

export function faultOfName(name: string): string | undefined {
  if (name === '') return "Channel name can't be empty.";
  if ([...name].length > CHANNEL_NAME_LENGTH_MAX) {
    return `Channel name too long (limit: ${CHANNEL_NAME_LENGTH_MAX} characters).`;
  }
  if (!unprintableIn(name)) return undefined;
  return `Invalid character in channel name, at position ${unprintablePosition(name)}.`;
}

/** Returns the default permissions of a new channel (reference/endpoints.md 1.5). */
function defaultGroups(creatorId: number): Record<ChannelPermissionName, GroupSetting> {
  const groups = Object.fromEntries(
    Object.entries(SERVER_SUPPORTED_PERMISSION_SETTINGS.stream).map(([name, setting]) => [
      name,
      setting.default_group_name === 'channel_creator'
        ? { direct_members: [creatorId], direct_subgroups: [] }
        : // The other creator name is for groups.
          systemGroupId(setting.default_group_name as Parameters<typeof systemGroupId>[0]),
    ]),
  );
  // It is built from the table whose keys are the permission names.
  return groups as Record<ChannelPermissionName, GroupSetting>;
}

/**
 * Returns the legacy code of the posting permission: 1 everyone, 2 administrators, 3 full members,
 * 4 moderators.
 */
function postPolicy(setting: GroupSetting): number {
  if (typeof setting !== 'number') return 1;
  const name = systemGroupName(setting);
  if (name === 'role:administrators' || name === 'role:owners') return 2;
  if (name === 'role:fullmembers') return 3;
  return name === 'role:moderators' ? 4 : 1;
}
