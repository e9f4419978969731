import { isDeepStrictEqual } from 'node:util';
import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { BotDefaultsRow } from '../../../storage/tables/people/bots.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Audience } from '../../domain/wire/events/log-entry.ts';
import type { QueueOptions } from '../../domain/wire/events/queue-options.ts';
import type { BotObject } from '../../domain/wire/objects.ts';
import { byName, hasContentAccess } from '../access/channel-access.ts';
import type { Reads } from '../access/groups.ts';

/**
 * The defaults by their names on the wire; an empty channel name stands for none, and undefined
 * fields stay.
 */
export interface DefaultsChange {
  readonly default_sending_stream?: string | undefined;
  readonly default_events_register_stream?: string | undefined;
  readonly default_all_public_streams?: boolean | undefined;
}

/** "Owner only if a default channel is private" (reference/events-and-register.md 4.3). */
export type Viewer = 'owner' | 'administrators';

const NONE: BotDefaultsRow = {
  sendingChannelId: null,
  registerChannelId: null,
  hearsAllPublicChannels: false,
};

type DefaultFields = Pick<
  BotObject,
  'default_sending_stream' | 'default_events_register_stream' | 'default_all_public_streams'
>;

/** Returns the defaults of a bot, as on the wire. */
export function fields(tx: Reads, botId: number, viewer: Viewer): DefaultFields {
  const row = tx.botDefaults.get([botId]) ?? NONE;
  const nameOf = (channelId: number | null) => {
    const channel = channelId === null ? undefined : tx.channels.get([channelId]);
    return channel === undefined ? null : nameFor(channel, viewer);
  };
  return {
    default_sending_stream: nameOf(row.sendingChannelId),
    default_events_register_stream: nameOf(row.registerChannelId),
    default_all_public_streams: row.hearsAllPublicChannels,
  };
}

/**
 * Tests for a private default channel, because of which not all who manage the bot see the same.
 */
export const hasPrivate = (tx: Reads, botId: number): boolean =>
  channelIds(tx.botDefaults.get([botId]) ?? NONE).some((id) => tx.channels.get([id])?.isPrivate);

/** Sets the defaults of a bot; refuses a channel that the user may not read like a missing one. */
export function set(
  tx: RealmTransaction,
  { user, botId }: { user: UserRow; botId: number },
  change: DefaultsChange,
) {
  const before = tx.botDefaults.get([botId]) ?? NONE;
  const after: BotDefaultsRow = {
    sendingChannelId: channelIdOf(tx, user, {
      name: change.default_sending_stream,
      current: before.sendingChannelId,
    }),
    registerChannelId: channelIdOf(tx, user, {
      name: change.default_events_register_stream,
      current: before.registerChannelId,
    }),
    hearsAllPublicChannels: change.default_all_public_streams ?? before.hearsAllPublicChannels,
  };
  for (const id of channelIds(before)) tx.channelBots.remove([id, botId]);
  for (const id of channelIds(after)) tx.channelBots.put([id, botId], {});
  if (channelIds(after).length > 0 || after.hearsAllPublicChannels) {
    tx.botDefaults.put([botId], after);
  } else tx.botDefaults.remove([botId]);
}

/** Returns the default channel for messages that name none. */
export const sendingChannelOf = (tx: Reads, user: UserRow): number | null =>
  user.botType === null ? null : (tx.botDefaults.get([user.id])?.sendingChannelId ?? null);

/**
 * Returns the options of a registration, with the stored defaults for those that it omits
 * (reference/events-and-register.md 3.4).
 */
export function registration(
  tx: Reads,
  user: UserRow,
  {
    allPublicChannels,
    narrow,
  }: { allPublicChannels: boolean | undefined; narrow: QueueOptions['narrow'] },
): Pick<QueueOptions, 'allPublicChannels' | 'narrow'> {
  const stored = user.botType === null ? undefined : tx.botDefaults.get([user.id]);
  const channelId = stored?.registerChannelId ?? null;
  const channel = channelId === null ? undefined : tx.channels.get([channelId]);
  return {
    allPublicChannels: allPublicChannels ?? stored?.hearsAllPublicChannels ?? false,
    narrow: narrow.length === 0 && channel ? [['stream', channel.name]] : narrow,
  };
}

/**
 * Tells users who manage bots about a default channel that was renamed, or became visible to
 * others.
 */
export function announceChannel(
  tx: RealmTransaction,
  { former, changed }: { former: ChannelRow; changed: ChannelRow },
) {
  for (const [, botId] of tx.channelBots.keysUnder([changed.id])) {
    const bot = tx.users.get([botId]);
    const row = tx.botDefaults.get([botId]);
    if (bot === undefined || row === undefined) continue;
    announceToManagers(tx, bot, (viewer) => {
      const name = nameFor(changed, viewer);
      if (name === nameFor(former, viewer)) return {};
      return {
        ...(row.sendingChannelId === changed.id ? { default_sending_stream: name } : {}),
        ...(row.registerChannelId === changed.id ? { default_events_register_stream: name } : {}),
      };
    });
  }
}

/**
 * Announces a `realm_bot` update for each changed property, to the owner and to the administrators
 * as each may know it.
 */
export function announceToManagers(
  tx: RealmTransaction,
  { id, botOwnerId }: Pick<UserRow, 'id' | 'botOwnerId'>,
  changedFor: (viewer: Viewer) => Partial<BotObject>,
) {
  const shown = changedFor('administrators');
  const owned = botOwnerId === null ? shown : changedFor('owner');
  const owner = botOwnerId === null ? [] : [botOwnerId];
  if (isDeepStrictEqual(shown, owned)) {
    announceUpdate(tx, id, { changed: shown, audience: { administrators: true, users: owner } });
    return;
  }
  announceUpdate(tx, id, { changed: shown, audience: { administrators: true, except: owner } });
  announceUpdate(tx, id, { changed: owned, audience: { users: owner } });
}

/** Does the same for a given audience. */
export function announceUpdate(
  tx: RealmTransaction,
  botId: number,
  { changed, audience }: { changed: Partial<BotObject>; audience: Audience },
) {
  for (const [property, value] of Object.entries(changed)) {
    tx.emit({
      event: { type: 'realm_bot', op: 'update', bot: { user_id: botId, [property]: value } },
      audience,
    });
  }
}

const nameFor = ({ name, isPrivate }: ChannelRow, viewer: Viewer) =>
  isPrivate && viewer !== 'owner' ? null : name;

const channelIds = ({ sendingChannelId, registerChannelId }: BotDefaultsRow) =>
  [...new Set([sendingChannelId, registerChannelId])].filter((id) => id !== null);

function channelIdOf(
  tx: Reads,
  user: UserRow,
  { name, current }: { name: string | undefined; current: number | null },
): number | null {
  if (name === undefined) return current;
  if (name.trim() === '') return null;
  const channel = byName(tx, name);
  if (channel !== undefined && !channel.isArchived) {
    const subscription = tx.subscriptions.get([channel.id, user.id]);
    if (hasContentAccess(tx, { user, channel, subscription })) return channel.id;
  }
  throw errors.badRequest(`Invalid channel name '${name.trim()}'`);
}
