import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import type { TestProject } from 'vitest/node';
// biome-ignore lint/correctness/useImportExtensions: its types are beside it, in a file of another name.
import { buildInto, builtBefore, keptBuild } from './built.mjs';

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
 * under each other. CI has one build for all of its runs; `KEPT_BUILD` names a folder for one that
 * is made here, and stays.
 */
export function setup({ provide }: TestProject) {
  const built = builtBefore() ?? shared.builtForTests;
  if (built !== undefined) return provide('dist', built);
  const kept = keptBuild();
  const dist = kept ?? resolve(import.meta.dirname, `../../../dist-test-${process.pid}`);
  buildInto(dist);
  shared.builtForTests = dist;
  provide('dist', dist);
  if (kept !== undefined) return;
  return () => rmSync(dist, { recursive: true, force: true });
}
