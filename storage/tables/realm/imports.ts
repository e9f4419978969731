import { table } from '../../table.ts';

/**
 * Accounts that an import made for people who have none: nobody has logged in to them, and the
 * owner of the address may take them over.
 */
export const placeholders = table<[userId: number], Record<never, never>>('placeholders', []);
