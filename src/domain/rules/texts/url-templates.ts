import { parseTemplate } from 'url-template';

export interface UrlTemplate {
  /** the names of its variables, unique */
  readonly names: readonly string[];
  /** Returns null if it would cut a character in two: half of one is not valid in a URL. */
  expand(valueFor: (name: string) => string | null): string | null;
}

/**
 * Returns null if the text is not a template of RFC 6570: the library that expands templates takes
 * anything and leaves in the URL what it does not understand.
 */
export function urlTemplate(text: string): UrlTemplate | null {
  const names = variablesOf(text);
  if (names === null) return null;
  const template = parseTemplate(text);
  return {
    names,
    expand(valueFor) {
      const values = names.map((name) => [name, wellFormed(valueFor(name))]);
      try {
        return template.expand(Object.fromEntries(values));
      } catch (error) {
        if (error instanceof URIError) return null;
        throw error;
      }
    },
  };
}

const wellFormed = (value: string | null) => value?.replace(/\p{Cs}/gu, '\ufffd') ?? null;

function variablesOf(text: string): string[] | null {
  if (!TEMPLATE.test(text)) return null;
  const names = new Set<string>();
  for (const [, list = ''] of text.matchAll(EXPRESSION)) {
    for (const variable of list.split(',')) {
      const name = VARIABLE.exec(variable)?.[1];
      if (name === undefined) return null;
      names.add(name);
    }
  }
  return [...names];
}

/** A literal may have any character but these; a `%` begins an encoded character. */
const TEMPLATE =
  /^(?:[^\p{Cc}\p{Cs}\p{Noncharacter_Code_Point} "'%<>\\^`{|}]|%[0-9a-f]{2}|\{[^{}]+\})*$/iu;
const EXPRESSION = /\{[+#./;?&]?([^{}]*)\}/g;
const VARIABLE = /^((?:\w|%[0-9a-f]{2})+(?:\.(?:\w|%[0-9a-f]{2})+)*)(?::[1-9]\d{0,3}|\*)?$/i;
