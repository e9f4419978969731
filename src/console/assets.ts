import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the page in the forms that a browser may take. */
export interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  readonly brotli: Buffer;
  readonly gzip: Buffer;
}

export interface Assets {
  /** The document, which names the other files. */
  readonly page: Asset;
  /** The address of the style, for pages without a script. */
  readonly style: string;
  at(path: string): Asset | undefined;
}

/** `src/bundle.mjs` puts the files beside the program. */
const FOLDER = fileURLToPath(new URL('./console', import.meta.url));

/** The list of files that the build writes: their addresses and types. */
interface Listed {
  readonly style: string;
  readonly files: Readonly<Record<string, { readonly type: string }>>;
}

/** Reads all files of the page, some tens of kilobytes; throws if it was not built. */
export function readAssets(folder = FOLDER): Assets {
  const read = (name: string) => readFileSync(join(folder, name));
  const { style, files }: Listed = JSON.parse(read('manifest.json').toString()) as Listed; // the build's own
  const assets = new Map(
    Object.entries(files).map(([name, { type }]) => [
      name,
      { type, plain: read(name), brotli: read(`${name}.br`), gzip: read(`${name}.gz`) },
    ]),
  );
  const page = assets.get('index.html');
  if (page === undefined) throw new Error('the console has no page');
  return { page, style, at: (path) => assets.get(path) };
}

/** Returns the smallest form that the browser takes. */
export function formOf(asset: Asset, accepts: string | undefined) {
  const taken = new Set((accepts ?? '').split(',').map((coding) => coding.split(';')[0]?.trim()));
  if (taken.has('br')) return { body: asset.brotli, coding: 'br' };
  if (taken.has('gzip')) return { body: asset.gzip, coding: 'gzip' };
  return { body: asset.plain, coding: null };
}
