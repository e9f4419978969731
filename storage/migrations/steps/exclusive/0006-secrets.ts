import type { Writers } from '../../../transaction.ts';
import type { MigrationMoment } from '../../migration.ts';

/**
 * Schema 6 gives each realm, also one made before, a secret that signs addresses of other sites'
 * images.
 */
export function makeSecrets(tables: Writers, { secret }: MigrationMoment) {
  if (tables.realm.get(['realm']) === undefined) return;
  tables.secrets.put(['external content'], { value: secret('external content').toString('hex') });
}
