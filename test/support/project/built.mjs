import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// JavaScript, so that `.ci/run` can build once for all of its runs of tests.

const ROOT = resolve(import.meta.dirname, '../../..');

/** Returns the folder whose build is loaded by this run and by others, if somebody made one. */
// biome-ignore lint/style/noProcessEnv: it is for the run of the tests, and no setting.
export const builtBefore = () => process.env.TESTS_BUILT;

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
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  buildInto(resolve(process.argv[2]), process.argv[3]);
