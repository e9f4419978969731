/** A node answers here what it knows of the stores that it holds, as of a mark. */
export const marksSubject = (node: string) => `confab.marks.${node}`;

/** The question of a node that compares the stores of a shard. */
export type AskedMark =
  | readonly ['stores', shard: number, sequence: number]
  | readonly ['tables', shard: number, sequence: number, realmId: number];

export type AnsweredMark =
  /** The node has not met the mark, or has met a newer one since. */
  | readonly ['no such mark']
  | readonly ['hashing', realmsDone: number, rowsDone: number]
  /** The hashes of all stores, and the realms whose stores could not be looked at there. */
  | readonly ['stores', rows: number, readonly HashedStore[], unknown: readonly number[]]
  | readonly ['tables', readonly HashedTable[]];

export type HashedStore = readonly [realmId: number, hash: string];
export type HashedTable = readonly [name: string, hash: string];
