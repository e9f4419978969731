import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import { canRead } from '../../../storage/migrations/migration.ts';
import { demoPeople } from '../../admin/demo-file.ts';
import type { Realms } from '../../admin/deployment.ts';
import { folderIds } from '../../admin/making-realms.ts';
import { standInFor } from '../../admin/unserved-realm.ts';
import * as errors from '../../domain/wire/errors.ts';
import { loadOf } from '../../metrics/recorders.ts';
import { shardOf } from '../placement.ts';
import type { RealmsOfShard } from '../shards/declaration.ts';
import { type Cast, type ClusterRealmsInput, openCast } from './cast.ts';
import { adopt, create, namedHere, remove } from './commands.ts';
import type { HeldRealm } from './held-realm.ts';
import { hold } from './holding.ts';
import { noteElsewhere, tellNames } from './known-names.ts';
import { drop, lacksSome, ofShard } from './realms-of-shard.ts';

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
    load: () => loadOf(cast.record, cast.background),
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
