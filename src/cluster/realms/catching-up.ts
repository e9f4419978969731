import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { Deployment } from '../../endpoints/dispatch/deployment.ts';
import type { Bus } from '../log/bus.ts';
import { newestOf } from '../nodes/asking.ts';
import type { HeldShard } from '../shards/declaration.ts';
import type { ClusterRealms } from './cluster-realms.ts';
import type { Heads } from './heads.ts';

/** A poll that comes ahead of this node waits so long for it, and so long for the owner. */
const CATCH_UP_MS_MAX = 2_000;

interface CatchingUpInput {
  readonly bus: Bus;
  readonly realms: Pick<ClusterRealms, 'at' | 'isWritten'>;
  readonly heads: Heads;
  /** Returns the shard of a realm, if this node holds it. */
  readonly shardOf: (realmId: number) => HeldShard | undefined;
}

/** Something that a client names, and this node does not have. */
interface Lacks {
  /** True if it is the queue, and not an event. */
  readonly isQueue: boolean;
  readonly lastEventId: number;
}

/** Lets clients wait that come to this node with more than it has. */
export function openCatchingUp({
  bus,
  realms,
  heads,
  shardOf,
}: CatchingUpInput): NonNullable<Deployment['whenCaughtUp']> {
  /** The events up to this one were told to those who listen here. */
  const headOf = (realm: Realm) =>
    realms.isWritten(realm) ? realm.announced() : realm.reader.head();

  /**
   * Waits until this node has what the client has, or what the owner had when it was asked.
   * Resolves with false if it has neither: then it is not known here if the client is wrong.
   */
  async function catchUp(realm: Realm, shard: HeldShard, lacks: Lacks): Promise<boolean> {
    const { isQueue, lastEventId } = lacks;
    if (!isQueue) {
      await heads.until(realm.id, lastEventId, CATCH_UP_MS_MAX);
      // A realm that has closed meanwhile cannot be read.
      if (!realm.isOpen() || lastEventId <= headOf(realm)) return true;
    }
    const newest = await newestOf(bus, shard.number, CATCH_UP_MS_MAX);
    if (newest === undefined) return false;
    await shard.whenApplied(newest, CATCH_UP_MS_MAX);
    return shard.sequence() >= newest;
  }

  return (host, { queueId, lastEventId }) => {
    const { realm } = realms.at(host);
    if (realm === undefined || !realm.isOpen()) return null;
    // The owner knows all queues, but others may apply a record before it does.
    const lacksQueue = !realms.isWritten(realm) && !realm.reader.queues.has([queueId]);
    if (!lacksQueue && !(lastEventId > headOf(realm))) return null;
    const shard = shardOf(realm.id);
    if (shard === undefined) return null;
    return catchUp(realm, shard, { isQueue: lacksQueue, lastEventId });
  };
}
