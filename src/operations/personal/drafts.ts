import type { DraftRow } from '../../../storage/tables/messages/drafts.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { inOrder } from '../../domain/ascending.ts';
import { DIRECT_RECIPIENTS_MAX } from '../../domain/limits/messages.ts';
import { DRAFTS_PER_USER_MAX } from '../../domain/limits/personal.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { EventBody } from '../../domain/wire/events/log-entry.ts';
import type { Draft } from '../../domain/wire/personal-objects.ts';
import { USER_SETTINGS } from '../../domain/wire/settings/user-settings.ts';
import { hasContentAccess } from '../access/channel-access.ts';
import type { Reads } from '../access/groups.ts';
import { type Sees, visibilityTo } from '../access/user-visibility.ts';
import { topicOf } from '../posting/destinations.ts';
import { acceptableContent } from '../posting/sending-rules.ts';
import { refuseTooLong } from './texts.ts';

/** A draft as its client sends it. */
export interface WrittenDraft {
  readonly type: DraftRow['type'];
  readonly to: readonly number[];
  readonly topic: string;
  readonly content: string;
  /** UNIX seconds, maybe with a fraction. Undefined: now. */
  readonly timestamp: number | undefined;
}

/** Returns the drafts of a user, newest edit first (reference/events-and-register.md 5.6). */
export const list = (tx: Reads, userId: number): Draft[] =>
  Array.from(tx.drafts.under([userId]), ([[, id], row]) => draftObject(id, row)).sort(
    (one, other) => other.timestamp - one.timestamp || other.id - one.id,
  );

/** Does the same for their author; refuses if synchronization is off. */
export function own(tx: Reads, user: UserRow): Draft[] {
  refuseUnsynchronized(user);
  return list(tx, user.id);
}

/** Stores drafts, all or none, and returns their ids in the same order. */
export function add(
  tx: RealmTransaction,
  user: UserRow,
  written: readonly WrittenDraft[],
): number[] {
  refuseUnsynchronized(user);
  refuseTooMany(tx, user.id, written.length);
  const sees = visibilityTo(tx, user);
  const drafts = written.map((each) => {
    const address = addressOf(user, each);
    refuseUnknown(tx, { user, sees }, address);
    return put(tx, [user.id, tx.nextId('draft')], rowOf(tx, address, each));
  });
  refuseTooLong(tx.drafts.under([user.id]), 'drafts');
  if (drafts.length > 0) emit(tx, user.id, { type: 'drafts', op: 'add', drafts });
  return drafts.map(({ id }) => id);
}

/**
 * Replaces a draft. Its destination is checked only if it is new: an author who left a channel can
 * still edit a draft for it.
 */
export function edit(
  tx: RealmTransaction,
  user: UserRow,
  { id, ...written }: WrittenDraft & { readonly id: number },
) {
  refuseUnsynchronized(user);
  const before = known(tx, user.id, id);
  const address = addressOf(user, written);
  if (!isSame(before, address)) refuseUnknown(tx, { user, sees: visibilityTo(tx, user) }, address);
  const draft = put(tx, [user.id, id], rowOf(tx, address, written));
  if (draft.content.length > before.content.length || draft.to.length > before.to.length) {
    refuseTooLong(tx.drafts.under([user.id]), 'drafts');
  }
  emit(tx, user.id, { type: 'drafts', op: 'update', draft });
}

export function remove(tx: RealmTransaction, user: UserRow, id: number) {
  refuseUnsynchronized(user);
  known(tx, user.id, id);
  tx.drafts.remove([user.id, id]);
  emit(tx, user.id, { type: 'drafts', op: 'remove', draft_id: id });
}

/**
 * Deletes the drafts of a user who turned synchronization off. Clients see the setting and keep
 * their copies, which an event about each draft would remove; so only queues without events of
 * settings get these (docs/decisions/0062).
 */
export function removeAll(tx: RealmTransaction, userId: number) {
  for (const key of [...tx.drafts.keysUnder([userId])]) {
    tx.drafts.remove(key);
    tx.emit({
      event: { type: 'drafts', op: 'remove', draft_id: key[1] },
      audience: { users: [userId] },
      queues: { unlessHeard: 'user_settings' },
    });
  }
}

/**
 * Refuses drafts without the setting: "Drafts endpoints are BR when `enable_drafts_synchronization`
 * is off" (reference/endpoints.md 2.5).
 */
function refuseUnsynchronized({ settings }: UserRow) {
  const { default: usually } = USER_SETTINGS.enable_drafts_synchronization;
  if (settings.enable_drafts_synchronization ?? usually) return;
  throw errors.badRequest('User has disabled synchronizing drafts.');
}

function refuseTooMany(tx: Reads, userId: number, addedCount: number) {
  let count = addedCount;
  for (const _ of tx.drafts.keysUnder([userId])) count += 1;
  if (count > DRAFTS_PER_USER_MAX) {
    throw errors.badRequest(`You can have at most ${DRAFTS_PER_USER_MAX} drafts.`);
  }
}

function known(tx: Reads, userId: number, id: number): DraftRow {
  const row = tx.drafts.get([userId, id]);
  if (row === undefined) throw errors.noSuchDraft();
  return row;
}

type Address = Pick<DraftRow, 'type' | 'to'>;

/** Returns the destination of a draft in one normal form. */
function addressOf(user: UserRow, { type, to }: WrittenDraft): Address {
  if (type === '') return { type, to: [] };
  if (type === 'stream') {
    if (to.length !== 1)
      throw errors.badRequest('Must specify exactly 1 channel ID for channel messages');
    return { type, to };
  }
  const people = inOrder(to);
  if (people.length > DIRECT_RECIPIENTS_MAX) {
    throw errors.badRequest(`A direct message has at most ${DIRECT_RECIPIENTS_MAX} recipients`);
  }
  const others = people.filter((id) => id !== user.id);
  return { type, to: others.length === 0 ? people : others };
}

const isSame = (one: Address, other: Address) =>
  one.type === other.type && one.to.join() === other.to.join();

interface Author {
  readonly user: UserRow;
  readonly sees: Sees;
}

/**
 * Refuses a destination that the author may not know of like a missing one. The permission to send
 * there is checked when the draft is sent.
 */
function refuseUnknown(tx: Reads, { user, sees }: Author, { type, to }: Address) {
  for (const id of to) {
    if (type === 'stream') {
      const channel = tx.channels.get([id]);
      const subscription = tx.subscriptions.get([id, user.id]);
      if (channel === undefined || !hasContentAccess(tx, { user, channel, subscription })) {
        throw errors.invalidChannelId();
      }
    } else {
      const person = tx.users.get([id]);
      if (person === undefined || !sees(person)) throw errors.invalidRecipientId(id);
    }
  }
}

const rowOf = (tx: RealmTransaction, address: Address, written: WrittenDraft): DraftRow => ({
  ...address,
  topic: address.type === 'stream' ? topicOf(written.topic) : '',
  content: acceptableContent(written.content),
  timestamp: Math.floor(written.timestamp ?? tx.now / 1000),
});

type Key = [userId: number, id: number];

function put(tx: RealmTransaction, [userId, id]: Key, row: DraftRow): Draft {
  tx.drafts.put([userId, id], row);
  return draftObject(id, row);
}

const emit = (tx: RealmTransaction, userId: number, event: EventBody) =>
  tx.emit({ event, audience: { users: [userId] } });

const draftObject = (id: number, { type, to, topic, content, timestamp }: DraftRow): Draft => ({
  id,
  type,
  to: [...to],
  topic,
  content,
  timestamp,
});
