import { randomBytes } from 'node:crypto';
import type { Writers } from '../transaction.ts';

/**
 * Schema 6 gives each realm, also one made before, a secret that signs addresses of other sites'
 * images.
 */
export function makeSecrets(tables: Writers) {
  if (tables.realm.get(['realm']) === undefined) return;
  tables.secrets.put(['external content'], { value: randomBytes(32).toString('hex') });
}
