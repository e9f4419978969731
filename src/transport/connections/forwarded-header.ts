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
  const elements: Record<string, string>[] = [{}];
  PAIR.lastIndex = 0;
  while (PAIR.lastIndex < header.length) {
    const [all = '', name = '', token, quoted, end = ''] = PAIR.exec(header) ?? [];
    const element = elements.at(-1);
    if (all === '' || element === undefined) return undefined;
    if (name !== '') {
      const key = name.toLowerCase();
      // Each parameter must not occur more than once (RFC 7239, 4).
      if (key in element) return undefined;
      element[key] = token ?? (quoted ?? '').replace(/\\(.)/g, '$1');
    }
    if (end === ',') elements.push({});
  }
  return elements.filter((element) => Object.keys(element).length > 0);
}

/**
 * Matches one pair and what ends it, or only an end: lists may have empty elements (RFC 9110,
 * 5.6.1). Unquoted values may have colons and brackets, which some proxies forget to quote.
 */
const PAIR =
  /[ \t]*(?:([!#$%&'*+.^_`|~\w-]+)=(?:([!#$%&'*+.^_`|~\w:[\]-]+)|"((?:[^"\\]|\\.)*)"))?[ \t]*([;,]|$)/gy;
