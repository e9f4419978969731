import type { RealmTransaction } from '../../../storage/transaction.ts';
import { ApiError } from '../../domain/wire/errors.ts';
import type { Caller } from '../access/caller.ts';
import { RefusalWithFollowUp } from '../access/refusals.ts';
import * as botNotices from './bot-notices.ts';
import { type Address, type Addressed, addressOf, destinationOf } from './destinations.ts';
import * as messages from './messages.ts';
import { acceptableContent } from './sending-rules.ts';

export interface SendRequest extends Addressed, Omit<messages.NewMessage, 'destination'> {}

/**
 * Sends a message as a client requests it; faults are refused in the order of
 * reference/endpoints.md 1.1.
 */
export function send(tx: RealmTransaction, caller: Caller, request: SendRequest): messages.Sent {
  const repeated = messages.idempotencyResult(tx, caller.user.id, request.repeatKeys);
  if (repeated !== undefined) return repeated;
  const address = addressOf(tx, caller, request);
  const content = acceptableContent(request.content);
  const destination = foundBy(tx, caller, address);
  const { isReadBySender, widget, origin, repeatKeys } = request;
  const message = { destination, content, isReadBySender, widget, origin, repeatKeys };
  const sent = messages.send(tx, caller, message);
  if ('channel' in destination && destination.channel.subscriberCount === 0) {
    const why = { withoutSubscribers: destination.channel.name };
    botNotices.note(tx, caller.site, { bot: caller.user, why });
  }
  return sent;
}

function foundBy(tx: RealmTransaction, { user, site }: Caller, address: Address) {
  try {
    return destinationOf(tx, address);
  } catch (error) {
    if (!('channel' in address) || !(error instanceof ApiError)) throw error;
    const why = { missing: address.channel };
    throw new RefusalWithFollowUp(error, (after) => {
      botNotices.note(after, site, { bot: user, why });
    });
  }
}
