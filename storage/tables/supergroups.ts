import { table } from '../table.ts';

/** Groups that a group is directly within: the other side of `subgroups`. */
export const supergroups = table<[subgroupId: number, groupId: number], object>('supergroups', []);
