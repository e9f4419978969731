import { systemClock } from '../../../actors/clock.ts';
import type { ShardWork } from '../../../actors/shard.ts';
import type { Place } from '../../../storage/replication/commit-log.ts';
import type { ShardLog } from '../log/shard-log.ts';
import { type DecodedRecord, decodeRecord } from '../records/record.ts';
import { appendClaim } from './claiming.ts';
import type { HeldShardInput } from './declaration.ts';
import { claimedBy, type Holding, type Reached, type Start } from './holding.ts';
import { placeBefore } from './log-start.ts';
import { openShardTail, type ShardTail } from './shard-tail.ts';

/** The work of a node that does not own the shard. */
export function following(
  holding: Holding,
  reached: Reached,
): Pick<ShardWork, 'join' | 'untilClaim' | 'claim' | 'leave'> {
  const { input, turns } = holding;
  const { log, node, realms, retryAfterMs } = input;
  return {
    async join() {
      await realms.ready(log);
      const known = oldest(realms.all().map((realm) => realm.follow()));
      const behind = known ?? (await placeBefore(log));
      const head = await headOf(log, behind);
      const ofStores = Math.max(0, ...realms.all().map((realm) => realm.schema()));
      const schema = Math.max(head.schema, known === null ? 0 : ofStores);
      const tail = follow(holding, { behind, at: head.at, schema }, reached);
      try {
        await tail.reached(await log.last());
      } catch (error) {
        await tail.stop();
        throw error;
      }
    },
    // Others may have copies of all realms.
    untilClaim: () => turns.untilClaim() + (realms.lacksSome() ? LACKING_MS : 0),
    async claim() {
      const { tail } = holding;
      if (tail === null) throw new Error(`shard ${input.number} is not followed`);
      await tail.stop();
      const at = { behind: tail.last(), at: tail.at(), schema: tail.schema() };
      const schema = at.schema === 0 ? input.schemas.newest : at.schema;
      const former = turns.former();
      try {
        const last = { last: at.behind, notBefore: at.at, schema };
        const claim = await appendClaim(log, { node, ...last });
        holding.claim = claim === null ? null : { ...claim, former };
      } catch (error) {
        follow(holding, at, reached);
        throw error;
      }
      if (holding.claim !== null) {
        holding.tail = null;
        return true;
      }
      follow(holding, at, reached);
      // If the log has more, that is read first.
      const last = await log.last().catch(() => Number.POSITIVE_INFINITY);
      turns.refused(last < (at.behind?.sequence ?? 0));
      return false;
    },
    async leave() {
      await holding.tail?.stop();
      for (const realm of realms.all()) await realm.close(retryAfterMs);
    },
  };
}

/** A node that lacks copies of some realms lets the others claim first, for so long. */
const LACKING_MS = 3_000;

/** Reads the log from behind a record on. */
export function follow(holding: Holding, start: Start, { supervised }: Reached): ShardTail {
  const { input, turns } = holding;
  const { log, realms } = input;
  holding.tail = openShardTail({
    log,
    ...start,
    schemas: input.schemas,
    realms,
    onOwner(owner) {
      claimedBy(holding, owner);
      // A new owner does not know who is listened to here.
      for (const realm of realms.all()) realm.following()?.tell();
    },
    onReleased(to) {
      turns.released(to);
      supervised().look();
    },
    onMark: (place, markedAt) => noteMark(input, place, markedAt),
    onBroken: (error) => supervised().broken(error),
  });
  return holding.tail;
}

/** A mark that was written longer ago is met by a node that joins, and nobody waits for it. */
const MARK_MS_MAX = 600_000;

async function noteMark({ number, marks, realms }: HeldShardInput, place: Place, at: number) {
  if (systemClock.now() - at > MARK_MS_MAX) return;
  const stores = realms.all();
  const prepared = await marks.prepare(number, stores);
  await prepared.freeze({ place, stores });
}

/** Returns the oldest of the places up to which the copies of a shard have its records. */
function oldest(places: readonly (Place | null)[]): Place | null {
  let first: Place | null = places[0] ?? null;
  for (const place of places) {
    if (place === null) return null;
    if (first !== null && place.sequence < first.sequence) first = place;
  }
  return first;
}

/**
 * Returns the time (UNIX milliseconds) and the schema in a record; 0 if the log has it no longer.
 * Throws if the log never had it: a store that has what its log does not have must not be served.
 */
async function headOf(log: ShardLog, behind: Place | null): Promise<Omit<Start, 'behind'>> {
  if (behind === null) return NOTHING_KNOWN;
  const last = await log.last();
  const record = await log.record(behind.sequence);
  if (behind.sequence <= last && record === undefined) return NOTHING_KNOWN;
  if (record?.id === behind.id) return startIn(decodeRecord(record.body));
  throw new Error(
    `the store of this node has record ${behind.sequence} (${behind.id}), which its log lacks: the log was cut back, or is that of another cluster`,
  );
}

const NOTHING_KNOWN = { at: 0, schema: 0 };

const startIn = ({ head, payload }: DecodedRecord) => ({
  at: head.at,
  schema: payload.kind === 'schema' ? payload.version : head.schema,
});
