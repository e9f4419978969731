import type { SubscriptionRow } from '../../../storage/tables/channels/subscriptions.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import * as errors from '../../domain/wire/errors.ts';
import { queuesFor } from '../access/channel-access.ts';
import * as notificationListeners from '../indexes/notification-listeners.ts';
import { knownChannel } from './changes.ts';
import { inFull } from './colors.ts';

export interface PropertyChange {
  readonly channelId: number;
  readonly property: string;
  /** JSON, or a colour as text. */
  readonly value: unknown;
}

/**
 * Changes personal properties of subscriptions, all of them or none (reference/endpoints.md 2.4).
 */
export function set(tx: RealmTransaction, user: UserRow, changes: readonly PropertyChange[]) {
  for (const change of changes) setOne(tx, user, change);
}

function setOne(tx: RealmTransaction, user: UserRow, given: PropertyChange) {
  const { channelId } = given;
  const channel = knownChannel(tx, user, channelId);
  const former = tx.subscriptions.get([channelId, user.id]);
  if (!former?.isActive) throw errors.badRequest(`Not subscribed to channel ID ${channelId}`);
  const { columns, announced } = changeOf(given);
  tx.subscriptions.put([channelId, user.id], { ...former, ...columns });
  notificationListeners.noteSubscription(tx, { userId: user.id, channelId }, columns);
  for (const [property, value] of announced) {
    tx.emit({
      event: { type: 'subscription', op: 'update', stream_id: channelId, property, value },
      audience: { users: [user.id] },
      ...queuesFor(channel),
    });
  }
}

type Columns = Partial<SubscriptionRow>;
type Announced = readonly (readonly [AnnouncedProperty, boolean | string | null])[];
type AnnouncedProperty =
  | keyof typeof NULLABLE
  | 'color'
  | 'is_muted'
  | 'in_home_view'
  | 'pin_to_top';

const NULLABLE = {
  desktop_notifications: 'desktopNotifications',
  audible_notifications: 'audibleNotifications',
  push_notifications: 'pushNotifications',
  email_notifications: 'emailNotifications',
  wildcard_mentions_notify: 'wildcardMentionsNotify',
} as const satisfies Record<string, keyof SubscriptionRow>;

const isNullable = (property: string): property is keyof typeof NULLABLE =>
  Object.hasOwn(NULLABLE, property);

/**
 * Returns the stored columns and the announced properties: muting is announced as two
 * (reference/events-and-register.md 4.2).
 */
function changeOf({ property, value }: PropertyChange): { columns: Columns; announced: Announced } {
  if (isNullable(property)) {
    if (value !== null) refuseOther(property, value);
    const flag = value === null ? null : value === true;
    return { columns: { [NULLABLE[property]]: flag }, announced: [[property, flag]] };
  }
  switch (property) {
    case 'color':
      if (typeof value !== 'string' || !COLOR.test(value)) {
        throw errors.badRequest(`${property} is not a valid hex color code`);
      }
      return { columns: { color: inFull(value) }, announced: [[property, inFull(value)]] };
    case 'pin_to_top':
      refuseOther(property, value);
      return { columns: { isPinned: value === true }, announced: [[property, value === true]] };
    case 'is_muted':
    case 'in_home_view': {
      refuseOther(property, value);
      const isMuted = (property === 'is_muted') === value;
      const announced: Announced = [
        ['in_home_view', !isMuted],
        ['is_muted', isMuted],
      ];
      return { columns: { isMuted }, announced };
    }
    default:
      throw errors.badRequest(`Unknown subscription property: ${property}`);
  }
}

function refuseOther(property: string, value: unknown) {
  if (typeof value !== 'boolean') throw errors.badRequest(`${property} is not a boolean`);
}

const COLOR = /^#[0-9a-f]{3,6}$/i;
