import type { RealmReader } from '../../storage/realm-store.ts';
import * as pushDevices from './push-devices.ts';
import { isUnread } from './unread.ts';

/** What a device is told: that there is a message and where to get it, nothing of what it says or who wrote it. */
export interface PushNotice {
  readonly device_id: string;
  readonly push_account_id: string;
  readonly token_kind: 'fcm' | 'apns';
}

/** The devices to be told of a message now; none when it is gone or was read since. */
export function devicesFor(
  reader: RealmReader,
  { userId, messageId }: { userId: number; messageId: number },
): readonly PushNotice[] {
  const message = reader.messages.get([messageId]);
  if (message === undefined || !reader.users.get([userId])?.isActive) return [];
  if (!isUnread(reader, userId, message)) return [];
  return pushDevices.active(reader, userId).map((device) => ({
    // An active one has been given its name by the bouncer.
    device_id: device.bouncerDeviceId ?? '',
    push_account_id: device.pushAccountId,
    token_kind: device.tokenKind,
  }));
}
