import { randomBytes } from 'node:crypto';
import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
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
 * and sender, and is signed, so it cannot be forged, and is the same until the addresses of the
 * channel are ended (docs/decisions/0076).
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
  return `channel.${meaning}.${signatureOf(tx, 'channel addresses', signedIn(tx, channelId, meaning))}@${site.mailHost}`;
}

/**
 * Ends all addresses of a channel, for all people: those that are requested from now on are others.
 */
export const endAll = (tx: RealmTransaction, channelId: number) =>
  tx.secrets.put([`addresses of channel ${channelId}`], { value: randomBytes(16).toString('hex') });

/** Returns what is signed in an address: with the channel's own secret, once it has one. */
function signedIn(tx: Reads, channelId: number, meaning: string): string {
  const own = tx.secrets.get([`addresses of channel ${channelId}`])?.value;
  return own === undefined ? meaning : `${meaning} ${own}`;
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
  const signed = signedIn(tx, Number(channelId), meaning);
  return isSigned(tx, 'channel addresses', { meaning: signed, signature })
    ? { channelId: Number(channelId), userId: Number(userId), senderId: Number(senderId) }
    : undefined;
}

/** The reason why an address takes no mail now, in a text for its sender. */
interface NoMail {
  readonly why: string;
}

/**
 * Returns the channel of an address, of which the part before the @ is given; or the reason why it
 * takes no mail, if the user who requested it may not read or the sender not write there now.
 * Undefined if it was not made here: only somebody who has got the address is told the reasons.
 */
export function addressed(tx: Reads, local: string): ChannelMail | NoMail | undefined {
  const named = namedBy(tx, local);
  if (named === undefined) return undefined;
  const channel = tx.channels.get([named.channelId]);
  const owner = tx.users.get([named.userId]);
  if (owner === undefined || !owner.isActive) {
    return { why: 'the account that requested this address is deactivated' };
  }
  const subscription = tx.subscriptions.get([named.channelId, owner.id]);
  if (channel === undefined || !hasContentAccess(tx, { user: owner, channel, subscription })) {
    return { why: 'the account that requested this address has no access to the channel any more' };
  }
  if (channel.isArchived) return { why: 'the channel is archived' };
  return refusing('the sender of this address is deactivated', () => {
    const sender = senderOf(tx, owner, named.senderId);
    return refusing('the sender of this address may not write in the channel', () => {
      refuseSpeaking(tx, sender.isSystem ? owner : sender, channel);
      return { channel, owner, sender };
    });
  });
}

/** Returns what is found, or the reason if it is refused. */
function refusing<Found>(why: string, find: () => Found): Found | NoMail {
  try {
    return find();
  } catch (error) {
    if (error instanceof errors.ApiError) return { why };
    throw error;
  }
}
