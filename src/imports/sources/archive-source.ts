import type { Readable } from 'node:stream';

/** The files of an archive: of a folder, a zip, or a tar that may be compressed. */
export interface ArchiveSource {
  /** Returns the paths of all files, in the order of their characters, with `/` between folders. */
  names(): readonly string[];
  has(entry: string): boolean;
  /** Returns its bytes when unpacked. Throws `ArchiveError` if there is no such file. */
  size(entry: string): number;
  /**
   * Throws `ArchiveError` if there is no such file. Its stream fails with `ArchiveError` if the
   * file is damaged.
   */
  open(entry: string): Promise<Readable>;
  close(): Promise<void>;
}
