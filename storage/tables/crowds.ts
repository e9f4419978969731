import { table } from '../table.ts';

export interface CrowdRow {
  readonly groupId: number;
  readonly channelId: number;
  /** Ascending. */
  readonly userIds: readonly number[];
}

/**
 * Those whom the mention of a user group reached in a channel: once for all messages that did. Who it would reach now is
 * another one as soon as somebody has come or gone, so a row never changes.
 */
export const crowds = table<[crowdId: number], CrowdRow>('crowds', [
  'groupId',
  'channelId',
  'userIds',
]);
