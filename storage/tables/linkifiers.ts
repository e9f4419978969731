import { table } from '../table.ts';

export interface LinkifierRow {
  readonly id: number;
  /** A Python regular expression. */
  readonly pattern: string;
  /** RFC 6570. */
  readonly urlTemplate: string;
}

/**
 * By place: they are applied in this order, and there are few of them. The first one is at 1, so that one look-up tells
 * that there are none.
 */
export const linkifiers = table<[place: number], LinkifierRow>('linkifiers', [
  'id',
  'pattern',
  'urlTemplate',
]);
