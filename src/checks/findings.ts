import type { FileSettings } from '../../storage/files/open-file-store.ts';

/**
 * A fault of a realm: what is wrong, in which table (`files` for uploaded files), and at which key
 * or path.
 */
export interface Fault {
  readonly table: string;
  readonly what: string;
  readonly where: string;
}

/** A summary of what was checked in a realm. */
export interface Counts {
  /** The name of the realm in its own row. */
  readonly name: string | null;
  readonly tables: number;
  /** Null if its rows were not checked: pages are damaged, or the schema is another one. */
  readonly rows: number | null;
  readonly files: number | null;
  readonly pages: number;
  readonly free_pages: number;
  readonly bytes: number;
}

export const NOTHING_SEEN: Counts = {
  name: null,
  tables: 0,
  rows: null,
  files: null,
  pages: 0,
  free_pages: 0,
  bytes: 0,
};

/** The message to the process that checks the rows of a realm: where its files are. */
export interface CheckTask extends FileSettings {
  readonly realmId: number;
}

/** A message from the process that checks to the one that prints. */
export type Finding =
  | { readonly fault: Fault }
  | { readonly more: number; readonly counts: Counts };

/**
 * The number of faults that are printed: of a store that is damaged all over the first ones are
 * enough.
 */
const FAULTS_MAX = 100;

/** Sends the first faults and counts the others. */
export function openFindings(say: (finding: Finding) => void) {
  let seen = 0;
  return {
    seen: () => seen,
    note(table: string, { what, where }: Pick<Fault, 'what' | 'where'>) {
      seen += 1;
      if (seen <= FAULTS_MAX) say({ fault: { table, what, where } });
    },
    end: (counts: Counts) => say({ more: Math.max(0, seen - FAULTS_MAX), counts }),
  };
}

export type Findings = ReturnType<typeof openFindings>;
