import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';

/** Whether there is a C compiler; `.ci/run` installs one, a machine with Node alone goes without the tests that need it. */
export const hasCompiler = spawnSync('cc', ['--version']).status === 0;

/** Compiles `fixtures/failing-sync.c`; syncs fail or wait while `trigger` exists, as the variable given to it says. */
export function buildSyncShim(): { library: string; trigger: string } {
  const folder = mkdtempSync(join(tmpdir(), 'confab-shim-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const library = join(folder, 'failing-sync.so');
  const source = resolve(import.meta.dirname, '../../fixtures/failing-sync.c');
  execFileSync('cc', ['-shared', '-fPIC', '-o', library, source, '-ldl']);
  return { library, trigger: join(folder, 'on') };
}
