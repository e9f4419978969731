import type { Heard } from '../../../src/domain/rules/people/presence.ts';
import type { reactionType } from '../../../src/domain/wire/objects.ts';
import { table } from '../../table.ts';

export interface PresenceRow extends Heard {
  readonly userId: number;
}

/**
 * Presences by the number of the change; each user has only the newest. Each client asks every
 * minute for what is new since the last number it knows, which is the end of the table.
 */
export const presences = table<[updateId: number], PresenceRow>('presences', [
  'activeAt',
  'connectedAt',
  'userId',
]);

/** Finds the presence of one user. */
export const userPresences = table<[userId: number], { readonly updateId: number }>(
  'user_presences',
  ['updateId'],
);

export interface UserStatusRow {
  /** Empty: none. */
  readonly text: string;
  /** Null: none. */
  readonly emoji: StatusEmoji | null;
}

export interface StatusEmoji {
  readonly name: string;
  readonly code: string;
  readonly type: (typeof reactionType.options)[number];
}

/** One row a user with a status; a cleared status has no row. */
export const userStatuses = table<[userId: number], UserStatusRow>('user_statuses', [
  'text',
  'emoji',
]);
