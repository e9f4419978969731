import { table } from '../table.ts';

/** Whose an API key is, by its hash: a file may be asked for with a key alone. */
export const keyOwners = table<[keyHash: string], { readonly userId: number }>('key_owners', [
  'userId',
]);
