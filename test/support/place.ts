import { PLACE as PLAIN_PLACE } from '../../bench/stores/realm.ts';
import { GRAVATAR_URL } from '../../src/domain/rules/people/gravatar.ts';
import type { Place } from '../../src/operations/access/caller.ts';

/** Where operations run that a test calls without a server: nothing is turned off. */
export const PLACE: Place = {
  ...PLAIN_PLACE,
  isWebPublic: true,
  showsPreviews: true,
  gravatarUrl: GRAVATAR_URL,
};
