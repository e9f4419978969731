import { defineConfig } from 'vitest/config';
import { CLUSTER } from './test/support/project/groups.ts';
import base from './vitest.config.ts';

/**
 * Tests on real NATS servers, on hosts of a network, and the recipes of faults: `npm run
 * test:cluster`. With `ALL_RUNS=most` they run in full and write `docs/cluster-results.md`.
 */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    // Each file has servers of its own, which need the machine.
    maxWorkers: 1,
    fileParallelism: false,
    projects: [
      {
        extends: true,
        test: { name: 'cluster', include: [CLUSTER], testTimeout: 300_000, hookTimeout: 60_000 },
      },
    ],
  },
});
