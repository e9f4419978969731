import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { DefaultChannelGroupRow } from '../../../storage/tables/channels/folders.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { inOrder } from '../../domain/ascending.ts';
import {
  CHANNELS_PER_REQUEST_MAX,
  DEFAULT_CHANNEL_GROUP_DESCRIPTION_LENGTH_MAX,
  DEFAULT_CHANNEL_GROUP_NAME_LENGTH_MAX,
  DEFAULT_CHANNEL_GROUPS_MAX,
} from '../../domain/limits/channels.ts';
import { isLongerThan, unprintableIn } from '../../domain/rules/messages/topic.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { DefaultChannelGroup } from '../../domain/wire/realm-objects.ts';
import { byName } from '../access/channel-access.ts';
import type { Reads } from '../access/groups.ts';

/** Returns all groups, sorted by name. */
export const list = (tx: Reads): DefaultChannelGroup[] =>
  Array.from(tx.defaultChannelGroups.range({}), ([[id], row]) => ({
    id,
    name: row.name,
    description: row.description,
    streams: [...row.channelIds],
  })).sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));

interface NewGroup {
  readonly name: string;
  readonly description: string;
  readonly channelNames: readonly string[];
}

export function add(tx: RealmTransaction, { channelNames, ...written }: NewGroup) {
  const all = list(tx);
  const name = acceptableName(all, written.name);
  const description = acceptableDescription(written.description);
  const channels = channelsNamed(tx, channelNames);
  refuseUnfit(channels, name);
  if (all.length >= DEFAULT_CHANNEL_GROUPS_MAX) {
    throw errors.badRequest(
      `An organization has at most ${DEFAULT_CHANNEL_GROUPS_MAX} groups of default channels.`,
    );
  }
  const channelIds = inOrder(channels.map(({ id }) => id));
  tx.defaultChannelGroups.put([tx.nextId('defaultChannelGroup')], {
    name,
    description,
    channelIds,
  });
  announce(tx);
}

interface Change {
  readonly id: number;
  readonly name: string | undefined;
  readonly description: string | undefined;
}

/** Changes a group; an unchanged one is not announced. */
export function update(tx: RealmTransaction, { id, name, description }: Change) {
  const before = known(tx, id);
  if (name === undefined && description === undefined) {
    throw errors.badRequest('You must pass "new_description" or "new_group_name".');
  }
  const others = list(tx).filter((group) => group.id !== id);
  const row: DefaultChannelGroupRow = {
    ...before,
    ...(name === undefined ? {} : { name: acceptableName(others, name) }),
    ...(description === undefined ? {} : { description: acceptableDescription(description) }),
  };
  if (row.name === before.name && row.description === before.description) return;
  tx.defaultChannelGroups.put([id], row);
  announce(tx);
}

export function remove(tx: RealmTransaction, id: number) {
  known(tx, id);
  tx.defaultChannelGroups.remove([id]);
  announce(tx);
}

interface Channels {
  readonly id: number;
  readonly op: 'add' | 'remove';
  readonly channelNames: readonly string[];
}

/**
 * Adds channels to a group, all of which must be new to it, or removes some that must all be in it.
 */
export function changeChannels(tx: RealmTransaction, { id, op, channelNames }: Channels) {
  const group = known(tx, id);
  const channels = channelsNamed(tx, channelNames);
  if (op === 'add') refuseUnfit(channels, group.name);
  const present = new Set(group.channelIds);
  for (const channel of channels) {
    if (present.has(channel.id) === (op === 'remove')) continue;
    const is = op === 'add' ? 'is already' : 'is not';
    throw errors.badRequest(
      `Channel '${channel.name}' ${is} present in default channel group '${group.name}'`,
    );
  }
  if (channels.length === 0) return;
  for (const channel of channels) {
    if (op === 'add') present.add(channel.id);
    else present.delete(channel.id);
  }
  if (present.size > CHANNELS_PER_REQUEST_MAX) throw tooManyChannels();
  tx.defaultChannelGroups.put([id], { ...group, channelIds: inOrder(present) });
  announce(tx);
}

/** Removes a channel that has become private or archived from all groups. */
export function forget(tx: RealmTransaction, channelId: number) {
  let isChanged = false;
  for (const [[id], group] of [...tx.defaultChannelGroups.range({})]) {
    if (!group.channelIds.includes(channelId)) continue;
    const channelIds = group.channelIds.filter((one) => one !== channelId);
    tx.defaultChannelGroups.put([id], { ...group, channelIds });
    isChanged = true;
  }
  if (isChanged) announce(tx);
}

function known(tx: Reads, id: number): DefaultChannelGroupRow {
  const row = tx.defaultChannelGroups.get([id]);
  if (row === undefined)
    throw errors.badRequest(`Default channel group with id '${id}' does not exist.`);
  return row;
}

/** Returns each named channel once. Users who may change a group may know of every channel. */
function channelsNamed(tx: Reads, names: readonly string[]): ChannelRow[] {
  if (names.length > CHANNELS_PER_REQUEST_MAX) throw tooManyChannels();
  const channels = new Map<number, ChannelRow>();
  for (const name of names) {
    const channel = byName(tx, name);
    if (channel === undefined) throw errors.badRequest(`Invalid channel name '${name}'`);
    channels.set(channel.id, channel);
  }
  return [...channels.values()];
}

/**
 * Refuses channels that do not suit a group: everybody who reads the list may know of every channel
 * in it.
 */
function refuseUnfit(channels: readonly ChannelRow[], groupName: string) {
  for (const { name, isDefault, isPrivate, isArchived } of channels) {
    const what = isDefault
      ? 'a default channel'
      : isPrivate
        ? 'private'
        : isArchived
          ? 'archived'
          : undefined;
    if (what === undefined) continue;
    throw errors.badRequest(`'${name}' is ${what} and cannot be added to '${groupName}'`);
  }
}

const tooManyChannels = () =>
  errors.badRequest(`A group has at most ${CHANNELS_PER_REQUEST_MAX} channels.`);

function acceptableName(others: readonly DefaultChannelGroup[], given: string): string {
  const name = given.trim();
  if (name === '') throw errors.badRequest(`Invalid default channel group name '${name}'`);
  if (isLongerThan(name, DEFAULT_CHANNEL_GROUP_NAME_LENGTH_MAX)) {
    const limit = DEFAULT_CHANNEL_GROUP_NAME_LENGTH_MAX;
    throw errors.badRequest(`Default channel group name too long (limit: ${limit} characters)`);
  }
  if (unprintableIn(name)) {
    throw errors.badRequest('Invalid character in default channel group name.');
  }
  if (others.some((group) => group.name === name)) {
    throw errors.badRequest(`Default channel group '${name}' already exists`);
  }
  return name;
}

function acceptableDescription(given: string): string {
  const description = given.trim();
  const limit = DEFAULT_CHANNEL_GROUP_DESCRIPTION_LENGTH_MAX;
  if (isLongerThan(description, limit)) {
    throw errors.badRequest(`description is too long (limit: ${limit} characters)`);
  }
  if (description.includes('\0')) {
    throw errors.badRequest('description must not contain null bytes');
  }
  return description;
}

const announce = (tx: RealmTransaction) =>
  tx.emit({
    event: { type: 'default_stream_groups', default_stream_groups: list(tx) },
    audience: { nonGuests: true },
  });
