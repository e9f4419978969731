import { systemClock } from '../../../actors/clock.ts';
import { openReplica } from '../../../storage/replication/replica.ts';
import { bringUp } from '../realms/bringing-up.ts';
import type { HeldRealm } from '../realms/held-realm.ts';
import type { HeldShard } from './declaration.ts';
import { type Holding, lastOf } from './holding.ts';

/** Adds realms to a shard, and takes them away. */
export function changing(holding: Holding): Pick<HeldShard, 'addRealm' | 'take' | 'drop'> {
  const { input, turn } = holding;
  const { realms, log, schemas, retryAfterMs } = input;
  const { signal } = holding.leaving;

  /** Does something while no record of the shard is applied. */
  function apart<T>(work: () => Promise<T>): Promise<T> {
    return turn.next(() => {
      if (signal.aborted) throw new Error(`shard ${input.number} was left`);
      return holding.tail === null ? work() : holding.tail.between(work);
    });
  }

  async function serve(realm: HeldRealm) {
    const { owning: owned } = holding;
    try {
      realm.follow();
      if (owned !== null) await realms.write(realm, owned.writer, owned.writer.at());
    } catch (error) {
      realms.release(realm);
      await realm.close(retryAfterMs);
      throw error;
    }
  }

  return {
    addRealm: (realmId, commit) =>
      turn.next(async () => {
        const { owning: owned } = holding;
        if (owned === null) throw new Error(`shard ${input.number} is not owned`);
        const { writer, schema } = owned;
        const place = await writer.commitLogOf(realmId).append(commit);
        const realm = realms.hold(realmId);
        realm.follow();
        await realm.apply(commit, place, schema);
        await realms.write(realm, writer, systemClock.now());
        return { realm, place };
      }),
    async take(realmId) {
      const copy = { log, folder: realms.folderOf(realmId), realmId, schemas, signal };
      // Most of it is read while the others of the shard go on.
      await bringUp({ ...copy, to: await log.last() });
      await apart(async () => {
        await bringUp({ ...copy, to: lastOf(holding)?.sequence ?? 0 });
        await serve(realms.hold(realmId));
      });
    },
    drop: (realmId, remove) =>
      apart(async () => {
        const realm = realms.all().find(({ id }) => id === realmId);
        if (realm !== undefined) {
          realms.release(realm);
          await realm.close(retryAfterMs);
        }
        await remove();
      }),
  };
}

/** Reads and marks the copies of a shard between two of its records. */
export const copying = (holding: Holding): Pick<HeldShard, 'openCopy' | 'pass'> => ({
  async openCopy(realm) {
    const { tail, input } = holding;
    if (tail === null) throw new Error(`shard ${input.number} is not followed`);
    return await tail.between(async (place) => {
      if (place !== null) await realm.pass(place);
      return openReplica(realm.path, input.schemas);
    });
  },
  async pass() {
    await holding.tail?.between(async (place) => {
      if (place === null) return;
      for (const realm of holding.input.realms.all()) await realm.pass(place);
    });
  },
});
