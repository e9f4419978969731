import { systemClock } from '../../../actors/clock.ts';
import type { ShardWork } from '../../../actors/shard.ts';
import { openShardWriter } from '../shard-writer.ts';
import { schemaRecord } from '../versions/schema-records.ts';
import { follow } from './following.ts';
import { claimedBy, type Holding, isWritable, type Reached, type Start } from './holding.ts';

/** The work of the owner of the shard. */
export function owning(
  holding: Holding,
  reached: Reached,
): Pick<ShardWork, 'own' | 'disown' | 'release'> {
  const { input, turns } = holding;
  const { log, realms, retryAfterMs } = input;
  return {
    async own() {
      const { claim } = holding;
      if (claim === null) throw new Error(`shard ${input.number} was not claimed`);
      claimedBy(holding, input.node);
      const writer = openShardWriter({
        log,
        claim: claim.place,
        at: claim.at,
        schema: claim.schema,
        now: () => systemClock.now(),
        onDeposed: () => reached.supervised().deposed(),
      });
      if (isWritable(input, claim.schema)) {
        for (const realm of realms.all()) await realms.write(realm, writer, claim.at);
      }
      const { schema } = claim;
      const { since, ...former } = claim.former;
      const change = { ...former, at: systemClock.now(), ms: performance.now() - since };
      holding.owning = { writer, change, schema, end: input.onOwned(reached.shard(), change) };
    },
    disown: () => followAgain(holding, reached),
    async release(to) {
      holding.isReleasing = true;
      const { isUpgrading } = holding;
      holding.isUpgrading = false;
      try {
        // Their last commits are in the log before the release, which waits for no disk.
        const closing = realms.all().map((realm) => realm.closing(retryAfterMs));
        await Promise.all(closing.map(({ lastCommit }) => lastCommit));
        // If it is not stored, the others hear no more of this node.
        const behind = isUpgrading ? await raise(holding).catch(() => undefined) : undefined;
        await holding.owning?.writer.append({ kind: 'release', to }).catch(() => undefined);
        await Promise.all(closing.map(({ closed }) => closed));
        await followAgain(holding, reached, behind);
        turns.releasedHere(to);
      } finally {
        holding.isReleasing = false;
      }
    },
  };
}

/** Raises the schema in the log. Resolves with the place at which stores had the former one. */
async function raise({ input, owning: owned }: Holding): Promise<Start | undefined> {
  if (owned === null) return undefined;
  const { writer, schema } = owned;
  const before = { behind: writer.last(), at: writer.at(), schema };
  await writer.append(schemaRecord(input.schemas.newest));
  return before;
}

/**
 * Ends the owning of a shard, and follows behind what this node has stored, or from a start on; one
 * that stops would only have to close its copies again.
 */
async function followAgain(holding: Holding, reached: Reached, start?: Start) {
  const { input, owning: owned, turns } = holding;
  if (owned === null) throw new Error(`shard ${input.number} is not owned`);
  await owned.writer.close();
  for (const realm of input.realms.all()) await realm.close(input.retryAfterMs);
  owned.end();
  holding.owning = null;
  turns.claimed(null);
  if (holding.isLast) {
    // The others hear what it has until it ends.
    if (holding.claim !== null) holding.claim = { ...holding.claim, place: owned.writer.last() };
    return;
  }
  for (const realm of input.realms.all()) realm.follow();
  const { writer, schema } = owned;
  follow(holding, start ?? { behind: writer.last(), at: writer.at(), schema }, reached);
}
