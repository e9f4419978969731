/** An entity tag (RFC 9110) made of letters, digits, `-` and `_`. */
export const tagOf = (text: string): string => `"${text}"`;

/** Whether the client has what this tag stands for, by its `If-None-Match`: a list of tags, some of them weak. */
export const isOneOf = (header: string, tag: string): boolean =>
  header !== '' &&
  (header.trim() === '*' ||
    header.split(',').some((item) => item.trim().replace(/^W\//, '') === tag));
