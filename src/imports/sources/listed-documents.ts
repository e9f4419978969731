import { ArchiveError } from '../../archives/archive-error.ts';
import { HISTORY_LIST_BYTES_MAX } from '../../domain/limits/archives.ts';
import type { JsonElement } from '../json-documents.ts';
import { jsonElements } from '../json-documents.ts';
import { parsedJson } from '../json-stream.ts';
import type { ArchiveSource } from './archive-source.ts';

/**
 * Yields the elements of a document that is a list. A short one is parsed as a whole, which takes a
 * fifth of the time; a long one, or one that is damaged or no list, is read element by element, and
 * then throws `JsonStreamError` as `jsonElements` does.
 */
export async function* listElements(
  archive: ArchiveSource,
  entry: string,
): AsyncGenerator<JsonElement> {
  const list = await shortList(archive, entry);
  if (list === undefined) return yield* jsonElements(await archive.open(entry), ['$.*']);
  for (const [key, value] of list.entries()) yield { key, within: undefined, value };
}

async function shortList(
  archive: ArchiveSource,
  entry: string,
): Promise<readonly unknown[] | undefined> {
  if (archive.size(entry) > HISTORY_LIST_BYTES_MAX) return undefined;
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of await archive.open(entry)) chunks.push(chunk as Buffer); // no encoding
    const bytes = Buffer.concat(chunks);
    const parsed = parsedJson(bytes, bytes.toString('utf8'));
    return 'value' in parsed && Array.isArray(parsed.value) ? parsed.value : undefined;
  } catch (error) {
    // The file is damaged. The reader of elements finds that as well, and what comes before it.
    if (error instanceof ArchiveError) return undefined;
    throw error;
  }
}
