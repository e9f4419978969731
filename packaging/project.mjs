import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the project. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

export const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** An option for busy servers (docs/decisions/0156-young-generation.md). */
export const NODE_OPTION = '--max-semi-space-size=32';

/** Runs a program to its end and returns what it prints. */
export function run(program, args, options = {}) {
  const { status, error, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    ...options,
  });
  if (status === 0) return stdout;
  const why = error?.message ?? `exit ${status}\n${stdout}${stderr}`;
  throw new Error(`${program} ${args.join(' ')}: ${why}`);
}

/** Returns the path of a file of this folder. */
export const packagingFile = (name) => join(ROOT, 'packaging', name);
