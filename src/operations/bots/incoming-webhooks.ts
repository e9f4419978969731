import type { RealmTransaction } from '../../../storage/transaction.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Caller } from '../access/caller.ts';
import * as sending from '../posting/sending.ts';

export interface Delivery {
  readonly content: string;
  readonly topic: string;
  /** Name or id of a channel; without one the message goes to the bot's owner. */
  readonly stream: string | undefined;
  readonly repeatKeys: readonly string[];
}

/** Sends a message about another service's event, as the bot whose key it has. */
export function deliver(
  tx: RealmTransaction,
  caller: Caller,
  { content, topic, stream, repeatKeys }: Delivery,
) {
  const to = stream ?? JSON.stringify([ownerOf(tx, caller)]);
  sending.send(tx, caller, {
    type: stream === undefined ? 'direct' : 'channel',
    to,
    topic,
    content,
    isReadBySender: true,
    repeatKeys,
  });
}

function ownerOf(tx: RealmTransaction, { user }: Caller): number {
  const owner = user.botOwnerId === null ? undefined : tx.users.get([user.botOwnerId]);
  if (owner?.isActive) return owner.id;
  throw errors.badRequest('The bot belongs to nobody who is active: the URL has to name a stream');
}
