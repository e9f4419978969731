import { table } from '../table.ts';

/** A file that comes in parts; its bytes are where those of the file will be (`file-store.ts`), so none is moved. */
export interface ResumableUploadRow {
  readonly ownerId: number;
  /** What its client said of it, as the header that it said it with. */
  readonly metadata: string;
  /** Bytes of the whole. */
  readonly length: number;
  /** Bytes that are on disk. What the file has behind them is nothing: a kill was between it and its row. */
  readonly offset: number;
  /** Unfinished until all bytes are there and the file has a row of its own; what has expired has no bytes. */
  readonly standing: 'unfinished' | 'kept' | 'expired';
  /** What it became; null until then. */
  readonly attachmentId: number | null;
  /** When it expires, or is forgotten (UNIX milliseconds). */
  readonly until: number;
}

/** The id is a secret of its owner, and the place of the bytes. */
export const resumableUploads = table<[uploadId: string], ResumableUploadRow>('resumable_uploads', [
  'ownerId',
  'metadata',
  'length',
  'offset',
  'standing',
  'attachmentId',
  'until',
]);

/** Those that each user has not finished, of which there may be few. */
export const unfinishedUploads = table<[userId: number, uploadId: string], Record<never, never>>(
  'unfinished_uploads',
  [],
);

/** By when they expire or are forgotten (UNIX milliseconds): what is due begins the table. */
export const resumableUploadTimes = table<[until: number, uploadId: string], Record<never, never>>(
  'resumable_upload_times',
  [],
);
