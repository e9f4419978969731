import { ALL_CHANNELS } from '../../../tables/notifications/push.ts';
import type { Writers } from '../../../transaction.ts';

/**
 * Schema 12 lists the users who want every message of a channel mailed, from the settings there
 * are.
 */
export function listMailListeners(tables: Writers) {
  for (const [[userId], { settings }] of tables.users.range({})) {
    if (settings.enable_stream_email_notifications)
      tables.mailListeners.put([ALL_CHANNELS, userId], {});
  }
  for (const [key, { emailNotifications }] of tables.subscriptions.range({})) {
    if (emailNotifications) tables.mailListeners.put(key, {});
  }
}
