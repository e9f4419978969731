const SEEN_MAX = 200_000;

/**
 * Knows the ids that came last, so that a row that an archive has twice is found. Rows that repeat
 * lie near each other; more ids than this would make the memory grow with the archive.
 */
export class SeenIds {
  private recent = new Set<string>();
  private former = new Set<string>();

  /** Tests whether the id came before, and remembers it. */
  isRepeated(id: string): boolean {
    if (this.recent.has(id) || this.former.has(id)) return true;
    this.recent.add(id);
    if (this.recent.size >= SEEN_MAX / 2) {
      this.former = this.recent;
      this.recent = new Set();
    }
    return false;
  }
}

/** Says why messages of a kind are left out. */
export const ofService = (kind: string): string => `The service wrote it itself (${kind}).`;

export const ONLY_ADDRESS = 'The export has only the address of the file.';

/** Counts what is left out by kind, for rows that are many and alike. */
export class Counts {
  private readonly counts = new Map<string, number>();

  add(kind: string): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
  }

  entries(): [kind: string, count: number][] {
    return [...this.counts].sort(([one], [other]) => (one < other ? -1 : 1));
  }
}
