import type { Destination } from './destination.ts';
import type { UploadFile } from './uploads.ts';

/** A file that is on its way, as a browser keeps it across a reload. */
export interface KeptFile {
  readonly id: string;
  readonly file: UploadFile;
  readonly to: Destination;
  /** The address of the upload; null while the server has given none. */
  readonly path: string | null;
  readonly isPaused: boolean;
}

/** Keeps files that are on their way. Of the tabs of a browser one has each of them. */
export interface FileKeep {
  /** Keeps a file, or what has changed about it. A file that has no room is not kept. */
  put(kept: KeptFile): Promise<void>;
  remove(id: string): Promise<void>;
  /**
   * Calls `take` with each kept file once no other tab has it. The tab has it until it is removed.
   */
  restore(take: (kept: KeptFile) => void): void;
}

/** So much is kept, all in all: more is a film, which people start again if they must. */
export const KEPT_BYTES_MAX = 256 * 1_024 * 1_024;
export const KEPT_FILES_MAX = 50;
/** The server has forgotten an upload that nobody continued by then. */
export const KEPT_MS_MAX = 7 * 86_400_000;
