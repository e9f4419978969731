import { SITE as PLAIN_SITE } from '../../bench/stores/realm.ts';
import { readSettings } from '../../src/config.ts';
import type { Site } from '../../src/operations/access/caller.ts';

/** The site of operations that a test calls without a server: nothing is turned off. */
export const SITE: Site = { ...PLAIN_SITE, settings: readSettings({}) };
