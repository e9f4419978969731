import { table } from '../table.ts';

/** Groups directly within a group, system groups as well. Never a circle. */
export const subgroups = table<[groupId: number, subgroupId: number], object>('subgroups', []);
