import { table } from '../table.ts';

export interface LinkifierRow {
  readonly id: number;
  /** A Python regular expression. */
  readonly pattern: string;
  /** RFC 6570. */
  readonly urlTemplate: string;
}

/** By place, from 1: they are applied in this order, and there are few of them. */
export const linkifiers = table<[place: number], LinkifierRow>('linkifiers', [
  'id',
  'pattern',
  'urlTemplate',
]);
