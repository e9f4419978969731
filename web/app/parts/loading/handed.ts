export type Field = HTMLInputElement | HTMLTextAreaElement;

/** The texts of fields, by their names. */
export type Texts = ReadonlyMap<string, string>;

/** Something that was done in the light form: a button, or a key that the form took for itself. */
export interface Act {
  readonly name: string;
  readonly key: KeyboardEvent | null;
  readonly texts: Texts;
}

/** All that was done in a light form, which has what was typed in it. */
export interface Kept {
  readonly root: HTMLElement;
  readonly acts: readonly Act[];
  /** The name of the field that had the focus. */
  readonly focused: string | null;
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
