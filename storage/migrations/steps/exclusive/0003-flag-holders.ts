import type { Writers } from '../../../transaction.ts';

/** Schema 3 lists the users who have flags of a message, for flags set before as well. */
export function listFlagHolders(tables: Writers) {
  for (const [userId, messageId] of tables.messageFlags.keys({})) {
    tables.flagHolders.put([messageId, userId], {});
  }
}
