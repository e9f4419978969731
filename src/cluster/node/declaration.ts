import type { Schemas } from '../../../storage/migrations/migration.ts';
import type { ObjectStore } from '../../../storage/objects/object-store.ts';
import type { OperatedNode } from '../../admin/commands/cluster-commands.ts';
import type { DeploymentInput } from '../../admin/realms/input.ts';
import type { RequestHost } from '../../domain/request-host.ts';
import type { Dispatch } from '../../endpoints/dispatch.ts';
import type { Ask } from '../../forwarding/forwarding.ts';
import type { RelayTarget } from '../../forwarding/relay.ts';
import type { ClusterFigures } from '../../metrics/declaration.ts';
import type { ClusterRecord } from '../../metrics/recorders.ts';
import type { ClusterSettings } from '../../settings/cluster.ts';
import type { NoteBug } from '../../transport/answers/reply.ts';
import type { Passing } from '../../transport/passing.ts';
import type { ClusterStore, LogStanding } from '../log/cluster-store.ts';
import type { Verify } from '../marks/verification.ts';
import type { VerifiedShard } from '../marks/verifying.ts';
import type { ClusterRealms } from '../realms/cluster-realms.ts';
import type { CopyChange } from '../shards/placing.ts';
import type { Snapshot } from '../snapshots/snapshot.ts';
import type { StorageStanding } from '../storage-standing.ts';

export interface NodeInput extends DeploymentInput {
  readonly cluster: ClusterSettings;
  readonly store: ClusterStore;
  /** The objects that the nodes share; undefined where files are in the folder of the owner. */
  readonly objects: ObjectStore | undefined;
  /** In a test: the schemas that this node knows; by default those of this version of confab. */
  readonly schemas?: Schemas | undefined;
  /** The process cannot go on: its store is not that of the log, or a disk has failed. */
  readonly onFatal: (error: unknown) => void;
  /** This node has become the owner of a shard, or is it no longer. */
  readonly onShard: (change: {
    readonly shard: number;
    readonly isOwned: boolean;
    readonly epoch: number;
  }) => void;
  readonly clusterRecord: ClusterRecord;
  /** A realm is missing at this node; it is looked for again. */
  readonly onMissing: (realmId: number, error: unknown) => void;
  /** A realm that was missing is there. */
  readonly onFound: (realmId: number) => void;
  /** The copy of a shard has begun, is whole, or was removed. */
  readonly onCopy: (shard: number, change: CopyChange) => void;
  /** A copy could not be made or removed; it is tried again. */
  readonly onNoCopy: (shard: number, error: unknown) => void;
  readonly onSnapshot: (snapshot: Snapshot) => void;
  /** A snapshot could not be taken; it is tried again. */
  readonly onNoSnapshot: (error: unknown) => void;
  /** The copies of a shard were compared at night. */
  readonly onVerified: (verified: VerifiedShard) => void;
  readonly onNotVerified: (error: unknown) => void;
}

/** The parts of the server that answer for the realms which this node writes. */
export interface Answers {
  readonly dispatch: Dispatch;
  readonly noteBug: NoteBug;
}

/** This process, as one of the nodes of a cluster. */
export interface Node extends OperatedNode {
  /** Gives what it owns to others, as it stops. Resolves after three seconds at the latest. */
  release(): Promise<void>;
  /** The place where the other nodes reach this one. */
  readonly address: ClusterSettings['address'];
  readonly realms: ClusterRealms;
  /** The word by which nodes know each other's requests. */
  readonly secret: string;
  readonly verify: Verify;
  /** Asks the owner of a realm. */
  readonly ask: Ask;
  /** Returns who takes the uploads of a host: null for this node, undefined for nobody now. */
  relayTargetOf(host: RequestHost, isRelayed: boolean): RelayTarget | null | undefined;
  /** Returns what passes on to other nodes; `isTls` if clients of this one speak TLS. */
  passing(isTls: boolean): Passing;
  /** Lets the node own shards, as its port is open. */
  begin(answers: Answers, port: number): void;
  /** Takes the snapshots that are due now; the node looks for them every five minutes. */
  takeSnapshots(): Promise<void>;
  /** Compares the copies of a shard if that is due; the node looks every five minutes. */
  verifyDue(): Promise<void>;
  /** Says why the node should not be sent requests; empty if it should. */
  reasons(): readonly string[];
  /** Returns what metrics are read from. */
  figures(): ClusterFigures;
  /** Asks the servers of the log how they are. */
  logStanding(): Promise<LogStanding>;
  /** Returns how the shared storage was found; null where the nodes share none. */
  storageStanding(): StorageStanding | null;
  close(): Promise<void>;
}
