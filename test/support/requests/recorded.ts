import { openTracing } from '../../../src/endpoints/tracing.ts';
import { HttpRecord, openSocketRecord } from '../../../src/metrics/recorders.ts';

/** The counts and traces of the transports of a further door, which nobody reads. */
export const recorded = () => ({
  record: new HttpRecord([]),
  socketRecord: openSocketRecord(),
  tracing: openTracing(null),
  pollEndpoint: 0,
  isReady: () => true,
});
