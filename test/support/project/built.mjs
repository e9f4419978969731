import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// JavaScript, so that `.ci/run` can build once for all of its runs of tests.

const ROOT = resolve(import.meta.dirname, '../../..');

/** Returns the folder whose build is loaded by this run and by others, if somebody made one. */
// biome-ignore lint/style/noProcessEnv: it is for the run of the tests, and no setting.
export const builtBefore = () => process.env.TESTS_BUILT;

/** Returns the folder where a run is to leave the build that it makes, if somebody wants it. */
// biome-ignore lint/style/noProcessEnv: the same.
export const keptBuild = () => process.env.KEPT_BUILD;

/**
 * Programs that a server starts. One within a test starts them from the bundle, in half of the
 * time: each would load hundreds of modules by itself otherwise.
 */
const PROGRAMS = [
  'src/backups/verify-process.js',
  'src/checks/check-store.js',
  'src/cluster/versions/migrate-process.js',
  'src/gateways/gateway.js',
  'src/workers/incoming/read-mail.js',
];

function leadToBundle(dist) {
  for (const program of PROGRAMS) {
    const file = join(dist, program);
    const bundled = join(dist, 'bundle', basename(program));
    for (const each of [file, bundled]) if (!existsSync(each)) throw new Error(`no ${each}`);
    writeFileSync(file, `import ${JSON.stringify(relative(dirname(file), bundled))};\n`);
  }
}

/**
 * Builds the server for tests into a folder of the project. Types are checked by `npm run types`,
 * for the tests as well: here that would be two thirds of the time. The build of `npm run build` is
 * copied where one is given.
 */
export function buildInto(dist, before) {
  const run = (program, ...words) => execFileSync(program, words, { cwd: ROOT, stdio: 'inherit' });
  const compiler = join(ROOT, 'node_modules/.bin/tsc');
  if (before === undefined) run(compiler, '-p', 'tsconfig.json', '--noCheck', '--outDir', dist);
  else cpSync(join(ROOT, before), dist, { recursive: true });
  // The compiler leaves the scripts and styles of pages where they are.
  const pages = 'src/endpoints/pages/api/browser';
  cpSync(join(ROOT, pages), join(dist, pages), { recursive: true });
  run(process.execPath, join(ROOT, 'src/bundle.mjs'), join(dist, 'bundle'));
  leadToBundle(dist);
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  buildInto(resolve(process.argv[2]), process.argv[3]);
