import { table } from '../table.ts';

export interface FirstResultRow {
  readonly messageId: number;
  readonly at: number;
  /** What the sender's policy of the topic became; null when it stayed as it was. */
  readonly newPolicy: 2 | 3 | null;
}

/** What a repeated send is answered with: key is `key:<Idempotency-Key>` or `local:<queue>:<local_id>`, hashed. */
export const firstResults = table<[userId: number, key: string], FirstResultRow>(
  'first_results',
  ['messageId', 'at', 'newPolicy'],
  { newPolicy: null },
);
