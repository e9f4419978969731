import { HashedNumbers } from './hashed-numbers.ts';

/** Ids that are remembered at least, and at most twice as many. */
const SEEN_MAX = 100_000;

/**
 * Knows the ids that came last, so that a row that an archive has twice is found. Rows that repeat
 * lie near each other; more ids than this would make the memory grow with the archive.
 */
export class SeenIds {
  private recent = new HashedNumbers(SEEN_MAX);
  private former = new HashedNumbers(0);

  /** Tests whether the id came before, and remembers it. */
  isRepeated(id: string): boolean {
    if (this.recent.get(id) > 0 || this.former.get(id) > 0) return true;
    this.recent.set(id, 1);
    if (this.recent.size >= SEEN_MAX) {
      this.former = this.recent;
      this.recent = new HashedNumbers(SEEN_MAX);
    }
    return false;
  }
}

/** Says why messages of a kind are left out. */
export const ofService = (kind: string): string => `The service wrote it itself (${kind}).`;

export const ONLY_ADDRESS = 'The export has only the address of the file.';

/** Kinds that are counted by themselves; services have some dozens. */
const KINDS_MAX = 200;
const OTHER_KINDS = 'others';

/** Counts what is left out by kind, for rows that are many and alike. */
export class Counts {
  private readonly counts = new Map<string, number>();

  add(kind: string): void {
    const isFull = this.counts.size >= KINDS_MAX && !this.counts.has(kind);
    const counted = isFull ? OTHER_KINDS : kind;
    this.counts.set(counted, (this.counts.get(counted) ?? 0) + 1);
  }

  entries(): [kind: string, count: number][] {
    return [...this.counts].sort(([one], [other]) => (one < other ? -1 : 1));
  }
}
