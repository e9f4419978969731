/** The comparisons of RFC 7644 section 3.4.2.2, table 3, without `pr`. */
const OPERATORS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;

export type Operator = (typeof OPERATORS)[number];
export type Value = string | number | boolean | null;

/** A filter as a tree. Names of attributes are in lower case: they ignore case (RFC 7643, 2.1). */
export type Filter =
  | { readonly is: 'compare'; readonly path: string; readonly op: Operator; readonly value: Value }
  | { readonly is: 'present'; readonly path: string }
  | { readonly is: 'and' | 'or'; readonly left: Filter; readonly right: Filter }
  | { readonly is: 'not'; readonly of: Filter }
  | { readonly is: 'within'; readonly path: string; readonly of: Filter };

/** The longest filter, in UTF-16 code units. */
export const FILTER_LENGTH_MAX = 2048;
/** The most comparisons in one filter. */
export const COMPARISONS_MAX = 64;
/** The deepest nesting of parentheses, brackets and `not`. */
export const DEPTH_MAX = 8;

/** A filter that cannot be read: HTTP 400 with the scimType `invalidFilter` (RFC 7644, 3.12). */
export class InvalidFilter extends Error {}

const NAME = /^[A-Za-z$]/;

/**
 * Reads a filter in one pass over its text.
 *
 * @throws InvalidFilter if the text is not a filter or is beyond one of the bounds.
 */
export function parseFilter(text: string): Filter {
  if (text.length > FILTER_LENGTH_MAX) throw new InvalidFilter('The filter is too long.');
  const reader = new Reader(tokensOf(text));
  const filter = reader.either(0);
  reader.end();
  return filter;
}

function tokensOf(text: string): string[] {
  const source = text.trim();
  const tokens: string[] = [];
  const token = /[()[\]]|-?\d[\d.eE+-]*|\.?[A-Za-z$][\w$:.-]*/y;
  for (let at = 0; at < source.length; ) {
    while (source[at] === ' ' || source[at] === '\t') at += 1;
    token.lastIndex = at;
    const found = source[at] === '"' ? stringAt(source, at) : token.exec(source)?.[0];
    if (found === undefined) {
      throw new InvalidFilter(`The filter is not valid at character ${at + 1}.`);
    }
    tokens.push(found);
    at += found.length;
  }
  return tokens;
}

/** Returns the string that begins at a quote, with its quotes; undefined if it does not end. */
function stringAt(source: string, from: number): string | undefined {
  for (let at = from + 1; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1;
    else if (source[at] === '"') return source.slice(from, at + 1);
  }
  return undefined;
}

class Reader {
  private at = 0;
  private comparisons = 0;

  private readonly tokens: readonly string[];

  constructor(tokens: readonly string[]) {
    this.tokens = tokens;
  }

  either(depth: number): Filter {
    let left = this.both(depth);
    while (this.takes('or')) left = { is: 'or', left, right: this.both(depth) };
    return left;
  }

  end(): void {
    if (this.at < this.tokens.length) throw new InvalidFilter('The filter has text after its end.');
  }

  private both(depth: number): Filter {
    let left = this.single(depth);
    while (this.takes('and')) left = { is: 'and', left, right: this.single(depth) };
    return left;
  }

  private single(depth: number): Filter {
    if (depth > DEPTH_MAX) throw new InvalidFilter('The filter is nested too deeply.');
    if (this.tokens[this.at + 1] === '(' && this.takes('not')) {
      return { is: 'not', of: this.single(depth + 1) };
    }
    if (this.takes('(')) return this.closed(')', depth);
    const path = this.next();
    if (!NAME.test(path)) throw new InvalidFilter('The filter lacks the name of an attribute.');
    if (this.takes('[')) return this.within(path.toLowerCase(), depth);
    return this.comparison(path.toLowerCase());
  }

  /** Entra compares a part of chosen elements: `emails[type eq "work"].value eq "a"`. */
  private within(path: string, depth: number): Filter {
    const of = this.closed(']', depth);
    if (this.tokens[this.at]?.startsWith('.') !== true) return { is: 'within', path, of };
    const right = this.comparison(this.next().slice(1).toLowerCase());
    return { is: 'within', path, of: { is: 'and', left: of, right } };
  }

  private closed(end: string, depth: number): Filter {
    const of = this.either(depth + 1);
    if (!this.takes(end)) throw new InvalidFilter(`The filter lacks a "${end}".`);
    return of;
  }

  private comparison(path: string): Filter {
    this.comparisons += 1;
    if (this.comparisons > COMPARISONS_MAX) {
      throw new InvalidFilter('The filter has too many comparisons.');
    }
    const word = this.next().toLowerCase();
    if (word === 'pr') return { is: 'present', path };
    const op = OPERATORS.find((operator) => operator === word);
    if (op === undefined) throw new InvalidFilter('The filter has an unknown operator.');
    return { is: 'compare', path, op, value: readValue(this.next()) };
  }

  private next(): string {
    const token = this.tokens[this.at];
    if (token === undefined) throw new InvalidFilter('The filter ends too early.');
    this.at += 1;
    return token;
  }

  private takes(word: string): boolean {
    if (this.tokens[this.at]?.toLowerCase() !== word) return false;
    this.at += 1;
    return true;
  }
}

/** Entra sends booleans as `True` and `False`, so that their case is ignored. */
function readValue(token: string): Value {
  const lower = token.toLowerCase();
  if (lower === 'true' || lower === 'false') return lower === 'true';
  try {
    const value: unknown = JSON.parse(lower === 'null' ? lower : token);
    if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  } catch {
    // The error below says it.
  }
  throw new InvalidFilter('The filter has a value that is not JSON.');
}
