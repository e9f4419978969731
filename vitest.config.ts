import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    pool: 'forks',
    // Files share their modules: a third of the time of a run was loading them again for each.
    isolate: false,
    testTimeout: 20_000,
  },
});
