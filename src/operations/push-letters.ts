import type { RealmTransaction } from '../../storage/realm-store.ts';
import { RECIPIENTS_PER_PUSH_MAX } from '../domain/limits.ts';
import * as outbox from './outbox.ts';

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

export const post = (tx: RealmTransaction, content: PushLetter) =>
  outbox.post(tx, { kind: 'push', content });

/** In letters that are cheap to carry once more. */
export function postMessage(
  tx: RealmTransaction,
  { messageId, recipients }: { messageId: number; recipients: readonly PushRecipient[] },
) {
  for (const some of inParts(recipients))
    post(tx, { type: 'message', messageId, recipients: some });
}

export function postRemovals(tx: RealmTransaction, removals: readonly PushRemoval[]) {
  for (const some of inParts(removals)) post(tx, { type: 'remove', removals: some });
}

function* inParts<Item>(items: readonly Item[]): Iterable<readonly Item[]> {
  for (let index = 0; index < items.length; index += RECIPIENTS_PER_PUSH_MAX) {
    yield items.slice(index, index + RECIPIENTS_PER_PUSH_MAX);
  }
}
