import type { KeyUse } from '../../../actors/realm/key-uses.ts';
import type { AskedQueue } from '../../../actors/realm/registrar.ts';
import type { ServerSettings } from '../../config.ts';
import type { AskedRequest, Outcome } from '../../forwarding/asked-request.ts';
import type { Load } from '../../metrics/load.ts';
import type { Added } from '../counts/counts.ts';
import type { Taken } from '../counts/rates.ts';
import type { Shown, SocketCounts } from '../counts/shown.ts';

/** The descriptor of a gateway at whose other end the writer is. */
export const WRITER = 3;

/** A queue that a gateway holds, where it stands, and when its consumer came (`momentMs`). */
export type Held = readonly [
  queueId: string,
  acknowledged: number,
  position: number,
  deliveredId: number,
  at: number,
];

export type FromGateway =
  | readonly ['serving']
  | readonly ['failed', message: string]
  | readonly ['ask', number, AskedRequest]
  | readonly ['add queue', number, realmId: number, AskedQueue]
  | readonly ['begin queue', number, realmId: number, queueId: string, position: number]
  | readonly ['hold', realmId: number, Held]
  | readonly ['let go', realmId: number, Held]
  | readonly ['stands', realmId: number, readonly Held[]]
  | readonly ['beat', realmId: number]
  | readonly ['used', realmId: number, readonly KeyUse[]]
  | readonly ['took', readonly Taken[]]
  | readonly ['shown', Shown]
  | readonly ['counts', Added, SocketCounts, Load]
  /** Everything that was counted until it was asked for is told. */
  | readonly ['counted', asked: number]
  /** A line of the log, from a warning on. */
  | readonly ['logged', line: string]
  | readonly ['drained'];

/** The frame that a gateway begins with. */
export interface Beginning {
  readonly settings: ServerSettings;
  /** The port that all gateways listen on. */
  readonly port: number;
  /** The server's time of start, in UNIX seconds. */
  readonly startedAt: number;
  /** The number of gateways, which share the sockets that listen. */
  readonly gateways: number;
  /** The address of the writer's own listener, and the word that it knows a gateway by. */
  readonly relay: { readonly port: number; readonly secret: string };
  /** The secret of temporary links to files. */
  readonly links: Uint8Array;
}

export type FromWriter =
  | readonly ['begin', Beginning]
  /** A realm, and the newest event that its queues were told of: those after it follow. */
  | readonly ['realm', realmId: number, head: number]
  | readonly ['realm gone', realmId: number]
  /** All realms were told: the gateway may listen. */
  | readonly ['listen']
  /** The names of the realms may be others now; those of realms that are not served are given. */
  | readonly ['names', unserved: readonly (readonly string[])[]]
  | readonly ['ready', boolean]
  | readonly ['answer', number, Outcome]
  /** The events of a commit, packed. */
  | readonly ['events', realmId: number, rows: Uint8Array]
  /** The rows behind views that a commit has written, packed; null for more than are told of. */
  | readonly ['views', realmId: number, version: number, keys: Uint8Array | null]
  /** There are events up to this one, which the gateway reads from the store. */
  | readonly ['head', realmId: number, head: number]
  | readonly ['ended', realmId: number, queueId: string, why: 'queue gone' | 'account gone']
  | readonly ['replaced', realmId: number, queueId: string, at: number]
  | readonly ['took', readonly Taken[]]
  /** Asks to be told of all counts now. */
  | readonly ['count', asked: number]
  /** The server stops soon: balancers should send no more requests. */
  | readonly ['stopping']
  /** Asks for a description of the clients (`Shown`). */
  | readonly ['show']
  | readonly ['tls']
  | readonly ['drain', retryMsMin: number, retryMsMax: number];
