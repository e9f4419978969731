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
  return `reply.${meaning}.${signatureOf(tx, 'reply addresses', meaning)}@${site.mailHost}`;
}

const ADDRESS = /^reply\.(\d{1,12})\.(\d{1,12})\.(\d{1,9})\.([0-9a-f]{26})$/;

/** An address that is answered by nothing now, and the reason in a text for its sender. */
export interface NoReply {
  readonly why: string;
}

const NO_ADDRESS: NoReply = { why: 'no such address here' };
const EXPIRED: NoReply = { why: `this address has expired: it worked for ${REPLY_DAYS} days` };
const NO_ACCOUNT: NoReply = { why: 'the account of this address is deactivated' };
const NO_MESSAGE: NoReply = {
  why: 'the message was deleted, or its reader has no access to the conversation any more',
};

/**
 * Returns what an address answers, of which the part before the @ is given, or why it answers
 * nothing. Only somebody who has got the address is told the reasons.
 */
export function answered(tx: Reads, local: string, now: number): MailReply | NoReply {
  const [, messageId = '', userId = '', until = '', signature = ''] =
    ADDRESS.exec(local.toLowerCase()) ?? [];
  const meaning = `${messageId}.${userId}.${until}`;
  if (!isSigned(tx, 'reply addresses', { meaning, signature })) return NO_ADDRESS;
  if (Number(until) * HOUR_MS < now) return EXPIRED;
  const user = tx.users.get([Number(userId)]);
  if (user === undefined || !user.isActive) return NO_ACCOUNT;
  const message = tx.messages.get([Number(messageId)]);
  return message !== undefined && canRead(tx, user, message) ? { user, message } : NO_MESSAGE;
}
