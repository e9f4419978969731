import { table } from '../table.ts';

/** The groups a user is directly in: the other side of `group_members`. */
export const userGroups = table<[userId: number, groupId: number], object>('user_groups', []);
