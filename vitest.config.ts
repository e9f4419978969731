import { dirname, join, relative, resolve } from 'node:path';
import { defineConfig, type Plugin } from 'vitest/config';

/** Tests that kill a server, or start one again and again, and one that waits: they begin first. */
const KILLS = [
  'test/scenarios/kills/**/*.test.ts',
  'test/transport/slow-bodies.test.ts',
  'test/scenarios/events/resume-is-exact.test.ts',
  'test/scenarios/requests/resumable-upload.test.ts',
];

/** Tests that talk to a server over its sockets or start processes, and the slow ones of other folders. */
const SERVED = [
  'test/{admin,backups,bench,endpoints,scenarios,transport}/**/*.test.ts',
  'test/**/*.slow.test.ts',
];

/** They need what comes from registries: vitest.clients.config.ts. */
const CLIENTS = 'test/clients/**';

const ROOT = import.meta.dirname;

/** The folder of the built files of this run; `test/support/build.ts` fills it. */
const DIST = join(ROOT, `dist-test-${process.pid}`);

/**
 * Tests load the server as it was built, by the loader of Node: each process that tests would load
 * its 900 modules as sources for five seconds. While vitest watches, it loads the sources.
 */
const builtServer: Plugin = {
  name: 'built-server',
  enforce: 'pre',
  resolveId(source, importer) {
    if (importer === undefined || !source.startsWith('.') || !source.endsWith('.ts')) return null;
    const path = relative(ROOT, resolve(dirname(importer), source));
    if (!/^(src|actors|storage|bench)\//.test(path)) return null;
    return join(DIST, path.replace(/ts$/, 'js'));
  },
};

export default defineConfig({
  plugins: process.argv.includes('run') ? [builtServer] : [],
  test: {
    server: { deps: { external: [/\/dist-test-/] } },
    // Stack traces name lines of the sources.
    execArgv: ['--enable-source-maps'],
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
