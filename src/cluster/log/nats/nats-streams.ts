import {
  DiscardPolicy,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { type NatsConnection, nanos } from '@nats-io/transport-node';
import { REPEATS_MS } from '../bounds.ts';
import { LogSetupError } from '../errors.ts';
import { areServersTooFew, codeOf, NAME_IN_USE, STREAM_NOT_FOUND } from './error-codes.ts';
import type { Introduction } from './introductions.ts';

/** Shards have two digits in the names of streams and subjects. */
const nameOf = (shard: number) => String(shard).padStart(2, '0');
export const streamOf = (shard: number) => `CONFAB_S${nameOf(shard)}`;
export const subjectOf = (shard: number) => `confab.log.${nameOf(shard)}`;
/** The subject of all logs. */
export const subjectOfAll = 'confab.log.*';

/** Returns the shard of a stream; undefined if it is none of a shard. */
export function shardIn(stream: string): number | undefined {
  const digits = /^CONFAB_S(\d{2,})$/.exec(stream)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The stream tells its records there once they are stored. */
export const tailOf = (shard: number) => `confab.tail.${nameOf(shard)}`;

/** Replicas of each stream: one server can be lost. */
const REPLICAS = 3;

const configOf = (shard: number, replicas: number): Partial<StreamConfig> & { name: string } => ({
  name: streamOf(shard),
  description: 'The log of a shard of confab',
  subjects: [subjectOf(shard)],
  retention: RetentionPolicy.Limits,
  discard: DiscardPolicy.New,
  storage: StorageType.File,
  num_replicas: replicas,
  max_msg_size: 8 * 1_048_576,
  duplicate_window: nanos(REPEATS_MS),
  allow_direct: true,
  deny_delete: true,
  deny_purge: false,
  republish: { src: subjectOf(shard), dest: tailOf(shard) },
});

/** Makes the stream of a shard if there is none. Throws if the one that is there loses records. */
export async function ensureStream(
  jsm: JetStreamManager,
  shard: number,
  isUnsafe: boolean,
): Promise<StreamInfo> {
  const info = (await infoOf(jsm, shard)) ?? (await makeStream(jsm, shard, isUnsafe));
  const wrong = faultsOf(info.config, shard, isUnsafe);
  if (wrong.length > 0) {
    throw new LogSetupError(`The stream ${streamOf(shard)} does not fit: ${wrong.join('; ')}.`);
  }
  return info;
}

async function infoOf(jsm: JetStreamManager, shard: number): Promise<StreamInfo | undefined> {
  try {
    return await jsm.streams.info(streamOf(shard));
  } catch (error) {
    if (codeOf(error) === STREAM_NOT_FOUND) return undefined;
    throw error;
  }
}

async function makeStream(jsm: JetStreamManager, shard: number, isUnsafe: boolean) {
  try {
    return await jsm.streams.add(configOf(shard, REPLICAS));
  } catch (error) {
    // Another node has made it meanwhile.
    if (codeOf(error) === NAME_IN_USE) return jsm.streams.info(streamOf(shard));
    if (!areServersTooFew(error)) throw error;
    if (isUnsafe) return jsm.streams.add(configOf(shard, 1));
    throw new LogSetupError(
      `The stream ${streamOf(shard)} needs ${REPLICAS} NATS servers with JetStream: ${String(error)}`,
      { cause: error },
    );
  }
}

/** Returns what is wrong with a stream, in sentences without an end. */
function faultsOf(config: StreamConfig, shard: number, isUnsafe: boolean): readonly string[] {
  const faults: string[] = [];
  const require = (isRight: boolean, fault: string) => {
    if (!isRight) faults.push(fault);
  };
  require(config.num_replicas >= REPLICAS ||
    isUnsafe, `it has ${config.num_replicas} replicas, and ${REPLICAS} are needed`);
  require(config.storage === StorageType.File, 'it is not stored in files');
  require(config.max_msgs <= 0 &&
    config.max_bytes <= 0 &&
    config.max_age === 0, 'it is limited in records, bytes or age, and would lose records');
  require(config.retention === RetentionPolicy.Limits, 'its retention policy loses records');
  require(config.republish?.dest === tailOf(shard), `it does not republish to ${tailOf(shard)}`);
  require(config.duplicate_window >=
    nanos(REPEATS_MS), `it knows repeats for less than ${REPEATS_MS / 1_000} seconds`);
  return faults;
}

/** Throws if the server that a node is connected to is too old, or takes too little. */
export function requireServer(connection: NatsConnection): void {
  const { info } = connection;
  if (info === undefined) return;
  requireVersion(info);
  if (info.jetstream !== true) {
    throw new LogSetupError(`The NATS server ${info.server_name} has no JetStream.`);
  }
  if (info.max_payload < PAYLOAD_BYTES) {
    throw new LogSetupError(
      `The NATS server ${info.server_name} takes ${info.max_payload} bytes; set max_payload: 8MB.`,
    );
  }
}

/** Throws if a server is too old, whether or not this node is connected to it. */
export function requireVersion({ server_name: name, version }: Introduction): void {
  if (!isBefore(version, OLDEST)) return;
  throw new LogSetupError(`The NATS server ${name} is ${version}; ${OLDEST.join('.')} is needed.`);
}

const PAYLOAD_BYTES = 8 * 1_048_576;

/**
 * The oldest version that is used. Servers before it stop answering for good when records are read
 * and one is appended in the same moment: `getDirectRequest` locks a stream twice, and the append
 * waits in between.
 */
const OLDEST = [2, 12, 3] as const;

function isBefore(version: string, oldest: typeof OLDEST): boolean {
  const numbers = version.split('.').map((text) => Number.parseInt(text, 10));
  const at = oldest.findIndex((number, index) => numbers[index] !== number);
  return at >= 0 && (numbers[at] ?? 0) < (oldest[at] ?? 0);
}
