import { table } from '../table.ts';

/** What somebody began to write and did not send. */
export interface DraftRow {
  /** Empty while it is not said where it is to go. */
  readonly type: '' | 'private' | 'stream';
  /** The channel; or the people without the author, unless alone, ascending; or nobody yet. */
  readonly to: readonly number[];
  /** Empty where it is for no channel. */
  readonly topic: string;
  readonly content: string;
  /** When it was last edited, as its client says. UNIX seconds. */
  readonly timestamp: number;
}

/** User first: all drafts of one user are read together, and are deleted together. */
export const drafts = table<[userId: number, draftId: number], DraftRow>('drafts', [
  'type',
  'to',
  'topic',
  'content',
  'timestamp',
]);
