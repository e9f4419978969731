import type { AttachmentHolder } from '../../../storage/tables/messages/attachments.ts';
import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { ATTACHMENTS_PER_MESSAGE_MAX } from '../../domain/limits/files.ts';
import { linkedFiles, mayLinkFiles } from '../../domain/rules/search/message-contents.ts';
import type { Attachment } from '../../domain/wire/personal-objects.ts';
import type { Caller, Site } from '../access/caller.ts';
import { isReadable, placeKey } from './attachment-access.ts';
import * as attachments from './attachments.ts';

/** The holder of links to files: a message, or a scheduled one. */
interface Holder {
  readonly kind: AttachmentHolder;
  readonly id: number;
  /** UNIX seconds. */
  readonly sentAt: number;
  /** The message; null for a scheduled one. */
  readonly message: MessageRow | null;
}

/** The fields of a message that contain its links. */
interface Linking {
  readonly content: string;
  readonly renderedContent: string;
}

const asHolder = (message: MessageRow): Holder => {
  const { id, sentAt } = message;
  return { kind: 'message', id, sentAt, message };
};

const asScheduled = (id: number): Holder => ({ kind: 'scheduled', id, sentAt: 0, message: null });

/**
 * Lets the readers of a message read the files that it links, if its sender may; quotes by the
 * service's own bot open nothing. Most messages link no files.
 */
export function claim(tx: RealmTransaction, caller: Caller, row: MessageRow) {
  if (!mayLinkFiles(row.content) || caller.user.isSystem) return;
  const { claimed } = rehold(tx, caller, { holder: asHolder(row), linking: row });
  for (const { id, isListed } of claimed) if (isListed) attachments.announceUpdate(tx, id);
}

/**
 * Lets the readers of a message of the service's own bot read these files, which came with what it
 * quotes, and none that its text links besides.
 */
export function claimAdded(tx: RealmTransaction, messageId: number, ids: readonly number[]) {
  const message = tx.messages.get([messageId]);
  if (message === undefined) return;
  for (const id of ids) {
    if (take(tx, asHolder(message), id)?.isListed) attachments.announceUpdate(tx, id);
  }
}

/**
 * Applies what `claim` does to an edited message, which may drop links. Returns files of the
 * caller that are no longer linked anywhere.
 */
export function change(
  tx: RealmTransaction,
  caller: Caller,
  { before, after }: { before: MessageRow; after: MessageRow },
): Attachment[] {
  if (!mayLinkFiles(before.content) && !mayLinkFiles(after.content)) return [];
  const { claimed, released } = rehold(tx, caller, { holder: asHolder(after), linking: after });
  for (const { id, isListed } of [...claimed, ...released]) {
    if (isListed) attachments.announceUpdate(tx, id);
  }
  return released
    .filter(({ id }) => isUnusedOf(tx, caller.user, id))
    .map(({ id }) => attachments.find(tx, id))
    .filter((attachment) => attachment !== undefined);
}

/** Removes the links of deleted messages. */
export function release(tx: RealmTransaction, rows: readonly MessageRow[]) {
  const released = new Set<number>();
  for (const row of rows) {
    if (!mayLinkFiles(row.content)) continue;
    for (const { id, isListed } of letGo(tx, asHolder(row))) if (isListed) released.add(id);
  }
  for (const id of released) attachments.announceUpdate(tx, id);
}

/** Moves the links of a message to another channel, which has other readers. */
export function move(
  tx: RealmTransaction,
  { before, after }: { before: MessageRow; after: MessageRow },
) {
  if (!mayLinkFiles(before.content)) return;
  for (const id of heldBy(tx, asHolder(before))) {
    tx.attachmentPlaces.remove(placeKey(id, before));
    tx.attachmentPlaces.put(placeKey(id, after), {});
  }
}

interface Scheduled extends Linking {
  readonly id: number;
}

/** Keeps files of a scheduled message until it is sent, without letting anybody read more. */
export function claimScheduled(
  tx: RealmTransaction,
  caller: Caller,
  { id, ...linking }: Scheduled,
) {
  rehold(tx, caller, { holder: asScheduled(id), linking });
}

export function releaseScheduled(tx: RealmTransaction, { id, content }: Scheduled) {
  if (mayLinkFiles(content)) letGo(tx, asScheduled(id));
}

interface Held {
  readonly holder: Holder;
  readonly linking: Linking;
}

function rehold(tx: RealmTransaction, caller: Caller, { holder, linking }: Held) {
  const linked = linkable(tx, caller, linking, holder);
  const released = heldBy(tx, holder).filter((id) => !linked.includes(id));
  return {
    released: released.map((id) => drop(tx, holder, id)),
    claimed: linked.map((id) => take(tx, holder, id)).filter((change) => change !== undefined),
  };
}

/** A file that was linked, or is not linked any more. */
interface Change {
  readonly id: number;
  /** True if the change affects what clients see of the file. */
  readonly isListed: boolean;
}

/** Returns the linked files that the caller may read; files that the holder links already stay. */
function linkable(
  tx: RealmTransaction,
  { user, site }: Caller,
  { content, renderedContent }: Linking,
  holder: Holder,
): number[] {
  if (!mayLinkFiles(content)) return [];
  const ids: number[] = [];
  const paths = linkedFiles(renderedContent, hostsOf(site));
  for (const pathId of paths.slice(0, ATTACHMENTS_PER_MESSAGE_MAX)) {
    const attachment = attachments.byPath(tx, pathId);
    if (attachment === undefined) continue;
    const isHeld = tx.attachmentUses.has([attachment.id, holder.kind, holder.id]);
    if (!isHeld && !isReadable(tx, user, attachment)) continue;
    ids.push(attachment.id);
  }
  return ids;
}

/** Returns the hosts of the realm, also the one that the caller named. */
const hostsOf = ({ url, requestHost, host }: Site) => [
  ...new Set([url.slice(url.indexOf('//') + 2).toLowerCase(), requestHost, host].filter(Boolean)),
];

/** Adds a link; returns undefined if it existed already. */
function take(tx: RealmTransaction, holder: Holder, id: number): Change | undefined {
  const { kind, id: holderId, sentAt, message } = holder;
  const row = tx.attachments.get([id]);
  if (row === undefined || tx.attachmentUses.has([id, kind, holderId])) return undefined;
  tx.attachmentUses.put([id, kind, holderId], { sentAt });
  tx.usedAttachments.put([kind, holderId, id], {});
  if (message !== null) tx.attachmentPlaces.put(placeKey(id, message), {});
  attachments.markUsed(tx, id, row);
  return { id, isListed: isListed(tx, holder, id) };
}

function drop(tx: RealmTransaction, holder: Holder, id: number): Change {
  const { kind, id: holderId, message } = holder;
  const change = { id, isListed: isListed(tx, holder, id) };
  tx.attachmentUses.remove([id, kind, holderId]);
  tx.usedAttachments.remove([kind, holderId, id]);
  if (message !== null) tx.attachmentPlaces.remove(placeKey(id, message));
  const row = tx.attachments.get([id]);
  if (row !== undefined && isUnused(tx, id)) attachments.markUnused(tx, id, row);
  return change;
}

const isListed = (tx: RealmTransaction, { message }: Holder, id: number): boolean =>
  message !== null && attachments.isListed(tx, id, message.id);

const letGo = (tx: RealmTransaction, holder: Holder): Change[] =>
  heldBy(tx, holder).map((id) => drop(tx, holder, id));

const heldBy = (tx: RealmTransaction, { kind, id }: Holder): number[] =>
  Array.from(tx.usedAttachments.keysUnder([kind, id]), ([, , attachmentId]) => attachmentId);

function isUnused(tx: RealmTransaction, id: number): boolean {
  for (const _ of tx.attachmentUses.keysUnder([id], { limit: 1 })) return false;
  return true;
}

const isUnusedOf = (tx: RealmTransaction, { id: userId }: UserRow, id: number): boolean =>
  tx.attachments.get([id])?.ownerId === userId && isUnused(tx, id);
