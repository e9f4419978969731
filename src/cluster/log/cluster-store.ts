import type { Bus, SharedValues } from './bus.ts';
import type { ShardLog } from './shard-log.ts';

/** The state of the servers that hold the logs, as far as it is known. */
export interface LogStanding {
  readonly isConnected: boolean;
  /** The server that the node is connected to; null if it is not, or none has a name. */
  readonly server: string | null;
  /** How long a question to that server takes (ms); null if it does not answer. */
  readonly roundTripMs: number | null;
  /** The logs of the shards; empty where nobody tells. */
  readonly logs: readonly LogOfShard[];
}

/** The log of a shard, as its servers describe it. */
export interface LogOfShard {
  readonly shard: number;
  readonly records: number;
  readonly bytes: number;
  /** The server that leads; null while there is none. */
  readonly leader: string | null;
  /** The servers that have a copy, the leader included. */
  readonly copies: number;
  /** How many of them have all records. */
  readonly current: number;
}

/** The logs of all shards, and the bus between the nodes; NATS, or the memory of a test. */
export interface ClusterStore {
  readonly bus: Bus;
  readonly values: SharedValues;
  /** Opens the log of a shard, and makes it if there is none. */
  openLog(shard: number): Promise<ShardLog>;
  /** Tells whether the store is reached at present. */
  isConnected(): boolean;
  /** Asks the servers how they are. Never rejects: what they do not tell is left out. */
  standing(): Promise<LogStanding>;
  close(): Promise<void>;
}
