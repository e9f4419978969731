import type { ChannelRow, GroupSetting } from '../../../storage/tables/channels/channels.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import type { Audience } from '../../domain/wire/events/log-entry.ts';
import type { LoggedEvent } from '../../domain/wire/events/logged-events.ts';
import { isGuest } from '../../domain/wire/roles.ts';
import { SERVER_SUPPORTED_PERMISSION_SETTINGS } from '../../domain/wire/settings/permission-settings.ts';
import { hasMetadataAccess, queuesFor, whoKnows } from './channel-access.ts';
import { shown } from './group-settings.ts';
import { accounts, realmSettings } from './groups.ts';
import { whoDoesNotSee } from './user-visibility.ts';

/**
 * The audience: all who know of a setting, or only those of them who may not know of a user that it
 * names.
 */
export type Informed = 'everyone' | 'unaware';

/**
 * Announces settings that name a user, because anonymous groups show an account only while it is
 * active. Such settings have no index, so all settings are read; accounts change rarely.
 */
export function announce(tx: RealmTransaction, user: UserRow, informed: Informed) {
  const audience: Audience = informed === 'everyone' ? { everyone: true } : whoDoesNotSee(tx, user);
  const settings: Readonly<Record<string, unknown>> = { ...realmSettings(tx) };
  for (const name of Object.keys(SERVER_SUPPORTED_PERMISSION_SETTINGS.realm)) {
    // The permissions among the settings have such values.
    const value = settings[name] as GroupSetting;
    if (!names(value, user.id)) continue;
    tx.emit({
      event: {
        type: 'realm',
        op: 'update_dict',
        property: 'default',
        data: { [name]: shown(tx, value) },
      },
      audience,
    });
  }
  for (const [, channel] of tx.channels.range({}))
    announceOfChannel(tx, user, { channel, informed });
  for (const [, group] of tx.groups.range({})) {
    for (const [name, value] of Object.entries(group.permissions)) {
      if (!names(value, user.id)) continue;
      tx.emit({
        event: {
          type: 'user_group',
          op: 'update',
          group_id: group.id,
          data: { [name]: shown(tx, value) },
        },
        audience,
        ...(group.isDeactivated ? { queues: { has: 'include_deactivated_groups' } } : {}),
      });
    }
  }
}

function announceOfChannel(
  tx: RealmTransaction,
  user: UserRow,
  { channel, informed }: { channel: ChannelRow; informed: Informed },
) {
  const naming = Object.entries(channel.groups).filter(([, value]) => names(value, user.id));
  if (naming.length === 0) return;
  const audience =
    informed === 'everyone' ? whoKnows(tx, channel) : { users: unawareGuests(tx, user, channel) };
  for (const [property, value] of naming) {
    tx.emit({
      event: {
        type: 'stream',
        op: 'update',
        stream_id: channel.id,
        name: channel.name,
        property,
        value: shown(tx, value),
      } as LoggedEvent, // the names of a channel's permissions are among its properties
      audience,
      ...queuesFor(channel),
    });
  }
}

/** Returns the guests who may know of the channel and not of the account. */
function unawareGuests(tx: RealmTransaction, user: UserRow, channel: ChannelRow): number[] {
  const seeing = new Set(whoDoesNotSee(tx, user).except);
  const ids: number[] = [];
  for (const guest of accounts(tx)) {
    if (!guest.isActive || !isGuest(guest.role) || seeing.has(guest.id)) continue;
    const subscription = tx.subscriptions.get([channel.id, guest.id]);
    if (hasMetadataAccess(tx, { user: guest, channel, subscription })) ids.push(guest.id);
  }
  return ids;
}

const names = (value: GroupSetting, userId: number) =>
  typeof value !== 'number' && value.direct_members.includes(userId);
