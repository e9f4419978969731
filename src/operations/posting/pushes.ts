import type { PushWorkRow } from '../../../storage/tables/notifications/push.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { hasMailService, hasPushService, type ServerSettings } from '../../config.ts';
import { PUSHED_MESSAGES_PER_USER_MAX, RECIPIENTS_PER_PUSH_MAX } from '../../domain/limits.ts';
import type { RenderedContent } from '../../markdown/markdown.ts';
import * as outbox from '../access/outbox.ts';

/**
 * Has those looked for who are to be told of a message on their devices or by mail, after its commit: one row, whoever is
 * told, as sending is independent of the audience (design, invariant 6).
 */
export function post(
  tx: RealmTransaction,
  settings: ServerSettings,
  message: {
    readonly id: number;
    readonly rendered: RenderedContent;
    /** Only these, of an edit. */
    readonly userIds?: readonly number[];
  },
) {
  if (!hasMailService(settings) && !(hasPushService(settings) && hasHolders(tx))) return;
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

/** One of those whose devices are told of a message. */
export interface PushRecipient {
  readonly userId: number;
  /** The group through which they are mentioned, and not by name. */
  readonly groupId: number | null;
}

/** Messages that are no longer to be seen on somebody's devices. */
export interface PushRemoval {
  readonly userId: number;
  readonly messageIds: readonly number[];
}

/** What is on its way to the bouncer. Nothing in it is secret: a notice is made when it is carried. */
export type PushLetter =
  | { readonly type: 'register'; readonly userId: number; readonly pushAccountId: string }
  | {
      readonly type: 'message';
      readonly messageId: number;
      readonly recipients: readonly PushRecipient[];
    }
  | { readonly type: 'remove'; readonly removals: readonly PushRemoval[] }
  /** To one device, or to all of that sort. */
  | { readonly type: 'test'; readonly userId: number; readonly pushAccountId: string | null }
  | { readonly type: 'test_token'; readonly userId: number; readonly token: string | null };

export const postLetter = (tx: RealmTransaction, content: PushLetter) =>
  outbox.post(tx, { kind: 'push', content });

/** In letters that are cheap to carry once more. */
export function postMessage(
  tx: RealmTransaction,
  { messageId, recipients }: { messageId: number; recipients: readonly PushRecipient[] },
) {
  for (const some of inParts(recipients))
    postLetter(tx, { type: 'message', messageId, recipients: some });
}

export function postRemovals(tx: RealmTransaction, removals: readonly PushRemoval[]) {
  for (const some of inParts(removals)) postLetter(tx, { type: 'remove', removals: some });
}

function* inParts<Item>(items: readonly Item[]): Iterable<readonly Item[]> {
  for (let index = 0; index < items.length; index += RECIPIENTS_PER_PUSH_MAX) {
    yield items.slice(index, index + RECIPIENTS_PER_PUSH_MAX);
  }
}

/** Notes that devices of a user are told of a message. False: they were before. */
export function note(tx: RealmTransaction, userId: number, messageId: number): boolean {
  if (tx.pushedMessages.has([userId, messageId])) return false;
  const shown = shownTo(tx, userId);
  const excess = Math.max(0, shown.length + 1 - PUSHED_MESSAGES_PER_USER_MAX);
  for (const old of shown.slice(0, excess)) forget(tx, userId, old);
  tx.pushedMessages.put([userId, messageId], {});
  tx.pushedUsers.put([messageId, userId], {});
  return true;
}

/** Has messages that somebody has read taken off their devices. */
export function withdraw(tx: RealmTransaction, userId: number, messageIds: Iterable<number>) {
  const shown = shownTo(tx, userId);
  if (shown.length === 0) return;
  const read = new Set(messageIds);
  remove(
    tx,
    userId,
    shown.filter((id) => read.has(id)),
  );
}

/** The same of all that they show. */
export const withdrawAll = (tx: RealmTransaction, userId: number) =>
  remove(tx, userId, shownTo(tx, userId));

/** Has a message that is deleted taken off all devices. Whose these are is found after the commit, step by step. */
export function withdrawFromAll(tx: RealmTransaction, messageId: number) {
  announceGone(tx, messageId, false);
}

/** The same of one that was moved, for those who may not read it where it is. */
export function withdrawFromUnseeing(tx: RealmTransaction, messageId: number) {
  announceGone(tx, messageId, true);
}

function announceGone(tx: RealmTransaction, messageId: number, isOutOfSight: boolean) {
  for (const _ of tx.pushedUsers.keysUnder([messageId], { limit: 1 })) {
    add(tx, { type: 'gone', messageId, isOutOfSight, fromUserId: 0 });
  }
}

export function forget(tx: RealmTransaction, userId: number, messageId: number) {
  tx.pushedMessages.remove([userId, messageId]);
  tx.pushedUsers.remove([messageId, userId]);
}

const shownTo = (tx: RealmTransaction, userId: number): number[] =>
  Array.from(tx.pushedMessages.keysUnder([userId]), ([, messageId]) => messageId);

function remove(tx: RealmTransaction, userId: number, messageIds: readonly number[]) {
  if (messageIds.length === 0) return;
  for (const messageId of messageIds) forget(tx, userId, messageId);
  postRemovals(tx, [{ userId, messageIds }]);
}
