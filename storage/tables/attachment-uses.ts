import { table } from '../table.ts';

/** What links a file: a message that was sent, or one that is to be. */
export type AttachmentHolder = 'message' | 'scheduled';

export interface AttachmentUseRow {
  /** When the message was sent, UNIX seconds: it is in every list of the file, which need not read the message. */
  readonly sentAt: number;
}

/** File first: who may read it, and whether anything links it. */
export const attachmentUses = table<
  [attachmentId: number, holder: AttachmentHolder, holderId: number],
  AttachmentUseRow
>('attachment_uses', ['sentAt']);
