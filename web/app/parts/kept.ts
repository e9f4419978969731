export type Field = HTMLInputElement | HTMLTextAreaElement;

/** What stands in the fields, by their names. */
export type Texts = ReadonlyMap<string, string>;

/** Something that was done in the light form: a button, or a key that the form took for itself. */
export interface Act {
  readonly name: string;
  readonly key: KeyboardEvent | null;
  readonly texts: Texts;
}

/** All that was done in the light form. */
export interface Kept {
  readonly acts: readonly Act[];
  readonly texts: Texts;
  readonly focused: string | null;
  readonly selection: readonly [start: number, end: number] | null;
}

const FIELDS = 'input[aria-label], textarea[aria-label]';

export const nameOf = (element: Element | null): string =>
  element?.getAttribute('aria-label') ?? '';

export const textsIn = (root: HTMLElement): Texts =>
  new Map(
    [...root.querySelectorAll<Field>(FIELDS)]
      .filter(({ value, defaultValue }) => value !== defaultValue)
      .map((field) => [nameOf(field), field.value]),
  );
