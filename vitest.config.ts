import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
// biome-ignore lint/correctness/useImportExtensions: the same.
import { builtBefore, keptBuild } from './test/support/project/built.mjs';
// biome-ignore lint/correctness/useImportExtensions: its types are beside it, in a file of another name.
import { builtServer, EXTERNAL } from './test/support/project/built-server.mjs';
import { CLIENTS, CLUSTER, KILLS, LONG, PAGES, SERVED } from './test/support/project/groups.ts';
import { LongestFirst } from './test/support/project/sequencer.ts';

/**
 * A plain `npm test` leaves out what takes as long as all the rest. `ALL_TESTS=1`, which CI sets, adds
 * it, and so do `ALL_RUNS` and naming a file or a project.
 */
const isInFull =
  // biome-ignore lint/style/noProcessEnv: it is for the run of the tests, and no setting.
  Boolean(process.env['ALL_TESTS'] ?? process.env['ALL_RUNS']) ||
  process.argv.slice(2).some((word) => /^--project|^(?!run$)[^-]/.test(word));

const ROOT = import.meta.dirname;

/** How often a test that fails runs again: in CI once, and `.ci/run` names those that pass then. */
// biome-ignore lint/style/noProcessEnv: it is for the run of the tests, and no setting.
export const RETRY = process.env['RETRY_ONCE'] ? 1 : 0;

/** The folder of the built files of this run; `test/support/project/build.ts` fills it. */
const DIST = builtBefore() ?? keptBuild() ?? join(ROOT, `dist-test-${process.pid}`);

export default defineConfig({
  // Tests load the server as it was built, by the loader of Node: each process that tests would load
  // its 900 modules as sources for five seconds. While vitest watches, it loads the sources.
  resolve: {
    alias: [
      { find: /^@confab\/client$/, replacement: join(ROOT, 'client/src/index.ts') },
      { find: /^@confab\/client\/store$/, replacement: join(ROOT, 'client/src/store/index.ts') },
      { find: /^@confab\/client\/file$/, replacement: join(ROOT, 'client/src/file.ts') },
    ],
  },
  plugins: process.argv.includes('run') ? [builtServer({ root: ROOT, dist: DIST })] : [],
  test: {
    server: { deps: { external: EXTERNAL } },
    // Stack traces name lines of the sources.
    execArgv: ['--enable-source-maps'],
    globalSetup: ['test/support/project/build.ts'],
    pool: 'forks',
    // Files share their modules: a third of the time of a run was loading them again for each.
    isolate: false,
    // One more than there are cores: much of a test is waiting for a disk, or for a server that it started.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // This ends what hangs: on a busy machine a test takes several times as long.
    testTimeout: 60_000,
    expect: { poll: { timeout: 50_000 } },
    retry: RETRY,
    // The group of a file follows from where it lies: `npm test -- --project quick` runs one of them.
    projects: [
      ...(isInFull
        ? [
            // A second try would hide a message that is lost in one of many kills.
            { extends: true as const, test: { name: 'kills', include: KILLS, retry: 0 } },
            { extends: true as const, test: { name: 'long', include: LONG } },
            { extends: true as const, test: { name: 'pages', include: PAGES } },
          ]
        : []),
      {
        extends: true,
        test: {
          name: 'quick',
          include: ['test/**/*.test.ts'],
          exclude: [CLIENTS, CLUSTER, ...LONG, ...SERVED],
        },
      },
      {
        extends: true,
        test: {
          name: 'served',
          include: SERVED,
          exclude: [CLIENTS, CLUSTER, ...KILLS, ...LONG, ...PAGES],
        },
      },
    ],
  },
});
