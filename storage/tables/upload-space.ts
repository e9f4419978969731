import { table } from '../table.ts';

/** One row: what all files of the realm take together, which every event about one of them tells. */
export const uploadSpace = table<[only: 'space'], { readonly bytes: number }>('upload_space', [
  'bytes',
]);
