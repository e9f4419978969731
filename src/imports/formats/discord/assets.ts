import type { FileReference } from '../../history.ts';
import type { ArchiveSource } from '../../sources/archive-source.ts';
import { textOf } from '../shared/fields.ts';

/**
 * Finds a file that the exporter has downloaded (`--media`): its address is then a path from the
 * folder of the file of the channel. Returns null for an address in the web.
 */
export function assetOf(
  archive: ArchiveSource,
  entry: string,
  url: unknown,
  name: string,
): FileReference | null {
  const path = textOf(url).replaceAll('\\', '/');
  if (path === '' || path.length > 4_000 || /^[a-z][a-z0-9+.-]*:/i.test(path)) return null;
  const folder = entry.slice(0, entry.lastIndexOf('/') + 1);
  const found = [path, decoded(path)]
    .map((candidate) => folder + candidate.replace(/^(?:\.\/)+/, ''))
    .find((candidate) => archive.has(candidate));
  return found === undefined ? null : { entry: found, name };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
