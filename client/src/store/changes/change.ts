import type { EventKind } from '../../calls.ts';
import type { Events } from '../../generated/api.ts';
import type { Contents } from '../contents.ts';
import type { Section } from '../sections.ts';

/** Does what an event of a kind says, and returns the sections that it changed. */
export type Changes = {
  readonly [Kind in EventKind]?: (state: Contents, event: Events[Kind]) => readonly Section[];
};

export const NOTHING: readonly Section[] = [];

/** Returns the object with the changed fields, which are those of the object. */
export const changed = <Item extends object>(item: Item, change: object): Item => ({
  ...item,
  ...change,
});
