import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import type * as Sockets from '@btc-vision/uwebsockets.js';
import { buildOf, fileNameFor, NEWER, OFFICIAL_PACKAGE, OLDER } from './packages.ts';
import { NotNative, refusalOf, type System, thisSystem } from './refusals.ts';
import { relinked } from './relink.ts';

export type Way = 'official' | 'newer' | 'relinked' | 'older';

export interface Loaded {
  readonly way: Way;
  /** The package and its version, for the log. */
  readonly name: string;
  readonly library: typeof Sockets;
}

/** The place and the system to load for; tests give others than those of this process. */
export interface Circumstances {
  /** The file from which packages are searched for. */
  readonly from: string;
  readonly system: System;
}

/**
 * Loads the socket library (decision 0176): the official release if an operator has installed it,
 * or else the first build of the packages that loads here. Throws `NotNative` if there is none,
 * with what to do.
 */
export function loadLibrary(only?: string, circumstances?: Partial<Circumstances>): Loaded {
  const { from, system } = { from: import.meta.url, system: thisSystem(), ...circumstances };
  const require = createRequire(from);
  if (only === undefined || only === 'official') {
    const official = loadOfficial(require, system);
    if (official !== undefined) return official;
  }
  const reasons: string[] = [];
  for (const way of ['newer', 'relinked', 'older'] as const) {
    if (only !== undefined && only !== way) continue;
    try {
      return loadRepublished(require, system, way);
    } catch (error) {
      if (error instanceof NotNative) throw error;
      reasons.push(`${way}: ${messageOf(error)}`);
    }
  }
  throw new NotNative(refusalOf(system, reasons));
}

/**
 * Returns undefined if it is not installed. If it is and does not load, nothing takes its place:
 * who installed it may not want to run what others publish.
 */
function loadOfficial(require: NodeJS.Require, system: System): Loaded | undefined {
  const installed = findPackage(require, OFFICIAL_PACKAGE);
  if (installed === undefined) return undefined;
  const { folder, name } = installed;
  try {
    return { way: 'official', name, library: loadOrRelink(require, folder, system) };
  } catch (error) {
    const [why] = messageOf(error).split('\n');
    throw new NotNative(
      `${name}, which is installed in place of confab's own packages, does not load with Node ` +
        `${system.node}: ${why} Install another release of it, or remove ${folder}.`,
    );
  }
}

/** Throws the error of the file as it is if the relinked copy does not load, either. */
function loadOrRelink(require: NodeJS.Require, folder: string, system: System): typeof Sockets {
  try {
    return require(folder) as typeof Sockets;
  } catch (error) {
    try {
      return loadRelinked(readFileSync(path.join(folder, fileNameFor(system))));
    } catch {
      throw error;
    }
  }
}

/**
 * Loads the one file for this system. No other code of the package runs: one of them falls back to
 * a library in JavaScript.
 */
function loadRepublished(
  require: NodeJS.Require,
  system: System,
  way: Exclude<Way, 'official'>,
): Loaded {
  const republished = way === 'older' ? OLDER : NEWER;
  const build = buildOf(republished, system);
  if (build === undefined) throw new Error('it has no build for this system');
  const installed = findPackage(require, build.package);
  if (installed === undefined) throw new Error(`${build.package} is not installed`);
  const file = path.join(installed.folder, build.file);
  const content = readFileSync(file);
  if (createHash('sha256').update(content).digest('hex') !== build.sha256) {
    throw new NotNative(
      `${file} is not the file that this version of confab was tested with. ` +
        'Run `npm ci` to install the packages again.',
    );
  }
  const library = way === 'relinked' ? loadRelinked(content) : (require(file) as typeof Sockets);
  return { way, name: installed.name, library };
}

/**
 * Writes the relinked copy to a folder that only this user can write, and removes it once it is
 * mapped.
 */
function loadRelinked(content: Uint8Array): typeof Sockets {
  const copy = relinked(content);
  if (copy === undefined) throw new Error('there is nothing to relink');
  const folder = mkdtempSync(path.join(tmpdir(), 'confab-'));
  try {
    const file = path.join(folder, 'uws.node');
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

interface Installed {
  readonly folder: string;
  /** The name and version that its manifest gives, as an alias may hide whose it is. */
  readonly name: string;
}

/** Looks where Node does, but for the folder: a package need not let its manifest be loaded. */
function findPackage(require: NodeJS.Require, name: string): Installed | undefined {
  for (const parent of require.resolve.paths(name) ?? []) {
    const folder = path.join(parent, name);
    const manifest = manifestIn(folder);
    if (manifest !== undefined) return { folder, name: `${manifest.name} ${manifest.version}` };
  }
  return undefined;
}

function manifestIn(folder: string): { name: string; version: string } | undefined {
  try {
    return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  } catch {
    return undefined;
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
