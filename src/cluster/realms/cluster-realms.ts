import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { FileStore } from '../../../storage/files/file-store.ts';
import { demoPeople } from '../../admin/demo-file.ts';
import type { Fill, Realms } from '../../admin/deployment.ts';
import { folderIds, removeUnmade } from '../../admin/making-realms.ts';
import { openRealmNames } from '../../admin/realm-names.ts';
import { openHosts } from '../../admin/realms/hosts.ts';
import type { DeploymentInput } from '../../admin/realms/input.ts';
import { startRealm } from '../../admin/realms/starting.ts';
import { standInFor } from '../../admin/unserved-realm.ts';
import * as errors from '../../domain/wire/errors.ts';
import { openRealmRecord } from '../../metrics/recorders.ts';
import * as realmsOf from '../../operations/access/realms.ts';
import type { OwnerAsking } from '../asking.ts';
import { followersOver, type NodeNumbers, writerOver } from '../consumers.ts';
import type { ClusterStore } from '../log/cluster-store.ts';
import { shardOf } from '../placement.ts';
import type { ShardWriter } from '../shard-writer.ts';
import type { HeldShard, RealmsOfShard } from '../shards/held-shard.ts';
import { type HeldRealm, holdRealm } from './held-realm.ts';
import { firstCommit, takeNumber } from './making.ts';

export interface ClusterRealmsInput extends DeploymentInput {
  readonly store: ClusterStore;
  readonly node: string;
  readonly shards: number;
  readonly numbers: NodeNumbers;
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

export function openClusterRealms(input: ClusterRealmsInput): ClusterRealms {
  const { clock, settings, node, shards, store } = input;
  const startedAt = Math.floor(clock.now() / 1000);
  const folder = join(input.path, 'realms');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  removeUnmade(folder);
  const record = input.record ?? openRealmRecord();
  const all = new Map<number, HeldRealm>();
  const names = openRealmNames<HeldRealm>();
  const hosts = openHosts<HeldRealm>({
    settings,
    startedAt,
    named: names.get,
    all: () => [...all.values()],
    count: () => all.size,
    isUnserved: () => false,
  });
  const { ownSite } = hosts;
  const cutOff = standInFor({ id: 0, names: [] }, errors.serverStopping).current();

  function hold(id: number): HeldRealm {
    const shard = shardOf(id, shards);
    const realm = holdRealm({
      id,
      shard,
      folder,
      files: input.filesOf(id),
      record,
      clock,
      writer: writerOver({
        bus: store.bus,
        node,
        shard,
        realmId: id,
        askForQueue: input.askForQueue,
      }),
      onNamed: () => named(realm),
    });
    all.set(id, realm);
    return realm;
  }

  function named(realm: HeldRealm) {
    names.free(realm);
    // Of two realms that took one name at the same time, the older one has it.
    for (const name of realm.names()) {
      const other = names.get(name);
      if (other === undefined || other.id > realm.id) names.set(name, realm);
    }
    hosts.forget();
    input.onRealmsChanged?.();
  }

  async function write(realm: HeldRealm, writer: ShardWriter, notBefore: number) {
    const { id, shard } = realm;
    const shared = {
      log: writer.commitLogOf(id),
      followers: followersOver({ bus: store.bus, numbers: input.numbers }, id),
      notBefore,
      onNotLogged: () => input.heldShard(shard).lost(),
    };
    const files = input.filesOf(id);
    const starting = { folder, realmId: id, clock, startedAt, siteOf: ownSite, files, shared };
    await realm.write(() => startRealm(input, starting));
  }

  for (const id of folderIds(folder)) hold(id);

  const written = () => Array.from(all.values()).flatMap((realm) => realm.written() ?? []);
  const isOwnedHere = (id: number) => input.heldShard(shardOf(id, shards)).isOwned();

  return {
    path: input.path,
    settings,
    named(stringId) {
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
    },
    all: () => written().map((realm) => realm.current()),
    unserved: () => [],
    siteOf: ({ reader }) => ownSite(reader),
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
    async create({ stringId, name }, fill?: Fill) {
      realmsOf.refuseStringId(stringId);
      if (names.get(stringId) !== undefined) {
        throw errors.badRequest(`There is a realm '${stringId}' already`);
      }
      const settle = names.claim(stringId, undefined);
      try {
        if (
          !Array.from({ length: shards }, (_, shard) => shard).some((shard) =>
            input.heldShard(shard).isOwned(),
          )
        ) {
          throw errors.badRequest(`Node ${node} owns no shard, so that it can make no realm`);
        }
        const newest = Math.max(0, ...all.keys());
        const id = await takeNumber({ values: store.values, node, newest, fits: isOwnedHere });
        const commit = await firstCommit({
          folder,
          id,
          stringId,
          name,
          now: () => clock.now(),
          fill: (tx) => fill?.(tx, ownSite(tx)),
        });
        const realm = await input.heldShard(shardOf(id, shards)).addRealm(id, commit);
        return realm.current();
      } finally {
        settle(false);
      }
    },
    adopt() {
      return Promise.reject(errors.badRequest('A cluster takes no archives yet'));
    },
    remove() {
      return Promise.reject(errors.badRequest('A cluster does not remove realms yet'));
    },
    stop: input.stop,
    ofShard: (shard) => ({
      all: () => Array.from(all.values()).filter((realm) => realm.shard === shard),
      held(id) {
        const known = all.get(id);
        if (known !== undefined) return known;
        const realm = hold(id);
        realm.follow();
        return realm;
      },
      write,
    }),
    held: (id) => all.get(id),
    everyHeld: () => all.values(),
    isWritten: (realm) => realm === undefined || all.get(realm.id)?.written()?.current() === realm,
  };
}
