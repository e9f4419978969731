import { NOTIFICATION_BOT } from '../../../../src/domain/rules/people/system-bots.ts';
import type { Writers } from '../../../transaction.ts';

/** Schema 2: every realm has the service's notification bot, the ones made before as well. */
export function addNotificationBot(tables: Writers) {
  const realm = tables.realm.get(['realm']);
  if (realm === undefined) return;
  const { id } = NOTIFICATION_BOT;
  tables.users.put([id], { ...NOTIFICATION_BOT, dateJoined: realm.dateCreated });
}
