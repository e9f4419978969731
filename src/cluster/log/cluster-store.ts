import type { Bus, SharedValues } from './bus.ts';
import type { ShardLog } from './shard-log.ts';

/** The logs of all shards, and the bus between the nodes; NATS, or the memory of a test. */
export interface ClusterStore {
  readonly bus: Bus;
  readonly values: SharedValues;
  /** Opens the log of a shard, and makes it if there is none. */
  openLog(shard: number): Promise<ShardLog>;
  /** Tells whether the store is reached at present. */
  isConnected(): boolean;
  close(): Promise<void>;
}
