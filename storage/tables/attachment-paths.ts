import { table } from '../table.ts';

/** By what a link names it. */
export const attachmentPaths = table<[pathId: string], { readonly attachmentId: number }>(
  'attachment_paths',
  ['attachmentId'],
);
