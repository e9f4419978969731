import { ALL_CHANNELS } from '../tables/notifications/push.ts';
import type { Writers } from '../transaction.ts';

/** Schema 12: who wants every message of a channel mailed, of those who said so before. */
export function listMailListeners(tables: Writers) {
  for (const [[userId], { settings }] of tables.users.range({})) {
    if (settings.enable_stream_email_notifications)
      tables.mailListeners.put([ALL_CHANNELS, userId], {});
  }
  for (const [key, { emailNotifications }] of tables.subscriptions.range({})) {
    if (emailNotifications) tables.mailListeners.put(key, {});
  }
}
