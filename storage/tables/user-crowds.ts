import { table } from '../table.ts';

/** The crowds that a user is in: the lists of messages in which groups mention them. */
export const userCrowds = table<[userId: number, crowdId: number], object>('user_crowds', []);
