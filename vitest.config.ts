import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // They need what comes from registries: vitest.clients.config.ts.
    exclude: ['test/clients/**'],
    globalSetup: ['test/support/build.ts'],
    pool: 'forks',
    // Files share their modules: a third of the time of a run was loading them again for each.
    isolate: false,
    // One more than there are cores: much of a test is waiting for a disk, or for a server that it started.
    maxWorkers: 3,
    // For what hangs alone: a test on a busy machine takes ten times as long, and is right all the same.
    testTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
