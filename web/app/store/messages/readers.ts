/** Finds who has read a message, and tells the moderators of it. */
import { app } from '../app.ts';
import { personOf } from '../model.ts';
import type { Person } from '../shapes.ts';

/** Returns the people who have read a message, by name. Some keep that to themselves. */
export async function readersOf(messageId: number): Promise<readonly Person[]> {
  const { user_ids: ids } = await app.chat.call('GET', '/messages/{message_id}/read_receipts', {
    message_id: messageId,
  });
  return ids.map(personOf).sort((one, other) => one.name.localeCompare(other.name));
}

export const REASONS = [
  ['spam', 'It is spam'],
  ['harassment', 'It harasses somebody'],
  ['inappropriate', 'It does not belong here'],
  ['norms', 'It breaks the rules of the organization'],
  ['other', 'Something else'],
] as const;

export type Reason = (typeof REASONS)[number][0];

/** As the server has it. */
export const REASON_LENGTH_MAX = 1_000;

/** Tells the moderators of a message. */
export const report = (messageId: number, reason: Reason, description: string) =>
  app.chat.call('POST', '/messages/{message_id}/report', {
    message_id: messageId,
    report_type: reason,
    description: description.trim(),
  });
