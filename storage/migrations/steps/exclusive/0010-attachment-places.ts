import type { Writers } from '../../../transaction.ts';

/** Schema 10 lists the places of messages that link a file. Before, each message was looked up. */
export function listAttachmentPlaces(tables: Writers) {
  for (const [attachmentId, holder, messageId] of tables.attachmentUses.keys({})) {
    const row = holder === 'message' ? tables.messages.get([messageId]) : undefined;
    if (row === undefined) continue;
    const { recipientId, arrivedAt } = row;
    tables.attachmentPlaces.put([attachmentId, recipientId, arrivedAt ?? messageId, messageId], {});
  }
}
