import { TRAFFIC_AGE_SECONDS_MIN } from '../../../../src/domain/limits/channels.ts';
import type { Writers } from '../../../transaction.ts';

/**
 * Schema 16 notes when the traffic of each channel is to be counted: at once if it is old enough.
 */
export function planTrafficCounts(tables: Writers) {
  for (const [[channelId], { dateCreated }] of [...tables.channels.range({})]) {
    const countAt = dateCreated + TRAFFIC_AGE_SECONDS_MIN;
    tables.trafficCounts.put([countAt, channelId], { from: null, count: 0 });
  }
}
