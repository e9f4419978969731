/**
 * Groups of the tests, by where their files lie: `vitest.config.ts` makes a project of each. The
 * project `quick` has the rest.
 */

/**
 * Tests that kill a server, or start one again and again, and some that wait. Three are not among
 * them, so that every run shows that what was acknowledged is there afterwards, once.
 */
export const KILLS = [
  'test/scenarios/kills/!(smoke|durable|killed-at-a-sync).test.ts',
  'test/client/kills/*.test.ts',
  'test/transport/slow-bodies.test.ts',
  'test/scenarios/requests/resumable-upload.test.ts',
];

/**
 * Tests that take many seconds each: whole backups, damage of all kinds, full buffers, nodes that
 * copy and migrate, and all that the web client can show.
 */
export const LONG = [
  'test/scenarios/realms/{backups,scheduled-backups,restoring.slow}.test.ts',
  'test/admin/{bundle,check}.test.ts',
  'test/bench/given-up.test.ts',
  'test/cluster/{imported-realms,placement/copies,versions/upgrade}.test.ts',
  'test/endpoints/files/bounds-of-uploads.test.ts',
  'test/expressions.slow.test.ts',
  'test/scenarios/events/slow-reader.test.ts',
  'test/transport/long-polls-behind-proxies.slow.test.ts',
  'test/web/pages/every-view.test.ts',
];

/** Tests of pages in Chromium and Firefox. */
export const PAGES = [
  'test/client/in-browser.test.ts',
  'test/console/{page,cluster-page}.test.ts',
  'test/endpoints/pages/api-pages-in-browser.test.ts',
  'test/sign-in/{providers,second-step/web-client}.test.ts',
  'test/push/browser.test.ts',
  'test/web/{pages,stories}/**/!(every-view).test.ts',
  'test/transport/web/web-client-in-browser.test.ts',
  'test/endpoints/sessions/sessions-in-browser.test.ts',
];

/**
 * Tests of pages in Firefox come one after the other, before those in Chromium alone: a Firefox
 * without pages still takes a twentieth of a processor, so that it is ended after the last of them.
 */
export const IN_FIREFOX =
  /^test\/(?:sign-in|web\/pages\/firefox|web\/stories\/(?:attacks|interrupted|invited|offline|tabs|talking))/;

/**
 * Tests that talk to a server over its sockets or start processes, and the slow ones of other
 * folders.
 */
export const SERVED = [
  'test/{admin,backups,bench,console,endpoints,scenarios,scim,sign-in,transport}/**/*.test.ts',
  'test/web/{compose/uploads,feed/exact-feeds,pages/**/*,store/app,stories/**/*}.test.ts',
  'test/push/browser.test.ts',
  'test/client/{*,kills/*}.test.ts',
  'test/**/*.slow.test.ts',
];

/** Files that take a minute and more, of which some only wait: `sequencer.ts` begins with them. */
export const FIRST: readonly string[] = [
  'test/scenarios/gateways/faulty-gateways.test.ts',
  'test/scenarios/gateways/killed.test.ts',
  'test/transport/long-polls-behind-proxies.slow.test.ts',
  'test/web/feed/exact-feeds.test.ts',
  'test/web/pages/every-view.test.ts',
];

/** Tests that need what comes from registries: vitest.clients.config.ts runs them. */
export const CLIENTS = 'test/clients/**';

/** Tests on NATS servers and on hosts of a network: vitest.cluster.config.ts runs them. */
export const CLUSTER = 'test/cluster/{nats,machines,recipes}/**/*.test.ts';
