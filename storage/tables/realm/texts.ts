import { table } from '../../table.ts';

export interface LinkifierRow {
  readonly id: number;
  /** A Python regular expression. */
  readonly pattern: string;
  /** RFC 6570. */
  readonly urlTemplate: string;
}

/** Linkifiers by place, from 1: they are applied in this order, and there are few of them. */
export const linkifiers = table<[place: number], LinkifierRow>('linkifiers', [
  'id',
  'pattern',
  'urlTemplate',
]);

export interface PlaygroundRow {
  readonly name: string;
  /** The name that lexers use for the language. */
  readonly language: string;
  /** RFC 6570, with the one variable `code`. */
  readonly urlTemplate: string;
}

/** Playgrounds by id: all of them are told together, and there are few. */
export const realmPlaygrounds = table<[playgroundId: number], PlaygroundRow>('realm_playgrounds', [
  'name',
  'language',
  'urlTemplate',
]);

/** Mail domains that new accounts may have, in lower case, when the organization restricts them. */
export const realmDomains = table<[domain: string], { readonly allowsSubdomains: boolean }>(
  'realm_domains',
  ['allowsSubdomains'],
);
