import { table } from '../table.ts';

/** What a repeated send is answered with: key is `key:<Idempotency-Key>` or `local:<queue>:<local_id>`, hashed. */
export const firstResults = table<
  [userId: number, key: string],
  { readonly messageId: number; readonly at: number }
>('first_results', ['messageId', 'at']);
