import type { JetStreamManager, StreamInfo } from '@nats-io/jetstream';
import type { LogOfShard, LogStanding } from '../cluster-store.ts';
import type { Link } from './nats-connection.ts';
import { shardIn, subjectOfAll } from './nats-streams.ts';

/** Asks the servers how they and the streams are; one question for a hundred streams or so. */
export async function standingOf(link: Link, jsm: JetStreamManager): Promise<LogStanding> {
  const { connection } = link;
  if (!link.isConnected()) {
    return { isConnected: false, server: null, roundTripMs: null, logs: [] };
  }
  const [roundTripMs, logs] = await Promise.all([
    connection.rtt().catch(() => null),
    logsOf(jsm).catch(() => []),
  ]);
  const server = connection.info?.server_name ?? connection.getServer();
  return { isConnected: link.isConnected(), server, roundTripMs, logs };
}

async function logsOf(jsm: JetStreamManager): Promise<readonly LogOfShard[]> {
  const logs: LogOfShard[] = [];
  for await (const info of jsm.streams.list(subjectOfAll)) {
    const shard = shardIn(info.config.name);
    if (shard !== undefined) logs.push(described(shard, info));
  }
  return logs.sort((one, other) => one.shard - other.shard);
}

function described(shard: number, { state, cluster }: StreamInfo): LogOfShard {
  const { messages: records, bytes } = state;
  // A server that is alone tells of no cluster.
  if (cluster === undefined || cluster === null) {
    return { shard, records, bytes, leader: 'the only server', copies: 1, current: 1 };
  }
  const others = cluster.replicas ?? [];
  const leader = cluster.leader || null;
  const led = leader === null ? 0 : 1;
  const current = led + others.filter((one) => one.current && one.offline !== true).length;
  return { shard, records, bytes, leader, copies: led + others.length, current };
}
