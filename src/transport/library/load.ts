import type * as Sockets from 'uWebSockets.js';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { relinked } from './relink.ts';

const require = createRequire(import.meta.url);

/** The package that is tried first; an operator may put the official release in its place. */
const PACKAGE = 'uWebSockets.js';
/** A build that runs only with Node 20, and with the C libraries of older systems. */
const OLDER_PACKAGE = 'uWebSockets.js-20.30';

/**
 * Every way to load a build of the socket library, newest first; the second is for glibc 2.36 and
 * 2.37.
 */
const WAYS = {
  package: () => require(PACKAGE),
  relinked: () => loadRelinked(),
  older: () => require(OLDER_PACKAGE),
} as const;

export type Way = keyof typeof WAYS;

export interface Loaded {
  readonly way: Way;
  readonly library: typeof Sockets;
}

export class NotNative extends Error {}

/**
 * Loads the first build that runs with this Node and this C library (decision 0145). Throws
 * `NotNative` with the reason of each if none does. Only native builds count: the older package
 * falls back to JavaScript, which is an order of magnitude slower, with no more than a warning.
 */
export function loadLibrary(only?: string): Loaded {
  const reasons: string[] = [];
  for (const way of Object.keys(WAYS) as Way[]) {
    if (only !== undefined && way !== only) continue;
    try {
      const library = WAYS[way]();
      if (isNative(library)) return { way, library };
      reasons.push(`${way}: it is not native`);
    } catch (error) {
      reasons.push(`${way}: ${error instanceof Error ? error.message : error}`);
    }
  }
  throw new NotNative(`no native build of uWebSockets.js loads\n${reasons.join('\n')}`);
}

const isNative = ({ App }: typeof Sockets) =>
  /\[native code\]/.test(Function.prototype.toString.call(App));

/**
 * Writes the relinked copy to a folder that only this user can write, and removes it once it is
 * mapped.
 */
function loadRelinked(): typeof Sockets {
  const { platform, arch, versions } = process;
  const name = `uws_${platform}_${arch}_${versions.modules}.node`;
  const copy = relinked(readFileSync(path.join(path.dirname(require.resolve(PACKAGE)), name)));
  if (copy === undefined) throw new Error('there is nothing to relink');
  const folder = mkdtempSync(path.join(tmpdir(), 'confab-'));
  try {
    const file = path.join(folder, name);
    writeFileSync(file, copy);
    const loaded = { exports: {} as typeof Sockets };
    // All names are resolved now: a missing one is an error here, and would end the process at its
    // first call.
    process.dlopen(loaded, file, constants.dlopen.RTLD_NOW);
    return loaded.exports;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
