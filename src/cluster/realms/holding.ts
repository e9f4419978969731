import { startRealm } from '../../admin/realms/starting.ts';
import { followersOver, writerOver } from '../nodes/consumers.ts';
import { shardOf } from '../placement.ts';
import type { ShardWriter } from '../shard-writer.ts';
import type { Cast } from './cast.ts';
import { type HeldRealm, holdRealm } from './held-realm.ts';
import { noteNames } from './known-names.ts';

/** Makes a place for the copy of a realm. */
export function hold(cast: Cast, id: number): HeldRealm {
  const { input, folder } = cast;
  const shard = shardOf(id, input.shards);
  const realm: HeldRealm = holdRealm({
    id,
    shard,
    folder,
    files: input.filesOf(id),
    record: cast.record,
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

interface Writing {
  readonly writer: ShardWriter;
  readonly notBefore: number;
}

export async function write(cast: Cast, realm: HeldRealm, { writer, notBefore }: Writing) {
  const { input, folder, startedAt, hosts, background } = cast;
  const { id, shard } = realm;
  const starting = (onLastCommit: () => void) => ({
    folder,
    realmId: id,
    clock: input.clock,
    startedAt,
    siteOf: hosts.ownSite,
    files: input.filesOf(id),
    background,
    shared: {
      log: writer.commitLogOf(id),
      schemas: input.schemas,
      followers: followersOver(
        { bus: input.store.bus, numbers: input.numbers, heads: input.heads },
        id,
      ),
      notBefore,
      onNotLogged: () => input.heldShard(shard)?.lost(),
      onLastCommit,
    },
  });
  await realm.write((onLastCommit) => startRealm(input, starting(onLastCommit)));
}
