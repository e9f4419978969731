import type { Writers } from '../../../transaction.ts';

/** Schema 5 lists the users who left each channel, before this schema as well. */
export function listFormerSubscribers(tables: Writers) {
  for (const [[channelId, userId], { isActive, received }] of tables.subscriptions.range({})) {
    if (isActive) continue;
    tables.formerSubscribers.put([channelId, received.at(-1) ?? 0, userId], {});
  }
}
