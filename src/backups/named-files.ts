import type { FileName } from '../../storage/files/file-store.ts';
import type { RealmReader } from '../../storage/transaction.ts';
import { type Pace, slicesOf } from '../archives/pace.ts';
import { filesOf } from '../archives/realm-files.ts';
import * as resumableUploads from '../operations/files/resumable-uploads.ts';

export interface NamedFile {
  readonly fileName: FileName;
  /** The bytes that its row counts. Further bytes may be written while the file is copied. */
  readonly bytesMax: number;
}

/** Returns every file that a row of a realm names, also those of unfinished uploads. */
export async function namedFiles(reader: RealmReader, pace: Pace): Promise<NamedFile[]> {
  const whole = (fileName: FileName) => ({ fileName, bytesMax: Number.POSITIVE_INFINITY });
  const files = (await filesOf(reader, () => true, pace)).map(whole);
  for (const [, { archive }] of reader.exports.range({})) {
    if (archive !== null) files.push(whole(archive));
  }
  for await (const slice of slicesOf(reader.resumableUploads, pace)) {
    for (const [[id], { standing, offset }] of slice) {
      if (standing !== 'unfinished' || offset === 0) continue;
      files.push({ fileName: resumableUploads.fileNameOf(id), bytesMax: offset });
    }
  }
  return files;
}
