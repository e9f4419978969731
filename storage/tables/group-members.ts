import { table } from '../table.ts';

/** Direct members, deactivated accounts included; group first: the members of a group are one range. */
export const groupMembers = table<[groupId: number, userId: number], object>('group_members', []);
