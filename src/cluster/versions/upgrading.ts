import { setTimeout as pause } from 'node:timers/promises';
import type { Schemas } from '../../../storage/migrations/migration.ts';
import { SERVICE_VERSION } from '../../domain/version.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Bus } from '../log/bus.ts';
import type { Members } from '../nodes/members.ts';
import { askOwner } from '../shards/owner-tasks.ts';

interface UpgradeInput {
  readonly bus: Bus;
  readonly node: string;
  readonly schemas: Schemas;
  readonly members: Pick<Members, 'beats' | 'ownerOf'>;
  /** All shards; one that this node does not hold has a schema that is not known here. */
  readonly shards: () => readonly {
    readonly number: number;
    readonly schema: () => number | undefined;
  }[];
}

/** A shard, and the schema that its stores have had and have. */
export interface UpgradedShard {
  readonly shard: number;
  readonly owner: string | null;
  /** Null for a shard that the node does not hold. */
  readonly former_schema: number | null;
  readonly schema: number;
}

/** Large stores are migrated for minutes. */
const MIGRATED_MS_MAX = 900_000;
const LOOK_MS = 50;

/**
 * Raises the schema of all shards, one after the other, to the newest that this node knows. Refuses
 * unless all nodes that live know just as much. It can be repeated.
 */
export async function upgradeCluster(input: UpgradeInput): Promise<readonly UpgradedShard[]> {
  const { bus, schemas, members } = input;
  await refuseOthers(input);
  const upgraded: UpgradedShard[] = [];
  for (const shard of input.shards()) {
    const before = shard.schema();
    if (before === undefined || before < schemas.newest) {
      const until = performance.now() + MIGRATED_MS_MAX;
      const done = await askOwner(bus, shard.number, ['upgrade', schemas.newest]);
      if (typeof done === 'string') throw errors.badRequest(done);
      if (done === undefined) {
        throw errors.badRequest(
          `No node has raised the schema of shard ${shard.number}; ${upgraded.length} others are done. Run the command again`,
        );
      }
      while ((shard.schema() ?? schemas.newest) < schemas.newest && performance.now() < until) {
        await pause(LOOK_MS);
      }
    }
    upgraded.push({
      shard: shard.number,
      owner: members.ownerOf(shard.number) ?? null,
      former_schema: before ?? null,
      schema: shard.schema() ?? schemas.newest,
    });
  }
  return upgraded;
}

/** A node that has just ended is taken for alive for a while. */
const ENDED_MS_MAX = 3_000;

async function refuseOthers(input: UpgradeInput) {
  const until = performance.now() + ENDED_MS_MAX;
  for (;;) {
    const refusal = whyNotUpgraded(input, input.schemas.newest);
    if (refusal === null) return;
    if (performance.now() > until) throw errors.badRequest(refusal);
    await pause(LOOK_MS);
  }
}

/** Says why stores cannot get a schema now, as far as this node knows; null if they can. */
export function whyNotUpgraded(
  { node, schemas, members }: Pick<UpgradeInput, 'node' | 'schemas' | 'members'>,
  wanted: number,
): string | null {
  for (const { node: name, schema = 0, about } of members.beats()) {
    const version = about?.version ?? 'of an earlier version';
    if (schema < wanted) {
      return `Node ${name} runs confab ${version}, which does not know schema ${wanted}: install a newer version there first`;
    }
    if (schema > wanted && schema > schemas.newest) {
      return `Node ${name} runs confab ${version}, which is newer than ${SERVICE_VERSION} of node ${node}: upgrade all nodes first, and run the command then`;
    }
  }
  return null;
}
