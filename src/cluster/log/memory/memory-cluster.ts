import { type Clock, systemClock } from '../../../../actors/clock.ts';
import type { ClusterStore, LogOfShard } from '../cluster-store.ts';
import type { ShardLog, StoredRecord } from '../shard-log.ts';
import type { Cut, NodeFaults } from './faults.ts';
import { openMemoryBus, openSharedBus } from './memory-bus.ts';
import { openMemoryLink } from './memory-link.ts';
import { openMemoryLog } from './memory-log.ts';
import { type MemoryShard, openMemoryShard } from './memory-shard.ts';
import { openHeldValues, openMemoryValues } from './memory-values.ts';

/** The cluster store as one node sees it, with the faults that tests bring about for it. */
export interface MemoryNode extends ClusterStore {
  readonly faults: NodeFaults;
  /** Cuts the node off from the cluster, or cuts one direction only. */
  cut(cut: Cut): void;
  heal(): void;
}

/** A cluster in the memory of one process: for tests, and for a cluster of one. */
export interface MemoryCluster {
  openNode(name: string): MemoryNode;
  /** Returns the records that the log of a shard has, the oldest first. */
  recordsOf(shard: number): readonly StoredRecord[];
  /** Loses the last records of a shard, as servers do that had not synced them. */
  cutBack(shard: number, records: number): void;
}

const logOf = ([shard, stored]: readonly [number, MemoryShard]): LogOfShard => {
  const records = stored.last() - stored.first() + 1;
  let bytes = 0;
  for (let at = stored.first(); at <= stored.last(); at++) {
    bytes += stored.at(at)?.body.length ?? 0;
  }
  return { shard, records, bytes, leader: 'memory', copies: 1, current: 1 };
};

export function openMemoryCluster(clock: Clock = systemClock): MemoryCluster {
  const shards = new Map<number, MemoryShard>();
  const bus = openSharedBus();
  const held = openHeldValues();

  function shardOf(shard: number): MemoryShard {
    const stored = shards.get(shard) ?? openMemoryShard(() => clock.now());
    shards.set(shard, stored);
    return stored;
  }

  return {
    openNode(name) {
      const link = openMemoryLink(name, clock);
      return {
        bus: openMemoryBus(bus, link),
        values: openMemoryValues(held, link),
        faults: link.faults,
        openLog: (shard): Promise<ShardLog> =>
          link.ask(() => openMemoryLog({ shard, stored: shardOf(shard), link })),
        isConnected: () => link.sends() && link.hears(),
        async standing() {
          const isConnected = link.sends() && link.hears();
          const logs = isConnected ? Array.from(shards, logOf) : [];
          return { isConnected, server: isConnected ? 'memory' : null, roundTripMs: 0, logs };
        },
        cut: (cut) => link.cut(cut),
        heal: () => link.heal(),
        async close() {
          link.close();
        },
      };
    },
    recordsOf(shard) {
      const stored = shardOf(shard);
      return Array.from({ length: stored.last() - stored.first() + 1 }, (_, index) =>
        stored.at(stored.first() + index),
      ).filter((record) => record !== undefined);
    },
    cutBack: (shard, records) => shardOf(shard).cutBack(records),
  };
}
