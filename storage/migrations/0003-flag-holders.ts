import type { Writers } from '../transaction.ts';

/** Schema 3: from a message to those for whom it has flags, of the flags set before as well. */
export function listFlagHolders(tables: Writers) {
  for (const [userId, messageId] of tables.messageFlags.keys({})) {
    tables.flagHolders.put([messageId, userId], {});
  }
}
