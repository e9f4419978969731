import { table } from '../table.ts';

/** The files of each owner, oldest first. */
export const userAttachments = table<[ownerId: number, attachmentId: number], Record<never, never>>(
  'user_attachments',
  [],
);
