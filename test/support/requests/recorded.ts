import { HttpRecord, openSocketRecord } from '../../../src/metrics/recorders.ts';

/** The counts of the transports of a further door, which nobody reads. */
export const recorded = () => ({
  record: new HttpRecord([]),
  socketRecord: openSocketRecord(),
  pollEndpoint: 0,
  isReady: () => true,
});
