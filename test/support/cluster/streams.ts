import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { streamOf } from '../../../src/cluster/log/nats/nats-streams.ts';
import type { NatsServers } from './nats-servers.ts';

/** A server that was cut off is back with the others within this time. */
const WHOLE_MS = 60_000;

/** An operator's hand at the streams of the servers. */
export interface Streams {
  readonly jsm: JetStreamManager;
  readonly connection: NatsConnection;
  /** Returns the number of the server that leads the stream of a shard. */
  leaderOf(shard: number): Promise<number>;
  /** Resolves when all servers of the stream of a shard have what its leader has. */
  whole(shard: number): Promise<void>;
  /** Has the servers elect another leader of a stream. */
  stepDown(shard: number): Promise<void>;
  close(): Promise<void>;
}

export async function openStreams(servers: Pick<NatsServers, 'urls' | 'names'>): Promise<Streams> {
  const connection = await connect({
    servers: servers.urls.map((url) => url.replace('nats://', '')),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
  });
  const jsm = await jetstreamManager(connection, { timeout: 3_000, checkAPI: false });
  return {
    jsm,
    connection,
    async leaderOf(shard) {
      for (let attempts = 0; ; attempts += 1) {
        try {
          const { cluster } = await jsm.streams.info(streamOf(shard));
          const number = servers.names.indexOf(cluster?.leader ?? '');
          if (number >= 0) return number;
        } catch (error) {
          if (attempts > 30) throw error;
        }
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    },
    async whole(shard) {
      const until = Date.now() + WHOLE_MS;
      for (let isWhole = false; !isWhole && Date.now() < until; ) {
        const info = await jsm.streams.info(streamOf(shard)).catch(() => undefined);
        const replicas = info?.cluster?.replicas ?? [];
        isWhole =
          replicas.length > 1 && replicas.every(({ current, offline }) => current && !offline);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    },
    async stepDown(shard) {
      const subject = `$JS.API.STREAM.LEADER.STEPDOWN.${streamOf(shard)}`;
      await connection.request(subject, '', { timeout: 3_000 }).catch(() => {});
    },
    close: () => connection.close(),
  };
}
