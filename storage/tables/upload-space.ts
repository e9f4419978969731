import { table } from '../table.ts';

export interface UploadSpaceRow {
  readonly bytes: number;
  /** Bytes that resumable uploads were begun for and that are no files yet. */
  readonly promised: number;
}

/** One row: what all files of the realm take together, which every event about one of them tells. */
export const uploadSpace = table<[only: 'space'], UploadSpaceRow>(
  'upload_space',
  ['bytes', 'promised'],
  { promised: 0 },
);
