import type { Writers } from '../../../transaction.ts';

/** Schema 9 finds the owner of each API key, for keys given out before as well. */
export function listKeyOwners(tables: Writers) {
  for (const [userId, keyHash] of tables.apiKeys.keys({})) {
    tables.keyOwners.put([keyHash], { userId });
  }
}
