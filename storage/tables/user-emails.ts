import { table } from '../table.ts';

/** Finds a user by the lower-cased real address. */
export const userEmails = table<[email: string], { readonly userId: number }>('user_emails', [
  'userId',
]);
