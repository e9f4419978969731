import { defineConfig } from 'vitest/config';
import { CLUSTER } from './test/support/project/groups.ts';
import base from './vitest.config.ts';

// biome-ignore lint/style/noProcessEnv: it is for the run of the tests, and no setting.
const isInFull = process.env['ALL_RUNS'] === 'most';

/**
 * Tests on real NATS servers, on hosts of a network, and the recipes of faults: `npm run
 * test:cluster`. With `ALL_RUNS=most` they run in full and write `docs/cluster-results.md`.
 */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    // Each file has servers of its own. They mostly wait, so two go together, except for figures.
    maxWorkers: isInFull ? 1 : 2,
    fileParallelism: !isInFull,
    projects: [
      {
        extends: true,
        test: { name: 'cluster', include: [CLUSTER], testTimeout: 300_000, hookTimeout: 60_000 },
      },
    ],
  },
});
