import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import { REPLY_DAYS } from '../../domain/limits/outbox.ts';
import type { Site } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import { isSigned, signatureOf } from '../access/signatures.ts';
import { canRead } from '../indexes/message-access.ts';

const HOUR_MS = 3_600_000;

/** A message that is answered by mail, and the user who answers it. */
export interface MailReply {
  readonly user: UserRow;
  readonly message: MessageRow;
}

/**
 * Returns the address by which a user answers in the conversation of a message. It names both and
 * the hour in which it expires, and is signed, so nothing is stored (docs/decisions/0280).
 */
export function replyAddress(
  tx: Reads,
  site: Site,
  { userId, messageId, now }: { userId: number; messageId: number; now: number },
): string {
  const until = Math.ceil(now / HOUR_MS) + REPLY_DAYS * 24;
  const meaning = `${messageId}.${userId}.${until}`;
  return `reply.${meaning}.${signatureOf(tx, 'reply addresses', meaning)}@${site.host}`;
}

const ADDRESS = /^reply\.(\d{1,12})\.(\d{1,12})\.(\d{1,9})\.([0-9a-f]{26})$/;

/**
 * Returns what an address answers, of which the part before the @ is given. Undefined if it was not
 * made here, has expired, or its user may not read the message now.
 */
export function answered(tx: Reads, local: string, now: number): MailReply | undefined {
  const [, messageId = '', userId = '', until = '', signature = ''] =
    ADDRESS.exec(local.toLowerCase()) ?? [];
  const meaning = `${messageId}.${userId}.${until}`;
  if (!isSigned(tx, 'reply addresses', { meaning, signature })) return undefined;
  if (Number(until) * HOUR_MS < now) return undefined;
  const user = tx.users.get([Number(userId)]);
  const message = tx.messages.get([Number(messageId)]);
  if (user === undefined || !user.isActive || message === undefined) return undefined;
  return canRead(tx, user, message) ? { user, message } : undefined;
}
