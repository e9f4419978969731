import { defineConfig } from 'vitest/config';
import { RETRY } from './vitest.config.ts';

/** The clients that people run, against a built server: `npm run test:clients`. They come from their registries. */
export default defineConfig({
  test: {
    include: ['test/clients/**/*.test.ts'],
    globalSetup: ['test/support/project/build.ts', 'test/clients/install.ts'],
    pool: 'forks',
    maxWorkers: 3,
    // Clients pause for seconds before they call again, and a terminal draws when it likes to.
    testTimeout: 60_000,
    retry: RETRY,
  },
});
