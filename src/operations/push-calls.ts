import type { RealmTransaction } from '../../storage/realm-store.ts';
import type { PushWorkRow } from '../../storage/tables/push-work.ts';
import type { RenderedContent } from '../domain/markdown.ts';
import type { Place } from './caller.ts';

/**
 * Has those looked for who are to be told of a message on their devices or by mail, after its commit: one row, whoever is
 * told, as sending is independent of the audience (design, invariant 6).
 */
export function post(
  tx: RealmTransaction,
  place: Place,
  message: {
    readonly id: number;
    readonly rendered: RenderedContent;
    /** Only these, of an edit. */
    readonly userIds?: readonly number[];
  },
) {
  if (!place.hasMailService && !(place.hasPushService && hasHolders(tx))) return;
  if (message.userIds?.length === 0) return;
  add(tx, {
    type: 'message',
    messageId: message.id,
    mentionedUserIds: message.rendered.mentionedUserIds,
    mentionedGroupIds: message.rendered.mentionedGroupIds,
    userIds: message.userIds ?? null,
    fromUserId: 0,
  });
}

/** Something is to be found out step by step (`push-recipients.ts`). */
export function add(tx: RealmTransaction, work: PushWorkRow) {
  tx.pushWork.put([tx.now, tx.nextId('pushWork')], { work });
  tx.wakeAt(tx.now);
}

const hasHolders = (tx: RealmTransaction) =>
  !tx.pushHolders.keys({ limit: 1 })[Symbol.iterator]().next().done;
