import type { reactionType } from '../../src/domain/objects.ts';
import { table } from '../table.ts';

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
