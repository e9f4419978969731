import { Packr } from 'msgpackr';
import type { KeyUse } from '../../../actors/realm/key-uses.ts';
import type { AskedQueue } from '../../../actors/realm/registrar.ts';
import type { AskedRequest, Outcome } from '../../forwarding/asked-request.ts';
import type { About } from './about.ts';

const packr = new Packr({ useRecords: false, moreTypes: false });

/** Packs what goes over the bus. */
export const packed = (frame: unknown): Uint8Array => packr.pack(frame);

/** Unpacks what another node of the cluster has packed by the same type. */
export const unpacked = <Frame>(bytes: Uint8Array): Frame => packr.unpack(bytes) as Frame;

/** All nodes say that they live, and which shards they own. */
export const BEATS = 'confab.beat';

/** The owner of a shard answers here. */
export const doSubject = (shard: number) => `confab.do.${shard}`;

/** The owner of a shard is told here of the consumers of its realms. */
export const holdSubject = (shard: number) => `confab.q.${shard}`;

/** Node names are checked when they are read (`src/settings/cluster.ts`). */
export const nodeSubject = (node: string) => `confab.to.${node}`;

export interface Beat {
  readonly node: string;
  /** Tells processes of one name apart, and sorts them by their start. */
  readonly run: string;
  /** The place where other nodes reach it, as `host:port`. */
  readonly address: string;
  /** True if it claims nothing and takes nothing over, as it is about to stop. */
  readonly isLeaving: boolean;
  readonly owns: readonly OwnedShard[];
  /** In one of five beats; a node of an older version never says it. */
  readonly about?: About;
  /** The newest schema that it knows; earlier versions do not say it. */
  readonly schema?: number;
  /** The shards that it follows, each with its newest record there. */
  readonly follows: readonly (readonly [shard: number, sequence: number])[];
  /** The shards that it has and cannot read before the cluster is upgraded: mostly none. */
  readonly unreadable?: readonly number[];
  /** True if it gives away its copies, too. */
  readonly isDrained: boolean;
}

/** A shard, the epoch of its owner, and the newest record. */
export type OwnedShard = readonly [shard: number, epoch: number, sequence: number];

/** The question of a node to the owner of a shard. */
export type Asked =
  /** For a request of a client. */
  | readonly ['request', AskedRequest]
  /** For a queue of a client that registers at the node. */
  | readonly ['add queue', realmId: number, AskedQueue]
  | readonly ['begin queue', realmId: number, queueId: string, position: number]
  /** For the number of the newest record that was answered for. */
  | readonly ['where']
  /** A node asks to remove its copy, as others have one. */
  | readonly ['let go', node: string];

export type Answered =
  /** The outcome, and the record up to which a store has to be for it to be seen. */
  | readonly ['outcome', Outcome, sequence: number]
  | readonly ['at', sequence: number]
  | readonly ['may let go', boolean]
  /** Nothing was done. */
  | readonly ['not the owner'];

/** A queue that a node holds, where it stands, and the age (ms) of its consumer there. */
export type HeldQueue = readonly [
  queueId: string,
  acknowledged: number,
  position: number,
  deliveredId: number,
  ageMs: number,
];

/** A node tells the owner of a shard of the consumers that it has. */
export type ToOwner =
  | readonly ['hold', node: string, realmId: number, HeldQueue]
  | readonly ['let go', node: string, realmId: number, HeldQueue]
  | readonly ['stands', node: string, realmId: number, readonly HeldQueue[]]
  | readonly ['beat', node: string, realmId: number]
  | readonly ['used', node: string, realmId: number, readonly KeyUse[]];

/** An owner tells a node of its consumers. */
export type ToNode =
  /** A consumer has come elsewhere so many milliseconds ago. */
  readonly ['replaced', realmId: number, queueId: string, ageMs: number];
