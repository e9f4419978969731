import { randomBytes } from 'node:crypto';
import type { Writers } from '../transaction.ts';

/** Schema 6: what a realm signs addresses of other sites' images with, in realms made before as well. */
export function makeSecrets(tables: Writers) {
  if (tables.realm.get(['realm']) === undefined) return;
  tables.secrets.put(['external content'], { value: randomBytes(32).toString('hex') });
}
