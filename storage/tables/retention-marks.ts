import { table } from '../table.ts';

/** How far retention has come with the direct messages: none is left before this id, and what is there need not be read again. */
export const retentionMarks = table<[kind: 'direct'], { readonly messageId: number }>(
  'retention_marks',
  ['messageId'],
);
