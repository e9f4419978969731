import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { QUESTION_MS } from '../bounds.ts';
import type { ClusterStore } from '../cluster-store.ts';
import type { ShardLog } from '../shard-log.ts';
import { openNatsBus } from './nats-bus.ts';
import { type NatsOptions, openLink } from './nats-connection.ts';
import { openNatsLog } from './nats-log.ts';
import { asked } from './nats-records.ts';
import { ensureStream, requireServer } from './nats-streams.ts';
import { openNatsValues } from './nats-values.ts';

/** Opens the cluster store that NATS servers hold. Throws if they may lose what they confirm. */
export async function openNatsCluster(options: NatsOptions): Promise<ClusterStore> {
  const link = await openLink(options);
  const isUnsafe = options.isUnsafe ?? false;
  try {
    requireServer(link.connection);
    const jsm = await jetstreamManager(link.connection, { timeout: QUESTION_MS, checkAPI: false });
    const js = jetstream(link.connection, { timeout: QUESTION_MS });
    const logs = new Map<number, Promise<ShardLog>>();
    const openLog = async (shard: number) => {
      const { created } = await asked(() => ensureStream(jsm, shard, isUnsafe));
      return openNatsLog({ shard, link, js, jsm, made: created });
    };
    return {
      bus: openNatsBus(link),
      values: await openNatsValues(link, isUnsafe),
      openLog(shard) {
        const opened = logs.get(shard) ?? openLog(shard);
        logs.set(shard, opened);
        // Whoever opens it again may have more luck.
        opened.catch(() => logs.delete(shard));
        return opened;
      },
      isConnected: () => link.isConnected(),
      close: () => link.close(),
    };
  } catch (error) {
    await link.close();
    throw error;
  }
}
