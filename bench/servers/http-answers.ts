/** The baseline of plain requests gives these answers, as confab gave them. */
export interface Answers {
  readonly authorization: string;
  readonly fixed: readonly { readonly path: string; readonly body: string }[];
  /** An answer that is read from rows, each time. */
  readonly rows: {
    readonly path: string;
    readonly envelope: Readonly<Record<string, unknown>>;
    /** The field that has them. */
    readonly name: string;
    readonly rows: readonly unknown[];
  };
}
