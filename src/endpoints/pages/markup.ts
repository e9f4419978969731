import { escapeHtml } from '../../domain/rules/texts/html.ts';

/** Text in which everything quoted has been escaped; only `html` makes it. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Builds markup with values in it: they are escaped, unless they are markup themselves. */
export function html(parts: TemplateStringsArray, ...values: readonly (string | Markup)[]): Markup {
  const [first = '', ...others] = parts;
  const texts = values.map((value) => (typeof value === 'string' ? escapeHtml(value) : value.text));
  return new Markup(first + texts.map((text, index) => text + (others[index] ?? '')).join(''));
}

/** Puts pieces of markup one after the other. */
export const joined = (pieces: readonly Markup[]): Markup =>
  new Markup(pieces.map(({ text }) => text).join(''));

export const NOTHING = new Markup('');
