import { table } from '../../table.ts';

export interface MutedUserRow {
  /** UNIX seconds. */
  readonly mutedAt: number;
}

/** Whom a user does not want to hear. User first: every event about it, and a snapshot, lists one user's. */
export const mutedUsers = table<[userId: number, mutedId: number], MutedUserRow>('muted_users', [
  'mutedAt',
]);

/** The rows of `muted_users` by the muted one: every send looks for those of its sender. */
export const muters = table<[mutedId: number, userId: number], Record<never, never>>('muters', [], {
  cache: 'read-mostly',
});
