import { SYSTEM_USER_ID_MIN } from '../../../../src/domain/rules/people/system-bots.ts';
import { endOfWaiting } from '../../../../src/domain/rules/people/users.ts';
import type { Writers } from '../../../transaction.ts';
import type { MigrationMoment } from '../../migration.ts';

/**
 * Schema 7 lists the members in the waiting period. Before, the clock decided it whenever it was
 * asked.
 */
export function listWaitingMembers(tables: Writers, { now }: MigrationMoment) {
  const waitingDays = Number(tables.realm.get(['realm'])?.settings.waiting_period_threshold ?? 0);
  const nowSeconds = Math.floor(now / 1000);
  for (const [[id], { dateJoined }] of tables.users.range({ end: [SYSTEM_USER_ID_MIN] })) {
    if (endOfWaiting(dateJoined, waitingDays) > nowSeconds)
      tables.waitingMembers.put([dateJoined, id], {});
  }
}
