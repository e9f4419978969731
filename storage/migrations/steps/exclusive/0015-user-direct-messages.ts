import type { Writers } from '../../../transaction.ts';

/** Schema 15: the direct messages of each user, wherever they are. */
export function listDirectMessages(tables: Writers) {
  for (const [[recipientId], { userIds }] of tables.conversations.range({})) {
    for (const [, messageId] of tables.directMessages.keysUnder([recipientId])) {
      for (const userId of userIds) tables.userDirectMessages.put([userId, messageId], {});
    }
  }
}
