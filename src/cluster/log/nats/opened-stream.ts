import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { Link } from './nats-connection.ts';

/** The stream of a shard, and the ways to it. */
export interface OpenedStream {
  readonly shard: number;
  readonly link: Link;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  /** When the stream was made: one that was made later is another log. */
  readonly made: string;
}

/** The headers of a record. */
export const ID = 'Nats-Msg-Id';
export const EPOCH = 'Confab-Epoch';
