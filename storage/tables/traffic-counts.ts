import { table } from '../table.ts';

/** How far the messages of a channel are counted; null: not begun. */
export interface TrafficCount {
  /** The next message to be counted, if it is in the channel. */
  readonly from: number | null;
  readonly count: number;
}

/** Every channel, by when its traffic is to be counted next: the first row is the first that is due. A send does not touch it. */
export const trafficCounts = table<[countAt: number, channelId: number], TrafficCount>(
  'traffic_counts',
  ['from', 'count'],
);
