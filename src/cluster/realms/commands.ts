import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { Fill } from '../../admin/deployment.ts';
import { standInFor } from '../../admin/unserved-realm.ts';
import * as errors from '../../domain/wire/errors.ts';
import * as realmsOf from '../../operations/access/realms.ts';
import { shardOf } from '../placement.ts';
import type { Cast } from './cast.ts';
import { importRealm } from './importing.ts';
import { tellNames } from './known-names.ts';
import { firstCommit } from './making.ts';
import { settleRealm, takeNumber } from './registry.ts';

/** Returns the realm for a command, which runs where the realm is written. */
export function namedHere({ input, names, all }: Cast, stringId: string): Realm | undefined {
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
export async function create(
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
export async function adopt(cast: Cast, stringId: string, archive: string): Promise<Realm> {
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
export async function remove({ input }: Cast, { id }: Realm): Promise<void> {
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
