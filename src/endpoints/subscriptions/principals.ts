import { z } from 'zod';
import type { RealmTransaction } from '../../operations/access/caller.ts';
import * as userAccess from '../../operations/access/user-access.ts';
import { json } from '../params.ts';

/** Accepts users by id or by address, not mixed. */
export const principals = json(
  z.union([z.array(z.int()), z.array(z.string())], {
    error: 'is not a list of user IDs or of email addresses',
  }),
).optional();

/** Returns the named users, each existing and active; the caller if none is named. */
export function principalsOf(
  tx: RealmTransaction,
  caller: userAccess.Viewer,
  named: readonly (number | string)[] | undefined,
) {
  if (named === undefined || named.length === 0) return [caller.user];
  return userAccess.findActive(tx, caller, named);
}
