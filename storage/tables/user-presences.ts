import { table } from '../table.ts';

/** Finds the presence of one user. */
export const userPresences = table<[userId: number], { readonly updateId: number }>(
  'user_presences',
  ['updateId'],
);
