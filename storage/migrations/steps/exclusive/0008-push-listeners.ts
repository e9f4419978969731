import { ALL_CHANNELS } from '../../../tables/notifications/push.ts';
import type { Writers } from '../../../transaction.ts';

/**
 * Schema 8 lists the users who have devices, and those who want every message of a channel, from
 * the settings there are.
 */
export function listPushListeners(tables: Writers) {
  for (const [[userId], { settings }] of tables.users.range({})) {
    if (settings.enable_stream_push_notifications)
      tables.pushListeners.put([ALL_CHANNELS, userId], {});
  }
  for (const [key, { pushNotifications }] of tables.subscriptions.range({})) {
    if (pushNotifications) tables.pushListeners.put(key, {});
  }
  for (const [[userId], { status }] of tables.pushDevices.range({})) {
    if (status === 'active') tables.pushHolders.put([userId], {});
  }
}
