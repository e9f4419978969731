import { table } from '../table.ts';
import type { AttachmentHolder } from './attachment-uses.ts';

/** The same, holder first: what a message lets go when it is edited or deleted. */
export const usedAttachments = table<
  [holder: AttachmentHolder, holderId: number, attachmentId: number],
  Record<never, never>
>('used_attachments', []);
