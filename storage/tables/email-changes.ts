import { table } from '../table.ts';

export interface EmailChangeRow {
  readonly newEmail: string;
  /** UNIX milliseconds. */
  readonly askedAt: number;
  readonly isDone: boolean;
}

/**
 * Addresses that somebody wants to have and must confirm, by a hash of what is in the link. Under the user, because a user
 * may ask only so often; the link names the user as well. Rows of links that can no longer be used go when the next is asked for.
 */
export const emailChanges = table<[userId: number, secretHash: string], EmailChangeRow>(
  'email_changes',
  ['newEmail', 'askedAt', 'isDone'],
);
