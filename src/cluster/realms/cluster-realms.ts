import { mkdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import { syncFolder } from '../../../storage/files/disk.ts';
import type { FileStore } from '../../../storage/files/file-store.ts';
import type { OpenFiles } from '../../../storage/files/open-file-store.ts';
import { canRead, type Schemas } from '../../../storage/migrations/migration.ts';
import { ObjectStoreAway } from '../../../storage/objects/object-error.ts';
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
import type { HeldShard, RealmsOfShard } from '../shards/declaration.ts';
import { readyCopy } from '../snapshots/copies.ts';
import type { Snapshots } from '../snapshots/snapshot.ts';
import { type Elsewhere, elsewhere } from './elsewhere.ts';
import type { Heads } from './heads.ts';
import { type HeldRealm, holdRealm } from './held-realm.ts';
import { importRealm } from './importing.ts';
import { firstCommit } from './making.ts';
import { type Registry, settleRealm, takeNumber } from './registry.ts';

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
  /** The realms that this node should have a copy of, and has none. */
  readonly missing: Set<number>;
  /** Tells whether this node lacks a copy of some realm of a shard. */
  lacksSome(shard: number): boolean;
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
  readonly missing: Set<number>;
  /** The realms that this node has no copy of, or none that could be asked for its names. */
  readonly others: Map<number, Elsewhere>;
  readonly names: ReturnType<typeof openRealmNames<Known>>;
  readonly hosts: Hosts;
}

export function openClusterRealms(input: ClusterRealmsInput): ClusterRealms {
  const cast = openCast(input);
  const { all, names, hosts } = cast;
  const cutOff = standInFor({ id: 0, names: [] }, errors.serverStopping).current();
  for (const id of folderIds(cast.folder)) {
    const isRemoved = input.registry.entry(id)?.is === 'removed';
    if (isRemoved || input.holds?.includes(shardOf(id, input.shards)) === false) {
      // It was deleted while this node did not run, or was being made or removed when it ended.
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
    adopt: (stringId, archive) => adopt(cast, stringId, archive),
    remove: (realm) => remove(cast, realm),
    stop: input.stop,
    ofShard: (shard) => ofShard(cast, shard),
    held: (id) => all.get(id),
    everyHeld: () => all.values(),
    missing: cast.missing,
    lacksSome: (shard) => lacksSome(cast, shard),
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
  return { input, folder, startedAt, all, others, missing: new Set(), names, hosts };
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
  const { input, folder, all, names, hosts } = cast;
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
async function readyCopies(cast: Cast, shard: number, log: ShardLog) {
  const { input, folder, all, missing } = cast;
  const { snapshots, registry, shards } = input;
  if (snapshots === null) return [];
  const found: number[] = [];
  for (const [realmId, entry] of registry.all()) {
    if (entry.is !== 'there' || shardOf(realmId, shards) !== shard) continue;
    const path = join(folder, String(realmId));
    try {
      const ready = await readyCopy({ snapshots, log, folder: path, shard, realmId });
      // A realm that a record has made is in the log from there on.
      if (ready !== 'none' || entry.since !== undefined) found.push(realmId);
      else missing.add(realmId);
    } catch (error) {
      // The node begins without it, and gets it when the storage is there again.
      if (!(error instanceof ObjectStoreAway)) throw error;
      const isInLog = Math.max(1, entry.since ?? -1) >= (await log.first());
      if (!all.has(realmId) && entry.since !== undefined && isInLog) found.push(realmId);
      else {
        all.delete(realmId);
        missing.add(realmId);
      }
    }
  }
  return found;
}

const ofShard = (cast: Cast, shard: number): RealmsOfShard => ({
  all: () => Array.from(cast.all.values()).filter((realm) => realm.shard === shard),
  async ready(log) {
    for (const id of await readyCopies(cast, shard, log)) {
      if (!cast.all.has(id)) hold(cast, id);
    }
  },
  about: (id, sequence) => about(cast, id, sequence),
  hold: (id) => hold(cast, id),
  release(realm) {
    cast.all.delete(realm.id);
    cast.names.free(realm);
    cast.hosts.forget();
    cast.input.onRealmsChanged?.();
  },
  folderOf: (id) => join(cast.folder, String(id)),
  lacksSome: () => lacksSome(cast, shard),
  write: (realm, writer, notBefore) => write(cast, realm, { writer, notBefore }),
});

const lacksSome = ({ missing, input }: Cast, shard: number): boolean =>
  [...missing].some((id) => shardOf(id, input.shards) === shard);

/** Returns the realm that a record is about; it gets a copy if this is its first record. */
async function about(cast: Cast, id: number, sequence: number): Promise<HeldRealm | undefined> {
  const { input, all, missing } = cast;
  const known = all.get(id);
  if (known !== undefined) return known;
  const entry = input.registry.entry(id) ?? (await input.registry.ask(id));
  if (entry?.is === 'removed') return undefined;
  if (entry?.is === 'there' && entry.since !== sequence) {
    missing.add(id);
    void input.keepUp();
    return undefined;
  }
  const realm = hold(cast, id);
  realm.follow();
  return realm;
}

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
      followers: followersOver(
        { bus: input.store.bus, numbers: input.numbers, heads: input.heads },
        id,
      ),
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
  const { shards, node, clock, registry } = input;
  const isOwned = (shard: number) => input.heldShard(shard)?.isWriting() === true;
  refuseName(names, stringId);
  if (!Array.from({ length: shards }, (_, shard) => shard).some(isOwned)) {
    throw errors.badRequest(`Node ${node} owns no shard, so that it can make no realm`);
  }
  const settle = names.claim(stringId, undefined);
  try {
    const id = await takeNumber({
      registry,
      node,
      at: clock.now(),
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
    const held = input.heldShard(shardOf(id, shards));
    if (held === undefined) throw errors.serverStopping();
    const { realm, place } = await held.addRealm(id, commit);
    await settleRealm(registry, id, { is: 'there', since: place.sequence });
    void tellNames(cast).catch(() => undefined);
    return realm.current();
  } finally {
    settle(false);
  }
}

function refuseName(names: Cast['names'], stringId: string) {
  realmsOf.refuseStringId(stringId);
  if (names.get(stringId) === undefined) return;
  throw errors.badRequest(`There is a realm '${stringId}' already`);
}

/** Makes a realm of an archive, which the nodes that run take from their storage. */
async function adopt(cast: Cast, stringId: string, archive: string): Promise<Realm> {
  const { input, folder, all, names } = cast;
  const { snapshots, shards, node, clock, store, registry, openFiles } = input;
  if (snapshots === null) {
    throw errors.badRequest('Archives need CONFAB_FILES, which all nodes share');
  }
  refuseName(names, stringId);
  const settle = names.claim(stringId, undefined);
  let id: number;
  try {
    id = await importRealm({
      folder,
      stringId,
      archive,
      shards,
      now: () => clock.now(),
      openFiles,
      openLog: store.openLog,
      snapshots,
      registry,
      takeNumber: () =>
        takeNumber({
          registry,
          node,
          at: clock.now(),
          fits: () => true,
          newest: Math.max(0, ...all.keys()),
        }),
    });
  } finally {
    settle(false);
    // It removes the rest of one that failed.
    await input.keepUp();
  }
  return all.get(id)?.current() ?? standInFor({ id, names: [stringId] }).current();
}

/** Has the cluster delete a realm: each node removes its copy, and its owner the files. */
async function remove({ input }: Cast, { id }: Realm): Promise<void> {
  const { registry, clock } = input;
  const entry = await registry.ask(id);
  const removed = { is: 'removed', at: clock.now(), isClean: false } as const;
  const isDone =
    entry === undefined
      ? await registry.begin(id, removed)
      : await registry.exchange(id, entry, removed);
  if (!isDone) throw errors.badRequest('The realm was changed meanwhile; try again');
  await input.keepUp();
}
