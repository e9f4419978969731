import { SITE as PLAIN_SITE } from '../../bench/stores/realm.ts';
import { GRAVATAR_URL } from '../../src/domain/rules/people/gravatar.ts';
import type { Site } from '../../src/operations/access/caller.ts';

/** Where operations run that a test calls without a server: nothing is turned off. */
export const SITE: Site = {
  ...PLAIN_SITE,
  isWebPublic: true,
  showsPreviews: true,
  gravatarUrl: GRAVATAR_URL,
};
