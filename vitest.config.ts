import { defineConfig } from 'vitest/config';

/** Tests that kill a server, or start one again and again, and one that waits: they begin first. */
const KILLS = [
  'test/scenarios/kills/**/*.test.ts',
  'test/transport/slow-bodies.test.ts',
  'test/scenarios/events/resume-is-exact.test.ts',
  'test/scenarios/requests/resumable-upload.test.ts',
];

/** Tests that talk to a server over its sockets or start processes, and the slow ones of other folders. */
const SERVED = [
  'test/{admin,backups,bench,console,endpoints,scenarios,transport}/**/*.test.ts',
  'test/**/*.slow.test.ts',
];

/** They need what comes from registries: vitest.clients.config.ts. */
const CLIENTS = 'test/clients/**';

export default defineConfig({
  test: {
    globalSetup: ['test/support/build.ts'],
    pool: 'forks',
    // Files share their modules: a third of the time of a run was loading them again for each.
    isolate: false,
    // One more than there are cores: much of a test is waiting for a disk, or for a server that it started.
    maxWorkers: 3,
    // This ends what hangs: on a busy machine a test takes several times as long.
    testTimeout: 60_000,
    expect: { poll: { timeout: 50_000 } },
    // The group of a file follows from where it lies: `npm test -- --project quick` runs one of them.
    projects: [
      { extends: true, test: { name: 'kills', include: KILLS } },
      {
        extends: true,
        test: { name: 'quick', include: ['test/**/*.test.ts'], exclude: [CLIENTS, ...SERVED] },
      },
      { extends: true, test: { name: 'served', include: SERVED, exclude: [CLIENTS, ...KILLS] } },
    ],
  },
});
