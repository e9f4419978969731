import type { OWNER_CHANGES } from '../../metrics/labels.ts';

/** The way in which a shard came to its owner. */
export type OwnerChangeKind = (typeof OWNER_CHANGES)[number];

/** The last time that a shard came to a node, as that node saw it. */
export interface OwnerChange {
  readonly kind: OwnerChangeKind;
  /** The former owner; null if none was known. */
  readonly from: string | null;
  /** UNIX milliseconds from which the node has written the shard. */
  readonly at: number;
  /** The time without an owner: since the release, or since the former one was last heard. */
  readonly ms: number;
}

/** The owner of a shard as it was known when this node claimed it. */
export type Former = Pick<OwnerChange, 'kind' | 'from'> & {
  /** By `performance.now`. */
  readonly since: number;
};
