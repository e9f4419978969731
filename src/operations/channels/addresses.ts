import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import { NOTIFICATION_BOT } from '../../domain/rules/people/system-bots.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Caller } from '../access/caller.ts';
import { hasContentAccess } from '../access/channel-access.ts';
import type { Reads } from '../access/groups.ts';
import { isSigned, signatureOf } from '../access/signatures.ts';
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
  return `channel.${meaning}.${signatureOf(tx, 'channel addresses', meaning)}@${site.mailHost}`;
}

function senderOf(tx: Reads, user: UserRow, senderId: number): UserRow {
  const sender = tx.users.get([senderId]);
  const isOwn = senderId === user.id || sender?.botOwnerId === user.id;
  if (sender === undefined || !sender.isActive || !(isOwn || sender.isSystem)) {
    throw errors.badRequest('Invalid sender ID');
  }
  return sender;
}

/** The parties of a mail to the address of a channel. */
export interface ChannelMail {
  readonly channel: ChannelRow;
  /** The user who requested the address. */
  readonly owner: UserRow;
  readonly sender: UserRow;
}

const ADDRESS = /^channel\.(\d{1,12})\.(\d{1,12})\.(\d{1,12})\.([0-9a-f]{26})$/;

/** Returns what an address that was made here names; undefined for any other one. */
function namedBy(tx: Reads, local: string) {
  const [, channelId = '', userId = '', senderId = '', signature = ''] =
    ADDRESS.exec(local.toLowerCase()) ?? [];
  const meaning = `${channelId}.${userId}.${senderId}`;
  return isSigned(tx, 'channel addresses', { meaning, signature })
    ? { channelId: Number(channelId), userId: Number(userId), senderId: Number(senderId) }
    : undefined;
}

/** Tests whether an address was made here, be it that it takes no mails any more. */
export const isAddress = (tx: Reads, local: string): boolean => namedBy(tx, local) !== undefined;

/**
 * Returns the channel of an address, of which the part before the @ is given. Undefined if it was
 * not made here, or if the user who requested it may not read or the sender not write there now.
 */
export function addressed(tx: Reads, local: string): ChannelMail | undefined {
  const named = namedBy(tx, local);
  if (named === undefined) return undefined;
  const channel = tx.channels.get([named.channelId]);
  const owner = tx.users.get([named.userId]);
  if (channel === undefined || owner === undefined || !owner.isActive) return undefined;
  const subscription = tx.subscriptions.get([channel.id, owner.id]);
  if (!hasContentAccess(tx, { user: owner, channel, subscription })) return undefined;
  try {
    const sender = senderOf(tx, owner, named.senderId);
    refuseSpeaking(tx, sender.isSystem ? owner : sender, channel);
    return { channel, owner, sender };
  } catch (error) {
    if (error instanceof errors.ApiError) return undefined;
    throw error;
  }
}
