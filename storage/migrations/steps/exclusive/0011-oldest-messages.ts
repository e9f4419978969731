import { AS_THE_REALM } from '../../../tables/messages/messages.ts';
import type { Writers } from '../../../transaction.ts';

/** Schema 11: the oldest message of each channel that does not keep its messages for ever. */
export function listOldestMessages(tables: Writers) {
  for (const [[channelId], { firstMessageId, messageRetentionDays }] of tables.channels.range({})) {
    if (firstMessageId === null || messageRetentionDays === -1) continue;
    tables.oldestMessages.put(
      [messageRetentionDays ?? AS_THE_REALM, firstMessageId, channelId],
      {},
    );
  }
}
