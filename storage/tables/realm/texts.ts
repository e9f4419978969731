import { table } from '../../table.ts';

export interface LinkifierRow {
  readonly id: number;
  /** A Python regular expression. */
  readonly pattern: string;
  /** RFC 6570. */
  readonly urlTemplate: string;
}

/** Linkifiers by place, from 1: they are applied in this order, and there are few of them. */
export const linkifiers = table<[place: number], LinkifierRow>(
  'linkifiers',
  ['id', 'pattern', 'urlTemplate'],
  {
    audited: [
      {
        kind: 'linkifier',
        target: (_key, { id }) => id,
        values: ({ pattern, urlTemplate }, [place]) => ({
          pattern,
          url_template: urlTemplate,
          place,
        }),
      },
    ],
  },
);

export interface PlaygroundRow {
  readonly name: string;
  /** The name that lexers use for the language. */
  readonly language: string;
  /** RFC 6570, with the one variable `code`. */
  readonly urlTemplate: string;
}

/** Playgrounds by id: all of them are told together, and there are few. */
export const realmPlaygrounds = table<[playgroundId: number], PlaygroundRow>(
  'realm_playgrounds',
  ['name', 'language', 'urlTemplate'],
  {
    audited: [
      {
        kind: 'playground',
        target: ([playgroundId]) => playgroundId,
        values: ({ name, language, urlTemplate }) => ({
          name,
          pygments_language: language,
          url_template: urlTemplate,
        }),
      },
    ],
  },
);

/** Mail domains that new accounts may have, in lower case, when the organization restricts them. */
export const realmDomains = table<[domain: string], { readonly allowsSubdomains: boolean }>(
  'realm_domains',
  ['allowsSubdomains'],
  {
    audited: [
      {
        kind: 'domain',
        target: ([domain]) => domain,
        values: ({ allowsSubdomains }) => ({ allow_subdomains: allowsSubdomains }),
      },
    ],
  },
);
