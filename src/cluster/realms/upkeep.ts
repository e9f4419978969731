import { existsSync } from 'node:fs';
import { realmPrefix } from '../../../storage/files/object-file-store.ts';
import type { ObjectStore } from '../../../storage/objects/object-store.ts';
import { removeFolder } from '../../admin/making-realms.ts';
import type { HeldShard } from '../shards/declaration.ts';
import { readyCopy } from '../snapshots/copies.ts';
import type { Snapshots } from '../snapshots/snapshot.ts';
import type { HeldRealm } from './held-realm.ts';
import { type Entry, giveUp, type Registry, settleRealm } from './registry.ts';

export interface UpkeepInput {
  readonly registry: Registry;
  /** The folder of all realms. */
  readonly folder: string;
  readonly held: (realmId: number) => HeldRealm | undefined;
  /** The realms that this node should have a copy of, and has none. */
  readonly missing: Set<number>;
  readonly folderOf: (realmId: number) => string;
  /** Returns the shard of a realm; undefined if this node does not hold it. */
  readonly shardFor: (realmId: number) => HeldShard | undefined;
  /** Has all nodes forget the names of a realm that was deleted. */
  readonly forgetNames: (realmId: number) => Promise<void>;
  /** Null where the nodes share no objects. */
  readonly snapshots: Snapshots | null;
  readonly objects: ObjectStore | undefined;
  readonly now: () => number;
  /** A realm is missing at this node, for this reason; or it is there now. */
  readonly onMissing: (realmId: number, error: unknown) => void;
  readonly onFound: (realmId: number) => void;
  readonly onFailed: (error: unknown) => void;
}

/** Has the realms of this node be those that the cluster has. */
export interface Upkeep {
  /** Does what there is to do. Resolves when it was tried. */
  look(): Promise<void>;
  stop(): Promise<void>;
}

/** A failure, mostly of a storage that is away, is tried again after so long. */
const AGAIN_MS = 5_000;
/** The registry is read again so often, should a change of it not have been heard. */
const READ_MS = 600_000;
/**
 * Objects of a deleted realm are looked for during a day, as another node may just have stored
 * some; and a realm that nobody has finished in a day is given up.
 */
const DAY_MS = 86_400_000;

export function openUpkeep(input: UpkeepInput): Upkeep {
  const { registry } = input;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> | undefined;
  let isAgain = false;
  const failing = new Set<number>();

  async function each(realmId: number, entry: Entry) {
    try {
      await keepUp(input, realmId, entry);
      failing.delete(realmId);
    } catch (error) {
      if (isStopped) return;
      // Each failure is told once, until it has ended.
      if (!failing.has(realmId)) {
        if (entry.is === 'there') input.onMissing(realmId, error);
        else input.onFailed(error);
      }
      failing.add(realmId);
    }
  }

  async function work() {
    do {
      isAgain = false;
      for (const [realmId, entry] of registry.all()) {
        if (isStopped) return;
        await each(realmId, entry);
      }
    } while (isAgain && !isStopped);
  }

  function look(): Promise<void> {
    if (isStopped) return Promise.resolve();
    if (working !== undefined) {
      isAgain = true;
      return working;
    }
    clearTimeout(timer);
    working = work().finally(() => {
      working = undefined;
      if (isStopped) return;
      timer = setTimeout(again, failing.size > 0 ? AGAIN_MS : READ_MS).unref();
    });
    return working;
  }

  function again() {
    registry.read().catch(input.onFailed).then(look).catch(input.onFailed);
  }

  return {
    look,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      registry.close();
      await working;
    },
  };
}

/** Does what an entry asks this node for. */
async function keepUp(input: UpkeepInput, realmId: number, entry: Entry) {
  const shard = input.shardFor(realmId);
  if (shard === undefined) return;
  if (entry.is === 'there') await takeMissing(input, shard, { realmId, entry });
  else if (entry.is === 'removed') await removeHere(input, shard, { realmId, entry });
  else if (entry.at < input.now() - DAY_MS && shard.isOwned()) await settleMade(input, realmId);
}

/** Sees to a realm that was not finished: it is there if its first record was stored. */
export async function settleMade(
  { registry, held, now }: Pick<UpkeepInput, 'registry' | 'held' | 'now'>,
  realmId: number,
): Promise<void> {
  if (held(realmId) === undefined) await giveUp(registry, realmId, now());
  else await settleRealm(registry, realmId, { is: 'there', since: 0 });
}

interface Of<Kind extends Entry['is']> {
  readonly realmId: number;
  readonly entry: Extract<Entry, { is: Kind }>;
}

/** Gets a copy of a realm that has come to the cluster otherwise than by a record. */
async function takeMissing(
  input: UpkeepInput,
  shard: HeldShard,
  { realmId, entry: { since } }: Of<'there'>,
) {
  const { held, missing, snapshots, folderOf } = input;
  if (held(realmId) !== undefined) {
    if (missing.delete(realmId)) input.onFound(realmId);
    return;
  }
  // Its first record is still to be read here.
  if (since !== undefined && shard.sequence() < since) return;
  missing.add(realmId);
  const { log, number } = shard;
  const folder = folderOf(realmId);
  if (snapshots !== null) {
    const ready = await readyCopy({ snapshots, log, folder, shard: number, realmId });
    // Without a snapshot the log has all of it, if a record has made it.
    if (ready === 'none' && (since === undefined || (await log.first()) > 1)) {
      throw new Error(`realm ${realmId} has no snapshot, and its log begins later`);
    }
  }
  await shard.take(realmId);
  missing.delete(realmId);
  input.onFound(realmId);
}

/** Removes what this node has of a deleted realm; the owner of its shard removes the objects. */
async function removeHere(input: UpkeepInput, shard: HeldShard, { realmId, entry }: Of<'removed'>) {
  const { registry, folder, held, missing, folderOf, now } = input;
  missing.delete(realmId);
  if (held(realmId) !== undefined || existsSync(folderOf(realmId))) {
    await shard.drop(realmId, async () => {
      if (existsSync(folderOf(realmId))) await removeFolder(folder, realmId);
    });
  }
  if (entry.isClean || !shard.isOwned()) return;
  await input.forgetNames(realmId);
  await removeObjects(input, shard.number, realmId);
  if (now() - entry.at < DAY_MS) return;
  await registry.exchange(realmId, entry, { ...entry, isClean: true });
}

async function removeObjects({ objects, snapshots }: UpkeepInput, shard: number, realmId: number) {
  if (objects === undefined) return;
  for await (const { key } of objects.list(realmPrefix(realmId))) await objects.remove(key);
  await snapshots?.removeAll({ shard, realmId });
}
