import { table } from '../table.ts';

export interface ProfileValueRow {
  /** Of users: their ids as a JSON list. */
  readonly value: string;
  /** HTML, of text that may hold Markdown; else null. */
  readonly renderedValue: string | null;
}

/** User first: a profile is one range. */
export const profileValues = table<[userId: number, fieldId: number], ProfileValueRow>(
  'profile_values',
  ['value', 'renderedValue'],
);
