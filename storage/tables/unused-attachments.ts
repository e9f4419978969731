import { table } from '../table.ts';

/** Files that nothing links, by when they are removed (UNIX milliseconds): what is due begins the table. */
export const unusedAttachments = table<
  [unusedUntil: number, attachmentId: number],
  Record<never, never>
>('unused_attachments', []);
