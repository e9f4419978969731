import { defineConfig } from 'vitest/config';
import { CLIENTS } from './test/support/project/groups.ts';
import base from './vitest.config.ts';

/** The clients that people run, against a built server: `npm run test:clients`. They come from their registries. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    globalSetup: ['test/support/project/build.ts', 'test/clients/install.ts'],
    projects: [
      {
        extends: true,
        // Clients pause for seconds before they call again, and a terminal draws when it likes to.
        test: { name: 'clients', include: [`${CLIENTS}/*.test.ts`], testTimeout: 60_000 },
      },
    ],
  },
});
