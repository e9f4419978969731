import type { SubscriptionRow } from '../../../storage/tables/channels/subscriptions.ts';
import { ALL_CHANNELS } from '../../../storage/tables/notifications/push.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';

/**
 * Lists the users who want notifications of every message in a channel, or in all channels: by
 * push, and by mail. The recipients of a notification are found in these lists, so each change of
 * such a setting is noted here.
 */

interface Wish {
  readonly userId: number;
  readonly channelId: number;
}

/** Notes the new value of a user's setting. */
export function noteSetting(
  tx: RealmTransaction,
  userId: number,
  setting: readonly [string, unknown],
) {
  const [name, value] = setting;
  const wish = { userId, channelId: ALL_CHANNELS };
  if (name === 'enable_stream_push_notifications') note(tx.pushListeners, wish, value === true);
  if (name === 'enable_stream_email_notifications') note(tx.mailListeners, wish, value === true);
}

/** Notes a change of a user's settings for a channel. */
export function noteSubscription(
  tx: RealmTransaction,
  wish: Wish,
  { pushNotifications, emailNotifications }: Partial<SubscriptionRow>,
) {
  if (pushNotifications !== undefined) note(tx.pushListeners, wish, pushNotifications === true);
  if (emailNotifications !== undefined) note(tx.mailListeners, wish, emailNotifications === true);
}

type Listeners = RealmTransaction['pushListeners'];

function note(listeners: Listeners, { channelId, userId }: Wish, isListening: boolean) {
  if (isListening) listeners.put([channelId, userId], {});
  else listeners.remove([channelId, userId]);
}
