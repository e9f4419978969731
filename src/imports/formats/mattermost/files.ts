import type { FileReference } from '../../history.ts';
import type { ArchiveSource } from '../../sources/archive-source.ts';
import { textOf } from '../shared/fields.ts';

/**
 * Finds a file by the path that the export gives: within the folder `data`, or from the folder of
 * the file of lines. Returns null if the archive does not have it.
 */
export function fileAt(
  { archive, entry }: { archive: ArchiveSource; entry: string },
  path: unknown,
  name?: string,
): FileReference | null {
  const wanted = textOf(path)
    .replaceAll('\\', '/')
    .replace(/^(?:\.?\/)+/, '');
  if (wanted === '') return null;
  const folder = entry.slice(0, entry.lastIndexOf('/') + 1);
  const found = [`${folder}data/${wanted}`, folder + wanted, wanted].find((candidate) =>
    archive.has(candidate),
  );
  if (found === undefined) return null;
  return { entry: found, name: name ?? found.slice(found.lastIndexOf('/') + 1) };
}
