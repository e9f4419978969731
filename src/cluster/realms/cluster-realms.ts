import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { FileStore } from '../../../storage/files/file-store.ts';
import { demoPeople } from '../../admin/demo-file.ts';
import type { Fill, Realms } from '../../admin/deployment.ts';
import { folderIds, removeUnmade } from '../../admin/making-realms.ts';
import { openRealmNames } from '../../admin/realm-names.ts';
import { type Hosts, openHosts } from '../../admin/realms/hosts.ts';
import type { DeploymentInput } from '../../admin/realms/input.ts';
import { startRealm } from '../../admin/realms/starting.ts';
import { standInFor } from '../../admin/unserved-realm.ts';
import * as errors from '../../domain/wire/errors.ts';
import { openRealmRecord } from '../../metrics/recorders.ts';
import * as realmsOf from '../../operations/access/realms.ts';
import type { ClusterStore } from '../log/cluster-store.ts';
import type { ShardLog } from '../log/shard-log.ts';
import type { OwnerAsking } from '../nodes/asking.ts';
import { followersOver, type NodeNumbers, writerOver } from '../nodes/consumers.ts';
import { shardOf } from '../placement.ts';
import { realmsFolder } from '../realm-folders.ts';
import type { ShardWriter } from '../shard-writer.ts';
import type { HeldShard, RealmsOfShard } from '../shards/held-shard.ts';
import { readyCopy } from '../snapshots/copies.ts';
import type { Snapshots } from '../snapshots/snapshot.ts';
import type { Heads } from './heads.ts';
import { type HeldRealm, holdRealm } from './held-realm.ts';
import { firstCommit, numberKey, takeNumber } from './making.ts';

export interface ClusterRealmsInput extends DeploymentInput {
  readonly store: ClusterStore;
  readonly node: string;
  readonly shards: number;
  readonly numbers: NodeNumbers;
  readonly heads: Heads;
  /** Null where the nodes share no objects. */
  readonly snapshots: Snapshots | null;
  readonly filesOf: (realmId: number) => FileStore;
  readonly heldShard: (shard: number) => HeldShard;
  readonly askForQueue: OwnerAsking['queue'];
  /** Tells whether the node does not reach the others. */
  readonly isCutOff: () => boolean;
  /** Stops the shards, and with them all realms. */
  readonly stop: (retryAfterMs: () => number) => Promise<void>;
}

/** The realms of a cluster, of which this node has copies. Those that it writes are `all`. */
export interface ClusterRealms extends Realms {
  ofShard(shard: number): RealmsOfShard;
  held(realmId: number): HeldRealm | undefined;
  everyHeld(): Iterable<HeldRealm>;
  isWritten(realm: Realm | undefined): boolean;
}

/** The realms of a node, and what finds them. */
interface Cast {
  readonly input: ClusterRealmsInput;
  /** The folder of all realms. */
  readonly folder: string;
  readonly startedAt: number;
  readonly all: Map<number, HeldRealm>;
  readonly names: ReturnType<typeof openRealmNames<HeldRealm>>;
  readonly hosts: Hosts;
}

export function openClusterRealms(input: ClusterRealmsInput): ClusterRealms {
  const cast = openCast(input);
  const { all, names, hosts } = cast;
  const cutOff = standInFor({ id: 0, names: [] }, errors.serverStopping).current();
  for (const id of folderIds(cast.folder)) {
    hold(cast, id);
    // No upload is under way yet; a kill leaves what had come. Files without rows are looked for
    // later, by the owner.
    input.filesOf(id).removeRemains(() => true);
  }

  return {
    path: input.path,
    settings: input.settings,
    named: (stringId) => namedHere(cast, stringId),
    all: () =>
      Array.from(all.values())
        .flatMap((realm) => realm.written() ?? [])
        .map((realm) => realm.current()),
    unserved: () => [],
    siteOf: ({ reader }) => hosts.ownSite(reader),
    at(host) {
      const at = hosts.at(host);
      return at.realm !== undefined && input.isCutOff() ? { realm: cutOff, site: at.site } : at;
    },
    claimName({ id }, stringId) {
      const realm = all.get(id);
      const settle = names.claim(stringId, realm);
      return (isGiven) => {
        settle(isGiven);
        realm?.readNames();
      };
    },
    demoPeople: () => demoPeople(input.path),
    create: (realm, fill) => create(cast, realm, fill),
    adopt() {
      return Promise.reject(errors.badRequest('A cluster takes no archives yet'));
    },
    remove() {
      return Promise.reject(errors.badRequest('A cluster does not remove realms yet'));
    },
    stop: input.stop,
    ofShard: (shard) => ofShard(cast, shard),
    held: (id) => all.get(id),
    everyHeld: () => all.values(),
    isWritten: (realm) => realm === undefined || all.get(realm.id)?.written()?.current() === realm,
  };
}

function openCast(input: ClusterRealmsInput): Cast {
  const startedAt = Math.floor(input.clock.now() / 1000);
  const folder = realmsFolder(input.path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  removeUnmade(folder);
  const all = new Map<number, HeldRealm>();
  const names = openRealmNames<HeldRealm>();
  const hosts = openHosts<HeldRealm>({
    settings: input.settings,
    startedAt,
    named: names.get,
    all: () => [...all.values()],
    count: () => all.size,
    isUnserved: () => false,
  });
  return { input, folder, startedAt, all, names, hosts };
}

/** Makes sure that this node has a copy of each realm of a shard from which the log goes on. */
async function readyCopies({ input, folder, all }: Cast, shard: number, log: ShardLog) {
  const { snapshots, store } = input;
  const own = Array.from(all.values()).filter((realm) => realm.shard === shard);
  if (snapshots === null) return [];
  const ids = new Set([...own.map(({ id }) => id), ...(await snapshots.realms(shard))]);
  const restored: number[] = [];
  for (const realmId of ids) {
    // It is being adopted, or the cluster does not have it for another reason.
    if ((await store.values.get(numberKey(realmId))) === undefined) continue;
    const path = join(folder, String(realmId));
    const ready = await readyCopy({ snapshots, log, folder: path, shard, realmId });
    if (ready === 'restored') restored.push(realmId);
  }
  return restored;
}

const ofShard = (cast: Cast, shard: number): RealmsOfShard => ({
  all: () => Array.from(cast.all.values()).filter((realm) => realm.shard === shard),
  async ready(log) {
    for (const id of await readyCopies(cast, shard, log)) {
      if (!cast.all.has(id)) hold(cast, id);
    }
  },
  held(id) {
    const known = cast.all.get(id);
    if (known !== undefined) return known;
    const realm = hold(cast, id);
    realm.follow();
    return realm;
  },
  write: (realm, writer, notBefore) => write(cast, realm, { writer, notBefore }),
});

/** Makes a place for the copy of a realm. */
function hold(cast: Cast, id: number): HeldRealm {
  const { input, folder } = cast;
  const shard = shardOf(id, input.shards);
  const realm: HeldRealm = holdRealm({
    id,
    shard,
    folder,
    files: input.filesOf(id),
    record: input.record ?? openRealmRecord(),
    clock: input.clock,
    heads: input.heads,
    writer: writerOver({
      bus: input.store.bus,
      node: input.node,
      shard,
      realmId: id,
      askForQueue: input.askForQueue,
    }),
    onNamed: () => noteNames(cast, realm),
  });
  cast.all.set(id, realm);
  return realm;
}

function noteNames({ input, names, hosts }: Cast, realm: HeldRealm) {
  names.free(realm);
  // The older one of two realms has a name that both took at the same time.
  for (const name of realm.names()) {
    const other = names.get(name);
    if (other === undefined || other.id > realm.id) names.set(name, realm);
  }
  hosts.forget();
  input.onRealmsChanged?.();
}

interface Writing {
  readonly writer: ShardWriter;
  readonly notBefore: number;
}

async function write(cast: Cast, realm: HeldRealm, { writer, notBefore }: Writing) {
  const { input, folder, startedAt, hosts } = cast;
  const { id, shard } = realm;
  const starting = {
    folder,
    realmId: id,
    clock: input.clock,
    startedAt,
    siteOf: hosts.ownSite,
    files: input.filesOf(id),
    shared: {
      log: writer.commitLogOf(id),
      followers: followersOver(
        { bus: input.store.bus, numbers: input.numbers, heads: input.heads },
        id,
      ),
      notBefore,
      onNotLogged: () => input.heldShard(shard).lost(),
    },
  };
  await realm.write(() => startRealm(input, starting));
}

/** Returns the realm for a command, which runs where the realm is written. */
function namedHere({ input, names }: Cast, stringId: string): Realm | undefined {
  const realm = names.get(stringId);
  if (realm === undefined) return undefined;
  const here = realm.written()?.current();
  if (here !== undefined) return here;
  const owner = input.heldShard(realm.shard).owner();
  throw errors.badRequest(
    owner === null
      ? `No node writes '${stringId}' at the moment; try again`
      : `Node ${owner} writes '${stringId}': run the command there`,
  );
}

/** Makes a realm in a shard of this node: its rows are the first record about it. */
async function create(
  { input, folder, all, names, hosts }: Cast,
  { stringId, name }: { readonly stringId: string; readonly name: string },
  fill?: Fill,
): Promise<Realm> {
  const { shards, node, clock, store } = input;
  const isOwned = (shard: number) => input.heldShard(shard).isOwned();
  realmsOf.refuseStringId(stringId);
  if (names.get(stringId) !== undefined) {
    throw errors.badRequest(`There is a realm '${stringId}' already`);
  }
  if (!Array.from({ length: shards }, (_, shard) => shard).some(isOwned)) {
    throw errors.badRequest(`Node ${node} owns no shard, so that it can make no realm`);
  }
  const settle = names.claim(stringId, undefined);
  try {
    const id = await takeNumber({
      values: store.values,
      node,
      newest: Math.max(0, ...all.keys()),
      fits: (realmId) => isOwned(shardOf(realmId, shards)),
    });
    const commit = await firstCommit({
      folder,
      id,
      stringId,
      name,
      now: () => clock.now(),
      fill: (tx) => fill?.(tx, hosts.ownSite(tx)),
    });
    const realm = await input.heldShard(shardOf(id, shards)).addRealm(id, commit);
    return realm.current();
  } finally {
    settle(false);
  }
}
