import { IMPORT_SKIPPED_LISTED_MAX } from '../../domain/limits/archives.ts';

/** Counts what is left out for reasons that are too many to be listed. */
const OTHERS = 'others';

export type Counts = Record<string, number>;

/** Counts what an import adds and leaves out. */
export function openReport() {
  const added: Counts = {};
  const reasons = new Map<string, number>();
  const listed: { what: string; where: string; why: string }[] = [];
  return {
    added,
    add(what: string, count = 1) {
      if (count > 0) added[what] = (added[what] ?? 0) + count;
    },
    skip(what: string, where: string, why: string) {
      const key = `${what}: ${why}`;
      // Reasons that contain texts of the archive could be without end.
      const isFull = reasons.size >= IMPORT_SKIPPED_LISTED_MAX;
      const counted = reasons.has(key) || !isFull ? key : OTHERS;
      reasons.set(counted, (reasons.get(counted) ?? 0) + 1);
      if (listed.length < IMPORT_SKIPPED_LISTED_MAX) {
        listed.push({ what, where: where.slice(0, 300), why: why.slice(0, 300) });
      }
    },
    /** Returns the report as lines of output: totals, reasons, and the first rows left out. */
    lines(head: object): object[] {
      return [
        { ...head, ...added, left_out: [...reasons.values()].reduce((sum, one) => sum + one, 0) },
        ...Array.from(reasons, ([reason, count]) => ({ left_out: reason, count })),
        ...listed.map((one) => ({ left_out: one.what, where: one.where, why: one.why })),
      ];
    },
  };
}

export type Report = ReturnType<typeof openReport>;
