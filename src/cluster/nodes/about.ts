import { SERVICE_VERSION } from '../../domain/version.ts';
import { type Load, openLoad } from '../../metrics/load.ts';
import type { OwnerChange, OwnerChangeKind } from '../shards/ownership.ts';

/** The facts of a node that its operators look at. A node says them once a second. */
export interface About extends Load {
  readonly version: string;
  /** UNIX milliseconds of the start of the process. */
  readonly since: number;
  /** The shards in which it lacks records of the owner. */
  readonly behind: readonly BehindIn[];
  /** The shards that it owns, and how they came to it. */
  readonly changes: readonly Change[];
}

/** A shard, how many records a node lacks there, and how long it has waited for the first (ms). */
export type BehindIn = readonly [shard: number, records: number, ms: number];

/** `OwnerChange` as it goes over the bus. */
export type Change = readonly [
  shard: number,
  kind: OwnerChangeKind,
  from: string | null,
  at: number,
  ms: number,
];

/** A shard that the node holds. */
interface Told {
  readonly number: number;
  isOwned(): boolean;
  behind(): { readonly records: number; readonly ms: number };
  change(): OwnerChange | null;
}

/** Returns what describes this node. */
export function openAbout(held: () => readonly Told[]): () => About {
  const since = Math.round(performance.timeOrigin);
  const load = openLoad();
  return () => {
    const shards = held();
    const behind = shards.flatMap(behindIn);
    const changes = shards.flatMap(changed);
    return { version: SERVICE_VERSION, since, ...load(), behind, changes };
  };
}

function behindIn(held: Told): readonly BehindIn[] {
  const { records, ms } = held.behind();
  return records === 0 ? [] : [[held.number, records, Math.round(ms)]];
}

function changed(held: Told): readonly Change[] {
  const change = held.isOwned() ? held.change() : null;
  if (change === null) return [];
  return [[held.number, change.kind, change.from, change.at, Math.round(change.ms)]];
}
