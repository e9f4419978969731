/** Places where code is tried out: the organization has them by language. */
export interface Playground {
  readonly id: number;
  readonly name: string;
  readonly pygments_language: string;
  readonly url_template: string;
}

/** A link that opens code in a playground. */
export interface PlaygroundLink {
  readonly id: number;
  readonly name: string;
  readonly url: string;
}

/** Most servers take no longer addresses; nothing is opened with half of the code. */
const URL_LENGTH_MAX = 32_000;

/** Returns the links for a block of code; none where no playground takes its language. */
export const linksFor = (
  { language, code }: { readonly language: string; readonly code: string },
  all: readonly Playground[],
): readonly PlaygroundLink[] =>
  all.flatMap(({ id, name, pygments_language: of, url_template: template }) => {
    if (of.toLowerCase() !== language.toLowerCase()) return [];
    const url = expanded(template, code);
    return isPage(url) && url.length <= URL_LENGTH_MAX ? [{ id, name, url }] : [];
  });

/** A page of the web; an address of another kind could run something here. */
const isPage = (url: string): boolean => /^https?:\/\/[^/]/i.test(url) && URL.canParse(url);

/** The expressions of RFC 6570, of which these templates have only one variable: `code`. */
const EXPRESSION = /\{([+#./;?&]?)([^{}]*)\}/g;
const VARIABLE = /^code(?::(\d{1,4})|\*)?$/;

interface Operator {
  readonly first: string;
  readonly isNamed: boolean;
  /** True if reserved characters stay as they are. */
  readonly isReserved: boolean;
}

const operator = (first: string, isNamed = false, isReserved = false): Operator => ({
  first,
  isNamed,
  isReserved,
});

const OPERATORS: Readonly<Record<string, Operator>> = {
  __proto__: null as never,
  '': operator(''),
  '+': operator('', false, true),
  '#': operator('#', false, true),
  '.': operator('.'),
  '/': operator('/'),
  ';': operator(';', true),
  '?': operator('?', true),
  '&': operator('&', true),
};

/** Puts code into a URL template (RFC 6570). */
export function expanded(template: string, code: string): string {
  let url = '';
  let from = 0;
  for (const expression of template.matchAll(EXPRESSION)) {
    const [whole, sign = '', variables = ''] = expression;
    url += literal(template.slice(from, expression.index)) + filled(sign, variables, code);
    from = expression.index + whole.length;
  }
  return url + literal(template.slice(from));
}

function filled(sign: string, variables: string, code: string): string {
  const { first, isNamed, isReserved } = OPERATORS[sign] ?? operator('');
  const parts = variables.split(',').flatMap((variable) => {
    const found = VARIABLE.exec(variable);
    if (found === null) return [];
    const [, length] = found;
    const value = length === undefined ? code : Array.from(code).slice(0, Number(length)).join('');
    const text = isReserved ? literal(value) : encoded(value);
    if (!isNamed) return [text];
    return [text === '' && sign === ';' ? 'code' : `code=${text}`];
  });
  return parts.length === 0 ? '' : first + parts.join(SEPARATORS[sign] ?? ',');
}

const SEPARATORS: Readonly<Record<string, string>> = {
  __proto__: null as never,
  '.': '.',
  '/': '/',
  ';': ';',
  '?': '&',
  '&': '&',
};

/** Encodes all but letters, digits and `-._~`. */
const encoded = (text: string): string =>
  encodeURIComponent(wellFormed(text)).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Encodes what no address may have: reserved characters and what is encoded already stay. */
const literal = (text: string): string =>
  wellFormed(text)
    .split(/(%[0-9A-Fa-f]{2})/)
    .map((part, index) =>
      index % 2 === 1 ? part : encodeURI(part).replaceAll('%5B', '[').replaceAll('%5D', ']'),
    )
    .join('');

/** Half of a pair of surrogates cannot be encoded. */
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd');
