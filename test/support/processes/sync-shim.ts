import { execFileSync, spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { inject } from 'vitest';
import { temporaryFolder } from '../scratch.ts';

/**
 * True if there is a C compiler. `.ci/run` installs one; a machine that has only Node goes without
 * the tests that need it.
 */
export const hasCompiler = spawnSync('cc', ['--version']).status === 0;

/** A library whose syncs fail or wait while `trigger` exists, as the variable given to it says. */
export function buildSyncShim(): { library: string; trigger: string } {
  built ??= build();
  return { library: built, trigger: join(temporaryFolder(), 'on') };
}

let built: string | undefined;

/** Compiles `fixtures/failing-sync.c`, once in a process that tests. */
function build(): string {
  const library = join(inject('dist'), `failing-sync-${process.pid}.so`);
  const source = resolve(import.meta.dirname, '../../fixtures/failing-sync.c');
  execFileSync('cc', ['-shared', '-fPIC', '-o', library, source, '-ldl']);
  return library;
}
