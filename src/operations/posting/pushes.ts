import type { Key } from '../../../storage/key.ts';
import type { PushWorkRow } from '../../../storage/tables/notifications/push.ts';
import type { RealmReader, RealmTransaction } from '../../../storage/transaction.ts';
import type { MaterializedView, ViewKind } from '../../../storage/views.ts';
import type { ServerSettings } from '../../config.ts';
import {
  PUSHED_MESSAGES_PER_USER_MAX,
  RECIPIENTS_PER_PUSH_MAX,
} from '../../domain/limits/outbox.ts';
import type { RenderedContent } from '../../markdown/markdown.ts';
import { hasMailService, hasPushService } from '../../settings/services.ts';
import * as outbox from '../access/outbox.ts';

/**
 * Requests that the users who get a push or a mail for a message be found after its commit. It
 * writes one row for any number of them, as sending is independent of the audience
 * (docs/architecture.md, invariant 6).
 */
export function post(
  tx: RealmTransaction,
  settings: ServerSettings,
  message: {
    readonly id: number;
    readonly rendered: RenderedContent;
    /** Only these users, for an edit. */
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

/** Adds work that `push-recipients.ts` does step by step. */
export function add(tx: RealmTransaction, work: PushWorkRow) {
  tx.pushWork.put([tx.now, tx.nextId('pushWork')], { work });
  tx.wakeAt(tx.now);
}

const hasHolders = (tx: RealmTransaction) => tx.view(HOLDERS).hasAny(tx);

/** Remembers whether anybody has a device, so that a send of a realm without any reads nothing. */
class Holders implements MaterializedView {
  /** Null if that has to be read. */
  private any: boolean | null = null;

  hasAny(tx: RealmTransaction): boolean {
    this.any ??= !tx.pushHolders.keys({ limit: 1 })[Symbol.iterator]().next().done;
    return this.any;
  }

  changed(_table: string, _key: Key, row: object | undefined) {
    this.any = row === undefined ? null : true;
  }
}

const HOLDERS: ViewKind<'pushHolders', Holders> = {
  tables: ['pushHolders'],
  open: () => new Holders(),
};

/** A user whose devices get a push for a message. */
export interface PushRecipient {
  readonly userId: number;
  /** The group that mentions them, unless they are mentioned by name. */
  readonly groupId: number | null;
}

/** Messages whose notifications are removed from a user's devices. */
export interface PushRemoval {
  readonly userId: number;
  readonly messageIds: readonly number[];
}

/**
 * An outbox entry for the bouncer. It has no secret: the notice is written when it is delivered.
 */
export type PushEntry =
  | { readonly type: 'register'; readonly userId: number; readonly pushAccountId: string }
  | {
      readonly type: 'message';
      readonly messageId: number;
      readonly recipients: readonly PushRecipient[];
    }
  | { readonly type: 'remove'; readonly removals: readonly PushRemoval[] }
  /** A test goes to one device, or to all of its kind. */
  | { readonly type: 'test'; readonly userId: number; readonly pushAccountId: string | null }
  | { readonly type: 'test_token'; readonly userId: number; readonly token: string | null };

export const postEntry = (tx: RealmTransaction, content: PushEntry) =>
  outbox.post(tx, { kind: 'push', content });

/** Splits the recipients into outbox entries that are cheap to deliver again. */
export function postMessage(
  tx: RealmTransaction,
  { messageId, recipients }: { messageId: number; recipients: readonly PushRecipient[] },
) {
  for (const some of inParts(recipients))
    postEntry(tx, { type: 'message', messageId, recipients: some });
}

export function postRemovals(tx: RealmTransaction, removals: readonly PushRemoval[]) {
  for (const some of inParts(removals)) postEntry(tx, { type: 'remove', removals: some });
}

function* inParts<Item>(items: readonly Item[]): Iterable<readonly Item[]> {
  for (let index = 0; index < items.length; index += RECIPIENTS_PER_PUSH_MAX) {
    yield items.slice(index, index + RECIPIENTS_PER_PUSH_MAX);
  }
}

/** Notes that devices of a user get a push for a message. Returns false if they had one before. */
export function note(tx: RealmTransaction, userId: number, messageId: number): boolean {
  if (tx.pushedMessages.has([userId, messageId])) return false;
  const shown = shownTo(tx, userId);
  const excess = Math.max(0, shown.length + 1 - PUSHED_MESSAGES_PER_USER_MAX);
  for (const old of shown.slice(0, excess)) forget(tx, userId, old);
  tx.pushedMessages.put([userId, messageId], {});
  tx.pushedUsers.put([messageId, userId], {});
  return true;
}

/** Removes the notifications of messages that a user has read from their devices. */
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

/** Removes all notifications from a user's devices. */
export const withdrawAll = (tx: RealmTransaction, userId: number) =>
  remove(tx, userId, shownTo(tx, userId));

/**
 * Removes the notifications of a deleted message from all devices, which are found after the
 * commit, step by step.
 */
export function withdrawFromAll(tx: RealmTransaction, messageId: number) {
  announceGone(tx, messageId, false);
}

/** Does the same for a moved message and users who may not read it there. */
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

/** Returns the unread messages that devices of a user were told of, the newest ones. */
export const shownTo = (tx: Pick<RealmReader, 'pushedMessages'>, userId: number): number[] =>
  Array.from(tx.pushedMessages.keysUnder([userId]), ([, messageId]) => messageId);

function remove(tx: RealmTransaction, userId: number, messageIds: readonly number[]) {
  if (messageIds.length === 0) return;
  for (const messageId of messageIds) forget(tx, userId, messageId);
  postRemovals(tx, [{ userId, messageIds }]);
}
