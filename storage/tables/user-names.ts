import { table } from '../table.ts';

/** Finds users by lower-cased full name, for mentions; names need not be unique, so the id is part of the key. */
export const userNames = table<[fullName: string, userId: number], Record<never, never>>(
  'user_names',
  [],
);
