import type { SubscriptionRow } from '../../../storage/tables/channels/subscriptions.ts';
import { ALL_CHANNELS } from '../../../storage/tables/notifications/push.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';

/**
 * Who wants to be told of every message of a channel, or of all channels: by push, by mail. Those who are told of a message
 * are looked for in these lists, so whoever changes such a wish says so here.
 */

interface Wish {
  readonly userId: number;
  readonly channelId: number;
}

/** A setting of somebody has this value now. */
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

/** What somebody decided about a channel has changed. */
export function noteSubscription(
  tx: RealmTransaction,
  wish: Wish,
  { pushNotifications, emailNotifications }: Partial<SubscriptionRow>,
) {
  if (pushNotifications !== undefined) note(tx.pushListeners, wish, pushNotifications === true);
  if (emailNotifications !== undefined) note(tx.mailListeners, wish, emailNotifications === true);
}

type Listeners = RealmTransaction['pushListeners'];

function note(listeners: Listeners, { channelId, userId }: Wish, isWanted: boolean) {
  if (isWanted) listeners.put([channelId, userId], {});
  else listeners.remove([channelId, userId]);
}
