import { table } from '../../table.ts';

export interface MutedUserRow {
  /** UNIX seconds. */
  readonly mutedAt: number;
}

/**
 * Users whom a user has muted. User first: every event about them, and a snapshot, lists one
 * user's.
 */
export const mutedUsers = table<[userId: number, mutedId: number], MutedUserRow>('muted_users', [
  'mutedAt',
]);

/** The rows of `muted_users` by the muted user: every send looks for users who muted its sender. */
export const muters = table<[mutedId: number, userId: number], Record<never, never>>('muters', [], {
  cache: 'read-mostly',
});
