import { table } from '../table.ts';

/** The newest crowd of a group in a channel. */
export const groupCrowds = table<
  [groupId: number, channelId: number],
  { readonly crowdId: number }
>('group_crowds', ['crowdId']);
