import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the built files. */
    readonly dist: string;
  }
}

/** Each project of a run loads this file by itself, in the same process: the first one builds. */
const shared = globalThis as { builtForTests?: string };

/**
 * Tests that kill the server run it as a process of its own, and Node 20 runs no TypeScript: it is
 * built first, into a folder of this run only, so that two runs at once do not pull the files from
 * under each other.
 */
export function setup({ provide }: TestProject) {
  if (shared.builtForTests !== undefined) return provide('dist', shared.builtForTests);
  const dist = resolve(import.meta.dirname, `../../../dist-test-${process.pid}`);
  const compiler = resolve(import.meta.dirname, '../../../node_modules/.bin/tsc');
  // Types are checked by `npm run types`, for the tests as well: here that would be two thirds of
  // the time.
  const how = ['-p', 'tsconfig.json', '--noCheck', '--outDir', dist];
  execFileSync(compiler, how, { stdio: 'inherit' });
  // The compiler leaves the scripts and styles of pages where they are.
  const pages = 'src/endpoints/pages/api/browser';
  const root = resolve(import.meta.dirname, '../../..');
  cpSync(join(root, pages), join(dist, pages), { recursive: true });
  const bundler = resolve(import.meta.dirname, '../../../src/bundle.mjs');
  execFileSync(process.execPath, [bundler, join(dist, 'bundle')], { stdio: 'inherit' });
  shared.builtForTests = dist;
  provide('dist', dist);
  return () => rmSync(dist, { recursive: true, force: true });
}
