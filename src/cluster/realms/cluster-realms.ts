import { mkdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import { syncFolder } from '../../../storage/files/disk.ts';
import type { FileStore } from '../../../storage/files/file-store.ts';
import { canRead, type Schemas } from '../../../storage/migrations/migration.ts';
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
import type { Directory } from '../nodes/directory.ts';
import { shardOf } from '../placement.ts';
import { realmsFolder } from '../realm-folders.ts';
import type { ShardWriter } from '../shard-writer.ts';
import type { HeldShard, RealmsOfShard } from '../shards/held-shard.ts';
import { readyCopy } from '../snapshots/copies.ts';
import type { Snapshots } from '../snapshots/snapshot.ts';
import { type Elsewhere, elsewhere } from './elsewhere.ts';
import { type HeldRealm, holdRealm } from './held-realm.ts';
import { firstCommit, numberKey, takeNumber } from './making.ts';

export interface ClusterRealmsInput extends DeploymentInput {
  readonly store: ClusterStore;
  readonly node: string;
  readonly shards: number;
  readonly numbers: NodeNumbers;
  /** Null where the nodes share no objects. */
  readonly snapshots: Snapshots | null;
  readonly filesOf: (realmId: number) => FileStore;
  readonly schemas: Schemas;
  readonly heldShard: (shard: number) => HeldShard | undefined;
  /** The shards of which the node had whole copies; undefined for all of which it has any. */
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

/** The realms of a cluster, of which this node has copies. Those that it writes are `all`. */
export interface ClusterRealms extends Realms {
  ofShard(shard: number): RealmsOfShard;
  held(realmId: number): HeldRealm | undefined;
  everyHeld(): Iterable<HeldRealm>;
  isWritten(realm: Realm | undefined): boolean;
  /** Makes sure that nothing is in the folders of a shard but copies. */
  beforeDrop(shard: number): Promise<void>;
  /** Closes the realms of a shard, whose copies are no longer needed here, and removes them. */
  drop(shard: number): Promise<void>;
  /** Tells all nodes the names of the realms that this one writes, where they do not know them. */
  tellNames(): Promise<void>;
}

/** A realm that requests may name. */
type Known = HeldRealm | Elsewhere;

/** The realms of a node, and what finds them. */
interface Cast {
  readonly input: ClusterRealmsInput;
  /** The folder of all realms. */
  readonly folder: string;
  readonly startedAt: number;
  readonly all: Map<number, HeldRealm>;
  /** The realms that this node has no copy of, or none that could be asked for its names. */
  readonly others: Map<number, Elsewhere>;
  readonly names: ReturnType<typeof openRealmNames<Known>>;
  readonly hosts: Hosts;
  /** The shards of which the node had a whole copy when it started, and still has it. */
  readonly wholeSince: Set<number>;
}

export function openClusterRealms(input: ClusterRealmsInput): ClusterRealms {
  const cast = openCast(input);
  const { all, names, hosts } = cast;
  const cutOff = standInFor({ id: 0, names: [] }, errors.serverStopping).current();
  for (const id of folderIds(cast.folder)) {
    if (input.holds?.includes(shardOf(id, input.shards)) === false) {
      // It was being made or removed when the node ended.
      rmSync(join(cast.folder, String(id)), { recursive: true, force: true });
      continue;
    }
    hold(cast, id);
    // No upload is under way yet; a kill leaves what had come. Files without rows are looked for
    // later, by the owner.
    input.filesOf(id).removeRemains(() => true);
  }
  input.directory.follow((id) => noteElsewhere(cast, id));

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
      // A realm whose rows cannot be read yet may be the one that is meant.
      const isKnown = at.realm !== undefined;
      const isRefused = isKnown ? input.isCutOff() : isUnreadable(cast);
      return isRefused ? { realm: cutOff, site: at.site } : at;
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
    async beforeDrop(shard) {
      // A former version, or a command, may have left files there.
      for (const realm of ofShard(cast, shard).all()) {
        await input.filesOf(realm.id).moveToStore();
      }
    },
    drop: (shard) => drop(cast, shard),
    tellNames: () => tellNames(cast),
  };
}

/** Tells whether there are copies that cannot be read before the cluster is upgraded. */
function isUnreadable({ all, input }: Cast): boolean {
  for (const realm of all.values()) {
    const schema = realm.schema();
    if (schema !== 0 && !canRead(input.schemas, schema)) return true;
  }
  return false;
}

function openCast(input: ClusterRealmsInput): Cast {
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
  const wholeSince = new Set(input.holds);
  return { input, folder, startedAt, all, others, names, hosts, wholeSince };
}

/** Notes the names of a realm that this node does not serve, as the node that writes it says. */
function noteElsewhere(cast: Cast, id: number) {
  const { input, all, others, names, hosts } = cast;
  const held = all.get(id);
  // Its own rows say it better.
  if (held !== undefined && held.names().length > 0) return;
  const former = others.get(id);
  if (former !== undefined) names.free(former);
  const said = input.directory.namesOf(id);
  if (said === undefined) others.delete(id);
  else {
    const realm = elsewhere(id, said);
    others.set(id, realm);
    takeNames(cast, realm, said);
  }
  hosts.forget();
}

/** Gives a realm its names. The older of two realms has one that both took at the same time. */
function takeNames({ names }: Cast, realm: Known, said: readonly string[]) {
  for (const name of said) {
    const other = names.get(name);
    if (other === undefined || other.id >= realm.id) names.set(name, realm);
  }
}

/** Removes the copies of a shard, whose realms other nodes have. */
async function drop(cast: Cast, shard: number) {
  const { input, folder, all, names, hosts, wholeSince } = cast;
  wholeSince.delete(shard);
  const dropped = ofShard(cast, shard).all();
  for (const realm of dropped) await realm.close(() => DROPPED_MS);
  // All at once: a part of them would be taken for all realms of the shard.
  for (const realm of dropped) {
    all.delete(realm.id);
    names.free(realm);
    noteElsewhere(cast, realm.id);
  }
  hosts.forget();
  input.onRealmsChanged?.();
  for (const { path } of dropped) await rm(path, { recursive: true, force: true });
  if (dropped.length > 0) await syncFolder(folder);
}

/** Clients of a copy that goes come back at once: the node passes them on. */
const DROPPED_MS = 200;

async function tellNames({ input, all }: Cast) {
  for (const realm of all.values()) {
    const said = realm.names();
    if (realm.written() === null || said.length === 0) continue;
    const known = input.directory.namesOf(realm.id);
    if (JSON.stringify(known) === JSON.stringify(said)) continue;
    await input.directory.putNames(realm.id, said);
  }
}

/** Makes sure that this node has a copy of each realm of a shard from which the log goes on. */
async function readyCopies({ input, folder, all, wholeSince }: Cast, shard: number, log: ShardLog) {
  const { snapshots, store, directory, shards } = input;
  const own = Array.from(all.values(), ({ id }) => id).filter(
    (id) => shardOf(id, shards) === shard,
  );
  if (snapshots === null) return [];
  const ids = new Set([...own, ...(await snapshots.realms(shard))]);
  const restored: number[] = [];
  // A realm without a snapshot is in the log from its first record on. A whole copy has them all.
  if (!wholeSince.has(shard)) {
    for (const id of directory.realmIds()) {
      if (shardOf(id, shards) === shard && !ids.has(id)) restored.push(id);
    }
  }
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
    schemas: input.schemas,
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

function noteNames(cast: Cast, realm: HeldRealm) {
  const { input, names, others, hosts } = cast;
  names.free(realm);
  const other = others.get(realm.id);
  if (other !== undefined && realm.names().length > 0) {
    others.delete(realm.id);
    names.free(other);
  }
  takeNames(cast, realm, realm.names());
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
      schemas: input.schemas,
      followers: followersOver({ bus: input.store.bus, numbers: input.numbers }, id),
      notBefore,
      onNotLogged: () => input.heldShard(shard)?.lost(),
    },
  };
  await realm.write(() => startRealm(input, starting));
}

/** Returns the realm for a command, which runs where the realm is written. */
function namedHere({ input, names, all }: Cast, stringId: string): Realm | undefined {
  const realm = names.get(stringId);
  if (realm === undefined) return undefined;
  const here = all.get(realm.id)?.written()?.current();
  if (here !== undefined) return here;
  const owner = input.ownerOf(shardOf(realm.id, input.shards));
  throw errors.badRequest(
    owner === undefined || owner === input.node
      ? `No node writes '${stringId}' at the moment; try again`
      : `Node ${owner} writes '${stringId}': run the command there`,
  );
}

/** Makes a realm in a shard of this node: its rows are the first record about it. */
async function create(
  cast: Cast,
  { stringId, name }: { readonly stringId: string; readonly name: string },
  fill?: Fill,
): Promise<Realm> {
  const { input, folder, all, names, hosts } = cast;
  const { shards, node, clock, store } = input;
  const isOwned = (shard: number) => input.heldShard(shard)?.isWriting() === true;
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
      newest: [...all.keys(), ...input.directory.realmIds()].reduce(
        (newest, id) => Math.max(newest, id),
        0,
      ),
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
    const held = input.heldShard(shardOf(id, shards));
    if (held === undefined) throw errors.serverStopping();
    const realm = await held.addRealm(id, commit);
    void tellNames(cast).catch(() => undefined);
    return realm.current();
  } finally {
    settle(false);
  }
}
