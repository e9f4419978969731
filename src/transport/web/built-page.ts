import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_PAGE_BYTES_MAX } from '../../domain/limits/requests.ts';
import { type Coding, codingFor } from '../answers/content-codings.ts';

/** A file of a page in the forms that a browser may take. */
export interface BuiltFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly brotli: Buffer;
  readonly gzip: Buffer;
}

/** A page of ours, as `src/bundle-page.mjs` has written it. */
export interface BuiltPage {
  /** The document, which names the other files. */
  readonly document: BuiltFile;
  /** The address of the style below the page. */
  readonly style: string;
  /** The address of the script, and of those that it imports at once. */
  readonly scripts: readonly string[];
  /** Returns a file by its address below the page. */
  at(path: string): BuiltFile | undefined;
}

/** The list of files that the build writes: their addresses, types and bytes. */
interface Manifest {
  readonly style: string;
  readonly script: string;
  readonly parts: readonly string[];
  readonly files: Readonly<Record<string, Listed>>;
}

interface Listed {
  readonly type: string;
  readonly bytes: number;
  readonly brotli: number;
  readonly gzip: number;
}

/** Returns the path of the file that a build of a page writes last. */
export const manifestIn = (folder: string) => join(folder, 'manifest.json');

/** Reads all files of a page, some tens of kilobytes; throws if it was not built. */
export function readPage(folder: string): BuiltPage {
  const read = (name: string) => readFileSync(join(folder, name));
  const manifest = JSON.parse(readFileSync(manifestIn(folder), 'utf8')) as Manifest; // the build's own
  const { style, script, parts, files } = manifest;
  if (bytesOf(files) > BUILT_PAGE_BYTES_MAX) {
    throw new Error(`the files of ${folder} have more than ${BUILT_PAGE_BYTES_MAX} bytes`);
  }
  const byAddress = new Map(
    Object.entries(files).map(([name, { type }]) => [
      name,
      { type, plain: read(name), brotli: read(`${name}.br`), gzip: read(`${name}.gz`) },
    ]),
  );
  const document = byAddress.get('index.html');
  if (document === undefined) throw new Error(`the page of ${folder} has no document`);
  return { document, style, scripts: [script, ...parts], at: (path) => byAddress.get(path) };
}

const bytesOf = (files: Manifest['files']) =>
  Object.values(files).reduce((sum, { bytes, brotli, gzip }) => sum + bytes + brotli + gzip, 0);

/** The bytes of a file in one coding. */
export interface Form {
  readonly body: Buffer;
  readonly coding: Coding | null;
}

/** Returns the form of a file that a browser wants most by its `Accept-Encoding`. */
export function formOf(file: BuiltFile, acceptEncoding: string): Form {
  const coding = codingFor(acceptEncoding);
  if (coding === 'br') return { body: file.brotli, coding };
  if (coding === 'gzip') return { body: file.gzip, coding };
  return { body: file.plain, coding: null };
}
