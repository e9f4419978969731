import { table } from '../table.ts';

export interface PlaygroundRow {
  readonly name: string;
  /** As lexers call it. */
  readonly language: string;
  /** RFC 6570, with the one variable `code`. */
  readonly urlTemplate: string;
}

/** By id: all of them are told together, and there are few. */
export const realmPlaygrounds = table<[playgroundId: number], PlaygroundRow>('realm_playgrounds', [
  'name',
  'language',
  'urlTemplate',
]);
