import { ArchiveError } from '../../../archives/archive-error.ts';
import { type Place, type SkippedRow, skipped } from '../../history.ts';
import { jsonElements } from '../../json-documents.ts';
import { JsonStreamError } from '../../json-stream.ts';
import type { ArchiveSource } from '../../sources/archive-source.ts';
import { type Fields, fieldsOf, rowOf } from '../shared/fields.ts';

/** A row of a table of the export, or a row that says why there is none. */
export type Found =
  | { readonly table: string; readonly row: Fields }
  | { readonly skipped: SkippedRow };

/**
 * Reads rows of the tables of a document, in the order of the document. A document that ends early
 * gives the rows before its end, and says so.
 */
export async function* tableRows(
  archive: ArchiveSource,
  entry: string,
  tables: readonly string[],
): AsyncGenerator<Found> {
  let count = 0;
  try {
    const paths = tables.map((table) => `$.${table}.*`);
    for await (const element of jsonElements(await archive.open(entry), paths)) {
      count += 1;
      const table = String(element.within ?? 'table');
      const row = 'why' in element ? null : fieldsOf(element.value);
      const why = 'why' in element ? element.why : 'It is no row.';
      if (row !== null) yield { table, row };
      else yield odd({ file: entry, row: String(count) }, table, why);
    }
  } catch (error) {
    if (!(error instanceof JsonStreamError)) throw error;
    yield odd({ file: entry, row: `${count + 1}-` }, 'rest of the file', error.message);
  }
}

const odd = (place: Place, what: string, why: string): Found => ({
  skipped: skipped(what.replace('zerver_', ''), place, why),
});

/**
 * Reads a list of rows that is a document of its own; none if the archive does not have it. Broken
 * rows are added to `leftOut`.
 */
export async function* records(
  archive: ArchiveSource,
  entry: string,
  leftOut: SkippedRow[],
): AsyncGenerator<Fields> {
  if (!archive.has(entry)) return;
  try {
    for await (const element of jsonElements(await archive.open(entry), ['$.*'])) {
      if ('why' in element) {
        leftOut.push(skipped('file', { file: entry, row: rowOf(element.key) }, element.why));
        continue;
      }
      const row = fieldsOf(element.value);
      if (row !== null) yield row;
    }
  } catch (error) {
    if (!(error instanceof JsonStreamError)) throw error;
    throw new ArchiveError(`${entry} is damaged: ${error.message}`);
  }
}

/** The files of an export. */
export interface Entries {
  /** The folder in which the export lies, `''` or with a slash at its end. */
  readonly folder: string;
  readonly realm: string;
  readonly messages: readonly string[];
}

/** Finds the files of an export. Throws `ArchiveError` if it is none. */
export function entriesOf(archive: ArchiveSource): Entries {
  const realm = archive
    .names()
    .filter((name) => /(?:^|\/)realm\.json$/.test(name))
    .sort((one, other) => one.length - other.length)[0];
  if (realm === undefined)
    throw new ArchiveError('This is no export of Zulip: it has no file realm.json.');
  const folder = realm.slice(0, -'realm.json'.length);
  const messages = archive
    .names()
    .filter((name) => name.startsWith(folder))
    .filter((name) => /^messages-\d+\.json$/.test(name.slice(folder.length)))
    .sort((one, other) => one.length - other.length || (one < other ? -1 : 1));
  return { folder, realm, messages };
}
