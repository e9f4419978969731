import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Types of the files of the pages. The files are in a folder beside this one, or the bundle. */
const TYPES = {
  'frame.css': 'text/css; charset=utf-8',
  'content.css': 'text/css; charset=utf-8',
  'controls.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'trying.js': 'text/javascript; charset=utf-8',
  'elements.js': 'text/javascript; charset=utf-8',
} as const;

type AssetName = keyof typeof TYPES;

export interface Asset {
  readonly contentType: string;
  readonly body: Uint8Array;
}

interface Assets {
  /** Changes with any of the files, so that no browser puts an older script to a newer page. */
  readonly folder: string;
  readonly byPath: ReadonlyMap<string, Asset>;
}

let read: Assets | undefined;

/** Reads the files at the first use. */
function assets(): Assets {
  if (read !== undefined) return read;
  const hashing = createHash('sha256');
  const files = Object.entries(TYPES).map(([name, contentType]) => {
    const body = readFileSync(new URL(`browser/${name}`, import.meta.url));
    hashing.update(body);
    return { name, contentType, body };
  });
  const folder = `api-${hashing.digest('base64url').slice(0, 12)}`;
  const byPath = new Map(files.map(({ name, ...file }) => [`${folder}/${name}`, file]));
  read = { folder, byPath };
  return read;
}

/** Returns the file at this path below `/static/`. */
export const assetAt = (path: string): Asset | undefined =>
  path.startsWith('api-') ? assets().byPath.get(path) : undefined;

/** Returns the address of a file. */
export const addressOf = (name: AssetName): string => `/static/${assets().folder}/${name}`;
