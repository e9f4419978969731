import { Readable } from 'node:stream';
import { ArchiveError } from '../../../src/archives/archive-error.ts';
import type { HistoryFormat, HistoryRow, HistoryText } from '../../../src/imports/history.ts';
import type { ArchiveSource } from '../../../src/imports/sources/archive-source.ts';

export type Files = Readonly<Record<string, unknown>>;

/** Text and bytes are written as they are, and all else as JSON. Streams come in small chunks. */
export function archiveOf(files: Files): ArchiveSource {
  const entries = new Map(
    Object.entries(files).map(([name, content]) => {
      if (Buffer.isBuffer(content)) return [name, content] as const;
      const text = typeof content === 'string' ? content : JSON.stringify(content);
      return [name, Buffer.from(text)] as const;
    }),
  );
  const bytesOf = (entry: string): Buffer => {
    const bytes = entries.get(entry);
    if (bytes === undefined) throw new ArchiveError(`There is no ${entry}.`);
    return bytes;
  };
  return {
    names: () => [...entries.keys()].sort(),
    has: (entry) => entries.has(entry),
    size: (entry) => bytesOf(entry).length,
    open: async (entry) => Readable.from(chunksOf(bytesOf(entry))),
    close: async () => {},
  };
}

function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
}

export async function rowsOf(format: HistoryFormat, files: Files): Promise<HistoryRow[]> {
  const rows: HistoryRow[] = [];
  for await (const row of format.read(archiveOf(files), {})) rows.push(row);
  return rows;
}

export const rowsOfKind = <Kind extends HistoryRow['kind']>(
  rows: readonly HistoryRow[],
  kind: Kind,
): Extract<HistoryRow, { kind: Kind }>[] =>
  rows.filter((row): row is Extract<HistoryRow, { kind: Kind }> => row.kind === kind);

/** Shows what is left out: its place, and why. */
export const leftOut = (rows: readonly HistoryRow[]): [place: string, why: string][] =>
  rowsOfKind(rows, 'skipped').map(({ file, row, why }) => [
    row === undefined ? file : `${file}:${row}`,
    why,
  ]);

/** Shows a text as one string; mentions and the like in braces. */
export const shown = (text: HistoryText): string =>
  text.map((piece) => (typeof piece === 'string' ? piece : JSON.stringify(piece))).join('');
