import { table } from '../table.ts';

/**
 * Where messages link a file: channel or conversation, then when a message came there (a moved one later than it was sent).
 * Who may read the file is asked once for each place, not for each of its messages.
 */
export const attachmentPlaces = table<
  [attachmentId: number, recipientId: number, arrivedAt: number, messageId: number],
  Record<never, never>
>('attachment_places', []);
