/** An entity tag (RFC 9110) made of letters, digits, `-` and `_`. */
export const tagOf = (text: string): string => `"${text}"`;

/**
 * Tests an `If-None-Match` header, a list of tags, some of them weak: true if the client has the
 * content of this tag.
 */
export const isOneOf = (header: string, tag: string): boolean =>
  header !== '' &&
  (header.trim() === '*' ||
    header.split(',').some((item) => item.trim().replace(/^W\//, '') === tag));
