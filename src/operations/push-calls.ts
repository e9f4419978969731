import type { RealmTransaction } from '../../storage/realm-store.ts';
import type { UserRow } from '../../storage/tables/users.ts';
import type { Place } from './caller.ts';
import * as outbox from './outbox.ts';
import * as presences from './presences.ts';
import * as pushDevices from './push-devices.ts';

interface Posted {
  readonly sender: UserRow;
  readonly place: Place;
  readonly messageId: number;
  readonly mentionedUserIds: readonly number[];
  /** Of a direct message: the others. */
  readonly people: readonly UserRow[];
  readonly readBy: readonly number[];
  receives(userId: number): boolean;
}

/**
 * Has the devices of those whom a message is for, or who are mentioned in it, told of it after its commit. Subscribers are
 * not looked at: sending is independent of the audience (design, invariant 6).
 */
export function post(tx: RealmTransaction, posted: Posted) {
  if (!posted.place.hasPushService) return;
  const userIds = new Set([
    ...posted.people.map(({ id }) => id),
    ...posted.mentionedUserIds.filter((id) => posted.receives(id)),
  ]);
  for (const userId of userIds) {
    if (userId === posted.sender.id || posted.readBy.includes(userId)) continue;
    if (!isWanted(tx, userId)) continue;
    const content: pushDevices.PushLetter = {
      type: 'notify',
      userId,
      messageId: posted.messageId,
    };
    outbox.post(tx, { kind: 'push', content });
  }
}

function isWanted(tx: RealmTransaction, userId: number): boolean {
  const user = tx.users.get([userId]);
  if (!user?.isActive || user.botType !== null) return false;
  const { enable_offline_push_notifications, enable_online_push_notifications } = user.settings;
  if (enable_offline_push_notifications === false) return false;
  if (enable_online_push_notifications === false && presences.isPresent(tx, user, tx.now)) {
    return false;
  }
  return pushDevices.active(tx, userId).length > 0;
}
