import { createHash } from 'node:crypto';
import { canRead, type Schemas } from '../../../storage/migrations/migration.ts';
import { SCHEMAS } from '../../../storage/migrations/migrations.ts';
import * as errors from '../../domain/wire/errors.ts';
import { linkSecret } from '../../endpoints/files/temporary-links.ts';
import { type Founding, foundingOf } from '../founding.ts';
import type { Nightly } from '../marks/nightly.ts';
import { type Marks, openMarks } from '../marks/noting.ts';
import { type NodeNumbers, openNodeNumbers } from '../nodes/consumers.ts';
import { type Directory, openDirectory } from '../nodes/directory.ts';
import type { Members } from '../nodes/members.ts';
import type { HolderLinks } from '../passing/holder-links.ts';
import type { ClusterRealms } from '../realms/cluster-realms.ts';
import { type Heads, openHeads } from '../realms/heads.ts';
import { openRegistry, type Registry } from '../realms/registry.ts';
import type { Upkeep } from '../realms/upkeep.ts';
import type { HeldShard } from '../shards/declaration.ts';
import type { Placing } from '../shards/placing.ts';
import type { Slots } from '../shards/slots.ts';
import type { SnapshotSchedule } from '../snapshots/schedule.ts';
import type { Snapshots } from '../snapshots/snapshot.ts';
import { openSnapshots } from '../snapshots/snapshots.ts';
import { watchStorage } from '../storage-standing.ts';
import type { Answers, NodeInput } from './declaration.ts';

/** A closed realm is open again after about as long. */
const RETRY_MS = 300;

/** The parts of a node. Those that need each other find each other here. */
export interface Joined {
  readonly input: NodeInput;
  readonly name: string;
  readonly founding: Founding;
  /** Null where the nodes share no objects. */
  readonly storage: ReturnType<typeof watchStorage> | null;
  readonly schemas: Schemas;
  readonly numbers: NodeNumbers;
  readonly heads: Heads;
  readonly registry: Registry;
  /** Null until it is opened, as what follows. */
  upkeep: Upkeep | null;
  realms: ClusterRealms | null;
  readonly directory: Directory;
  /** The shards that this node holds; null until they are opened. */
  slots: Slots | null;
  placing: Placing | null;
  /** Null where the nodes share no objects. */
  readonly snapshots: Snapshots | null;
  readonly marks: Marks;
  nightly: Nightly | null;
  copying: SnapshotSchedule | null;
  links: HolderLinks | null;
  answers: Answers | null;
  isLeaving: boolean;
  isStopping: boolean;
  /** The port at which other nodes reach this one. */
  port: number;
  retryAfterMs: () => number;
}

export async function openJoined(given: NodeInput): Promise<Joined> {
  const { cluster, store, clock } = given;
  const storage =
    given.objects === undefined ? null : watchStorage(given.objects, () => clock.now());
  const input = { ...given, objects: storage?.objects };
  const founding = await foundingOf(store.values, cluster.shards);
  // Links to files are good at every node.
  linkSecret.bytes = createHash('sha256').update(`links ${founding.secret}`).digest();
  return {
    input,
    name: cluster.node,
    founding,
    storage,
    schemas: input.schemas ?? SCHEMAS,
    numbers: openNodeNumbers(),
    heads: openHeads(),
    registry: await openRegistry(store.values),
    directory: await openDirectory({ values: store.values, node: cluster.node }),
    slots: null,
    placing: null,
    copying: null,
    upkeep: null,
    realms: null,
    links: null,
    snapshots: snapshotsOf(input, founding),
    marks: openMarks({ bus: store.bus, node: cluster.node, onBug: input.onBug }),
    nightly: null,
    answers: null,
    isLeaving: false,
    isStopping: false,
    port: cluster.address.port,
    retryAfterMs: () => RETRY_MS,
  };
}

const snapshotsOf = ({ objects, cluster, clock }: NodeInput, { id }: Founding): Snapshots | null =>
  objects === undefined
    ? null
    : openSnapshots({ objects, cluster: id, node: cluster.node, now: () => clock.now() });

/** Tells whether the node gives its shards and copies away, until its operator has other plans. */
export const isDrained = ({ name, directory }: Pick<Joined, 'name' | 'directory'>): boolean =>
  directory.isDrained(name);

export const wholeOf = ({ slots }: Joined): readonly HeldShard[] =>
  (slots?.all() ?? []).filter(({ number }) => slots?.isWhole(number));

/** Tells whether the copy of a shard cannot be read here before the cluster is upgraded. */
export function isUnreadable({ schemas }: Joined, held: HeldShard): boolean {
  const schema = held.schema();
  return schema !== 0 && !canRead(schemas, schema);
}

export const unreadableOf = (joined: Joined): readonly HeldShard[] =>
  wholeOf(joined).filter((held) => isUnreadable(joined, held));

/** Returns a shard that the node holds. */
export function shardIn({ slots }: Pick<Joined, 'slots'>, number: number): HeldShard {
  const found = slots?.held(number);
  if (found === undefined) throw errors.badRequest(`This node has no copy of shard ${number}`);
  return found;
}

/** Returns the node that owns a shard, as this one knows it. */
export const ownerOf = ({ name, slots }: Joined, members: Members, number: number) =>
  slots?.held(number)?.isOwned() ? name : members.ownerOf(number);
