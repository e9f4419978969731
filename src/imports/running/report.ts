import { IMPORT_SKIPPED_LISTED_MAX } from '../../domain/limits/archives.ts';
import type { SkippedRow } from '../history.ts';

/** Counts what is left out for reasons that are too many to be listed. */
const OTHERS = 'others';
const TEXT_LENGTH_MAX = 300;

export type Counts = Record<string, number>;

/** A line of the table of what is left out. */
type Line = { count: number } & Readonly<
  Record<'left_out' | 'file' | 'row' | 'name' | 'why', string>
>;

/** A row that is left out; one that the server has refused is of no file any more. */
type LeftOut = Omit<SkippedRow, 'kind' | 'file'> & Partial<Pick<SkippedRow, 'file'>>;

/** Counts what an import adds and leaves out. */
export function openReport() {
  const added: Counts = {};
  // Rows that are alike in all are one line, and so are many reactions with one emoji.
  const listed = new Map<string, Line>();
  // Lines for all rows beyond those listed, by reason.
  const further = new Map<string, Line>();
  let leftOut = 0;

  /** Reasons that contain texts of the archive could be without end. */
  function addFurther(line: Line) {
    const key = `${line.left_out}: ${line.why}`;
    const isFull = further.size >= IMPORT_SKIPPED_LISTED_MAX;
    const known = further.get(key) ?? (isFull ? further.get(OTHERS) : undefined);
    if (known !== undefined) known.count += line.count;
    else if (!isFull) further.set(key, line);
    else further.set(OTHERS, { ...line, left_out: OTHERS, file: '', row: '', name: '', why: '' });
  }

  return {
    added,
    add(what: string, count = 1) {
      if (count > 0) added[what] = (added[what] ?? 0) + count;
    },
    /** Lists a row as left out; those beyond the first are counted by what they are and why. */
    skip({ what, file = '', row = '', name = '', why, count = 1 }: LeftOut) {
      leftOut += count;
      const line: Line = {
        left_out: shown(what),
        count,
        file: shown(file),
        row: shown(row),
        name: shown(name),
        why: shown(why),
      };
      const key = JSON.stringify({ ...line, count: 0 });
      const same = listed.get(key);
      if (same !== undefined) same.count += count;
      else if (listed.size < IMPORT_SKIPPED_LISTED_MAX) listed.set(key, line);
      else addFurther(line);
    },
    /**
     * Returns the report as lines of output: totals, then a table of what is left out. A line that
     * counts several rows has the place of the first.
     */
    lines(head: object): object[] {
      return [{ ...head, ...added, left_out: leftOut }, ...listed.values(), ...further.values()];
    },
  };
}

const shown = (text: string): string => text.slice(0, TEXT_LENGTH_MAX);

export type Report = ReturnType<typeof openReport>;
