/** A fault of a realm: what is wrong, in which table (`files` for what lies beside them), and where in it. */
export interface Fault {
  readonly table: string;
  readonly what: string;
  readonly where: string;
}

/** What was looked at in a realm. */
export interface Counts {
  /** Of the realm, as its own row says. */
  readonly name: string | null;
  readonly tables: number;
  /** Null where its rows were not looked at: pages are damaged, or of another schema. */
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

/** What the process that looks tells the one that prints, as it goes and at its end. */
export type Finding =
  | { readonly fault: Fault }
  | { readonly more: number; readonly counts: Counts };

/** A store that is damaged all over is told by its first faults. */
const FAULTS_MAX = 100;

/** Says so many faults, and counts the others. */
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
