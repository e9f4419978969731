import { Role } from '../../domain/wire/roles.ts';
import type { Caller, RealmTransaction, Site } from '../../operations/access/caller.ts';
import { accounts } from '../../operations/access/groups.ts';

/** The name of the client program, where an operation wants one. */
export const CLIENT = 'command';

/**
 * Returns an owner, in whose name the operator acts: a bot that loses its owner gets this one. A
 * realm without owners has its own bot act.
 */
export function operator(tx: RealmTransaction, site: Site): Caller {
  for (const user of accounts(tx)) {
    if (user.role === Role.owner && user.isActive && user.botType === null) {
      return { user, site, client: CLIENT };
    }
  }
  for (const [, bot] of tx.users.range({})) {
    if (bot.isSystem) return { user: { ...bot, role: Role.owner }, site, client: CLIENT };
  }
  throw new Error('the realm has no bot of its own');
}
