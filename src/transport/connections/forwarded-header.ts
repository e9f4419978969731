/** One proxy's part of a `Forwarded` header, by the names of its parameters in lower case. */
export interface ForwardedElement {
  readonly for?: string;
  readonly host?: string;
  readonly proto?: string;
}

/**
 * Parses a `Forwarded` header (RFC 7239, 4): the elements that the proxies have added, the nearest
 * one last. Returns undefined if it is malformed: a client can write anything to the left, such as
 * a quote that never ends, so nothing of it can be told apart.
 */
export function forwardedElements(header: string): readonly ForwardedElement[] | undefined {
  const elements: Record<string, string>[] = [];
  for (const texts of pairsOfElements(header)) {
    const element: Record<string, string> = {};
    for (const text of texts) {
      const pair = pairIn(text);
      // Each parameter must not occur more than once (RFC 7239, 4).
      if (pair === undefined || Object.hasOwn(element, pair.name)) return undefined;
      element[pair.name] = pair.value;
    }
    // Lists may have empty elements (RFC 9110, 5.6.1).
    if (texts.length > 0) elements.push(element);
  }
  return elements;
}

/** Cuts a header at its commas and semicolons, but not within quotes. */
function pairsOfElements(header: string): readonly (readonly string[])[] {
  const elements: string[][] = [];
  let texts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at <= header.length; at += 1) {
    const sign = header[at];
    if (isQuoted && sign === '\\') at += 1;
    else if (sign === '"') isQuoted = !isQuoted;
    const isEnd = at >= header.length;
    if (!isEnd && (isQuoted || (sign !== ',' && sign !== ';'))) continue;
    const text = header.slice(start, at).trim();
    start = at + 1;
    if (text !== '') texts.push(text);
    if (sign === ';') continue;
    elements.push(texts);
    texts = [];
  }
  return elements;
}

function pairIn(text: string): { readonly name: string; readonly value: string } | undefined {
  const equals = text.indexOf('=');
  const [name, value] = [text.slice(0, equals), text.slice(equals + 1)];
  if (equals < 0 || !TOKEN.test(name)) return undefined;
  if (TOKEN_OR_ADDRESS.test(value)) return { name: name.toLowerCase(), value };
  if (!QUOTED.test(value)) return undefined;
  return { name: name.toLowerCase(), value: value.slice(1, -1).replace(/\\(.)/g, '$1') };
}

const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;
/** Unquoted values may have colons and brackets, which some proxies forget to quote. */
const TOKEN_OR_ADDRESS = /^[!#$%&'*+.^_`|~\w:[\]-]+$/;
const QUOTED = /^"(?:[^"\\]|\\.)*"$/;
