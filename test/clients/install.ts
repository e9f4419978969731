import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * The folder of the programs of the Python clients; null if there is no Python to install them
     * with.
     */
    readonly pythonClients: string | null;
    /** The folder in which the client of npm is installed. */
    readonly javascriptClients: string;
  }
}

const HERE = import.meta.dirname;
// biome-ignore lint/style/noProcessEnv: where a system keeps what can be fetched again.
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'confab-clients');

/**
 * Installs the clients at their pinned versions, once for each set of versions. They are outside of
 * the repository, so that nothing of theirs becomes part of it.
 */
export function setup({ provide }: TestProject) {
  const python = pythonVersion();
  if (python === null) {
    process.stderr.write('No python3 with venv here: the clients in Python are left out.\n');
  }
  provide('pythonClients', python === null ? null : join(installPython(python), 'bin'));
  provide('javascriptClients', installJavascript());
}

const PYTHON_FILES = ['requirements-build.txt', 'requirements.txt'];

function installPython(version: string): string {
  return installed('python', [version, ...PYTHON_FILES.map(contentOf)], (folder) => {
    run('python3', ['-m', 'venv', folder]);
    const pip = (...options: string[]) =>
      run(join(folder, 'bin/python'), ['-m', 'pip', 'install', '--quiet', '--no-deps', ...options]);
    pip('-r', join(HERE, 'requirements-build.txt'));
    // The terminal client says that it needs a Python before 3.11, which few systems have by now;
    // it runs on 3.11.
    pip(
      ...['--use-pep517', '--no-build-isolation', '--ignore-requires-python'],
      ...['-r', join(HERE, 'requirements.txt')],
    );
  });
}

const JAVASCRIPT_FILES = ['javascript/package.json', 'javascript/package-lock.json'];

function installJavascript(): string {
  return installed('javascript', JAVASCRIPT_FILES.map(contentOf), (folder) => {
    for (const file of JAVASCRIPT_FILES)
      copyFileSync(join(HERE, file), join(folder, file.slice(11)));
    run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder]);
  });
}

/**
 * Returns the folder that `install` has filled before for the same contents, or fills it now. The
 * folder gets its name when it is complete: a run that was cut short, or another one at the same
 * time, leaves nothing half done under that name.
 */
function installed(name: string, contents: string[], install: (folder: string) => void): string {
  const hash = createHash('sha256').update(JSON.stringify(contents)).digest('hex').slice(0, 16);
  const complete = join(CACHE, `${name}-${hash}`);
  if (existsSync(complete)) return complete;
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(`${complete}.`);
  try {
    install(folder);
    symlinkSync(folder, complete);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    if (!existsSync(complete)) throw error;
  }
  return complete;
}

function pythonVersion(): string | null {
  try {
    const code = 'import ensurepip, sys, venv; print(sys.version)';
    return execFileSync('python3', ['-c', code], { encoding: 'utf8', stdio: 'pipe' });
  } catch {
    return null;
  }
}

const contentOf = (file: string) => readFileSync(join(HERE, file), 'utf8');

const run = (program: string, args: readonly string[]) =>
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
