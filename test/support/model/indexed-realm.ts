import * as searchIndex from '../../../src/operations/search/index.ts';
import type { ModelledRealm } from './modelled-realm.ts';

/**
 * These sizes are so small that a few messages make everything that there can be: several levels,
 * merges in many steps, pieces of text.
 */
export const TINY: searchIndex.Sizes = {
  messages: 3,
  segmentsMerged: 2,
  levelMax: 3,
  characters: 400,
  idsMerged: 5,
  rowsRemoved: 2,
};

/** Makes a step that reads what it needs itself. Returns whether there was work. */
export const worked = (realm: ModelledRealm) =>
  realm.run((tx) => searchIndex.step(tx, { sizes: TINY }));

/** Reads a message of the next segment. Returns whether a step has nothing to wait for. */
export const prepared = ({ reader }: ModelledRealm) =>
  searchIndex.prepare(reader, { sizes: TINY, clockMs: everLater() });

/** Makes a step as a realm does it: with the segment that was read before, be it whole or not. */
export const workedPrepared = (realm: ModelledRealm) =>
  realm.run((tx) =>
    searchIndex.step(tx, { sizes: TINY, prepared: searchIndex.preparedIn(realm.reader) }),
  );

/** A clock that is a millisecond later each time. */
export const everLater = () => {
  let now = 0;
  return () => now++;
};
