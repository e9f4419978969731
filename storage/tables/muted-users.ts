import { table } from '../table.ts';

export interface MutedUserRow {
  /** UNIX seconds. */
  readonly mutedAt: number;
}

/** Whom a user does not want to hear. User first: every event about it, and a snapshot, lists one user's. */
export const mutedUsers = table<[userId: number, mutedId: number], MutedUserRow>('muted_users', [
  'mutedAt',
]);
