import { mkdirSync } from 'node:fs';
import type { FileStore } from '../../../storage/files/file-store.ts';
import type { OpenFiles } from '../../../storage/files/open-file-store.ts';
import type { Schemas } from '../../../storage/migrations/migration.ts';
import { removeUnmade } from '../../admin/making-realms.ts';
import { openRealmNames } from '../../admin/realm-names.ts';
import { type Hosts, openHosts } from '../../admin/realms/hosts.ts';
import type { DeploymentInput } from '../../admin/realms/input.ts';
import { BackgroundTurns } from '../../domain/background-turns.ts';
import { openRealmRecord, type RealmRecord } from '../../metrics/recorders.ts';
import type { ClusterStore } from '../log/cluster-store.ts';
import type { OwnerAsking } from '../nodes/asking.ts';
import type { NodeNumbers } from '../nodes/consumers.ts';
import type { Directory } from '../nodes/directory.ts';
import { realmsFolder } from '../realm-folders.ts';
import type { HeldShard } from '../shards/declaration.ts';
import type { Snapshots } from '../snapshots/snapshot.ts';
import type { Elsewhere } from './elsewhere.ts';
import type { Heads } from './heads.ts';
import type { HeldRealm } from './held-realm.ts';
import type { Registry } from './registry.ts';

export interface ClusterRealmsInput extends DeploymentInput {
  readonly store: ClusterStore;
  readonly node: string;
  readonly shards: number;
  readonly numbers: NodeNumbers;
  readonly heads: Heads;
  /** Null where the nodes share no objects. */
  readonly snapshots: Snapshots | null;
  readonly filesOf: (realmId: number) => FileStore;
  readonly schemas: Schemas;
  readonly openFiles: OpenFiles;
  readonly registry: Registry;
  /** Has the realms of this node be those that the registry names. */
  readonly keepUp: () => Promise<void>;
  readonly heldShard: (shard: number) => HeldShard | undefined;
  /**
   * The shards of which the node had whole copies. It is undefined where an older version noted
   * none; then each realm counts whose folder is there.
   */
  readonly holds: readonly number[] | undefined;
  readonly directory: Directory;
  /** Returns the node that owns a shard, as far as this one has heard. */
  readonly ownerOf: (shard: number) => string | undefined;
  readonly askForQueue: OwnerAsking['queue'];
  /** Tells whether the node does not reach the others. */
  readonly isCutOff: () => boolean;
  /** Stops the shards, and with them all realms. */
  readonly stop: (retryAfterMs: () => number) => Promise<void>;
}

/** A realm that requests may name. */
export type Known = HeldRealm | Elsewhere;

/** The realms of a node, and what finds them. */
export interface Cast {
  readonly input: ClusterRealmsInput;
  /** The folder of all realms. */
  readonly folder: string;
  readonly startedAt: number;
  readonly record: RealmRecord;
  readonly background: BackgroundTurns;
  readonly all: Map<number, HeldRealm>;
  readonly missing: Set<number>;
  /** The realms that this node has no copy of, or none that could be asked for its names. */
  readonly others: Map<number, Elsewhere>;
  readonly names: ReturnType<typeof openRealmNames<Known>>;
  readonly hosts: Hosts;
}

export function openCast(input: ClusterRealmsInput): Cast {
  const startedAt = Math.floor(input.clock.now() / 1000);
  const folder = realmsFolder(input.path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  removeUnmade(folder);
  const all = new Map<number, HeldRealm>();
  const others = new Map<number, Elsewhere>();
  const names = openRealmNames<Known>();
  const everyKnown = () => [
    ...others.values(),
    ...Array.from(all.values()).filter(({ id }) => !others.has(id)),
  ];
  const hosts = openHosts<Known>({
    settings: input.settings,
    startedAt,
    named: names.get,
    all: everyKnown,
    count: () => everyKnown().length,
    isUnserved: (realm) => others.get(realm.id) === realm,
  });
  const record = input.record ?? openRealmRecord();
  return {
    input,
    folder,
    startedAt,
    record,
    background: new BackgroundTurns(),
    all,
    others,
    missing: new Set(),
    names,
    hosts,
  };
}
