import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os';
import { resolve } from 'node:path';
import type { Bench } from './context.ts';
import type { Machine } from './results.ts';

/** Describes the conditions besides the program on which a figure depends. */
export function describeMachine(dataDirectory: string): Machine {
  const [loadBefore = 0] = loadavg();
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryBytes: totalmem(),
    kernel: release(),
    node: process.version,
    fileSystem: fileSystemOf(dataDirectory),
    loadBefore,
  };
}

/** The type of the mount with the longest path that holds the directory. */
function fileSystemOf(directory: string): string {
  const path = resolve(directory);
  const mounts = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .map(([device = '', at = '', type = '']) => ({ device, at, type }))
    .filter(({ at }) => at !== '' && (path === at || path.startsWith(at === '/' ? at : `${at}/`)));
  const [mount] = mounts.toSorted((one, other) => other.at.length - one.at.length);
  return mount?.type ?? 'unknown';
}

/** In memory nothing is ever synced, and durable figures would be those of another machine. */
export function noteOfMemory({ note }: Pick<Bench, 'note'>): void {
  if (fileSystemOf(tmpdir()) === 'tmpfs') {
    note('The temporary directory is in memory: syncs cost nothing there.');
  }
}

interface Commit {
  readonly commit: string;
  readonly isChanged: boolean;
}

/** Returns the commit that is measured, or `unknown` for a copy without git. */
export function currentCommit(): Commit {
  try {
    const commit = git('rev-parse', '--short=12', 'HEAD');
    return { commit, isChanged: git('status', '--porcelain', '--untracked-files=no') !== '' };
  } catch {
    return { commit: 'unknown', isChanged: false };
  }
}

const git = (...parameters: readonly string[]) =>
  execFileSync('git', parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
