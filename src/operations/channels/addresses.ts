import { createHmac, hkdfSync } from 'node:crypto';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import { NOTIFICATION_BOT } from '../../domain/rules/people/system-bots.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Caller } from '../access/caller.ts';
import { hasContentAccess } from '../access/channel-access.ts';
import type { Reads } from '../access/groups.ts';
import { refuseSpeaking } from '../posting/sending-rules.ts';

interface AddressRequest {
  readonly channelId: number;
  /** The sender of messages that come by mail; undefined for the service's own bot. */
  readonly senderId: number | undefined;
}

/**
 * Returns the address by which mails become messages of a channel. It contains their target, user
 * and sender, and is signed, so it is always the same, and cannot be forged (docs/decisions/0076).
 */
export function addressOf(tx: Reads, { user, site }: Caller, request: AddressRequest): string {
  const { channelId } = request;
  const channel = tx.channels.get([channelId]);
  const subscription = tx.subscriptions.get([channelId, user.id]);
  if (channel === undefined || !hasContentAccess(tx, { user, channel, subscription })) {
    throw errors.invalidChannelId();
  }
  const sender = senderOf(tx, user, request.senderId ?? NOTIFICATION_BOT.id);
  if (!sender.isSystem) refuseSpeaking(tx, sender, channel);
  const meaning = `${channelId}.${user.id}.${sender.id}`;
  return `channel.${meaning}.${signatureOf(tx, meaning)}@${site.host}`;
}

function senderOf(tx: Reads, user: UserRow, senderId: number): UserRow {
  const sender = tx.users.get([senderId]);
  const isOwn = senderId === user.id || sender?.botOwnerId === user.id;
  if (sender === undefined || !sender.isActive || !(isOwn || sender.isSystem)) {
    throw errors.badRequest('Invalid sender ID');
  }
  return sender;
}

/**
 * Signs with 26 digits: with the ids the part before the @ stays within the 64 octets of RFC 5321.
 */
function signatureOf(tx: Reads, meaning: string): string {
  return createHmac('sha256', keyOf(tx)).update(meaning).digest('hex').slice(0, 26);
}

/** Derives a key for this purpose from the secret that every realm has. */
function keyOf(tx: Reads): Buffer {
  const secret = tx.secrets.get(['external content']);
  if (secret === undefined) throw new Error('the realm has no secret to sign with');
  return Buffer.from(hkdfSync('sha256', secret.value, '', 'channel addresses', 32));
}
