import type { RealmTransaction } from '../../../storage/transaction.ts';
import { Role } from '../../domain/wire/roles.ts';
import type { Caller, Site } from '../access/caller.ts';
import * as notices from '../posting/notices.ts';

/**
 * Returns the caller that operations see: the bot of the realm, with the rights of an
 * administrator. Owners are changed by owners alone, so that a stolen token does not make anybody
 * one; only the end of an account is a matter of the directory in any case.
 */
export function directory(
  tx: RealmTransaction,
  site: Site,
  role: typeof Role.administrator | typeof Role.owner = Role.administrator,
): Caller {
  tx.actAs('scim');
  return { user: { ...notices.notificationBot(tx), role }, site, client: 'scim' };
}
