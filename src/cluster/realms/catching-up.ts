import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { Deployment } from '../../endpoints/dispatch/deployment.ts';
import type { Bus } from '../log/bus.ts';
import { newestOf } from '../nodes/asking.ts';
import type { HeldShard } from '../shards/held-shard.ts';
import type { ClusterRealms } from './cluster-realms.ts';
import type { Heads } from './heads.ts';

/** A poll that comes ahead of this node is answered as it stands after this time. */
const CATCH_UP_MS_MAX = 2_000;

interface CatchingUpInput {
  readonly bus: Bus;
  readonly realms: Pick<ClusterRealms, 'at' | 'isWritten'>;
  readonly heads: Heads;
  /** Returns the shard of a realm, if this node holds it. */
  readonly shardOf: (realmId: number) => HeldShard | undefined;
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

  /** Waits until this node has what the owner had when it was asked, and what the client has. */
  async function catchUp(realm: Realm, lacksQueue: boolean, lastEventId: number) {
    const until = performance.now() + CATCH_UP_MS_MAX;
    const shard = shardOf(realm.id);
    if (lacksQueue && shard !== undefined) {
      const newest = await newestOf(bus, shard.number, CATCH_UP_MS_MAX);
      if (newest !== undefined) await shard.whenApplied(newest, CATCH_UP_MS_MAX);
    }
    // A realm that has closed meanwhile cannot be read.
    const msLeft = until - performance.now();
    if (msLeft > 0 && realm.isOpen() && lastEventId > headOf(realm)) {
      await heads.until(realm.id, lastEventId, msLeft);
    }
  }

  return (host, { queueId, lastEventId }) => {
    const { realm } = realms.at(host);
    if (realm === undefined || !realm.isOpen()) return null;
    // The owner knows all queues, but others may apply a record before it does.
    const lacksQueue = !realms.isWritten(realm) && !realm.reader.queues.has([queueId]);
    if (!lacksQueue && !(lastEventId > headOf(realm))) return null;
    return catchUp(realm, lacksQueue, lastEventId);
  };
}
