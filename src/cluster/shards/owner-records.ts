import { setTimeout as pause } from 'node:timers/promises';
import type { SupervisedShard } from '../../../actors/shard.ts';
import type { Place } from '../../../storage/replication/commit-log.ts';
import { type Holding, schemaOf } from './holding.ts';

export async function mark({ input, owning: owned }: Holding): Promise<Place> {
  const { number, marks, realms } = input;
  if (owned === null) throw new Error(`shard ${number} is not owned`);
  const prepared = await marks.prepare(number, realms.all());
  try {
    return await owned.writer.mark((place, lastOf) =>
      prepared.freeze({ place, stores: realms.all(), lastOf }),
    );
  } catch (error) {
    await prepared.giveUp();
    throw error;
  }
}

/** A migration of large stores takes minutes; after this time the log tells what came of it. */
const MIGRATION_MS_MAX = 600_000;
const MIGRATION_LOOK_MS = 20;

/**
 * The record is read by this node as by all others, and its stores are migrated there: so it gives
 * the shard to itself.
 */
export async function upgrade(holding: Holding, supervised: SupervisedShard): Promise<Place> {
  const { number, node, schemas } = holding.input;
  const { owning: owned } = holding;
  if (owned === null) throw new Error(`shard ${number} is not owned`);
  if (owned.schema >= schemas.newest) return owned.writer.last();
  holding.isUpgrading = true;
  supervised.release(node);
  await supervised.reached('following', 'leaving', 'left');
  const until = performance.now() + MIGRATION_MS_MAX;
  while (performance.now() < until && holding.owning === null) {
    const place = holding.tail?.last() ?? holding.claim?.place;
    if (place !== undefined && schemaOf(holding) >= schemas.newest) return place;
    await pause(MIGRATION_LOOK_MS);
  }
  if (holding.owning === null || holding.owning.schema < schemas.newest) {
    throw new Error(`the schema of shard ${number} was not raised`);
  }
  return holding.owning.writer.last();
}
