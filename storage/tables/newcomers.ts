import { table } from '../table.ts';

/**
 * Accounts that are no full members yet, whatever their role: who stands here is one of the members alone. By the time they
 * joined (UNIX seconds), because those who joined first have waited first.
 */
export const newcomers = table<[dateJoined: number, userId: number], object>('newcomers', []);
