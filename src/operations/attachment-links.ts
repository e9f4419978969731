import type { RealmTransaction } from '../../storage/realm-store.ts';
import type { AttachmentHolder } from '../../storage/tables/attachment-uses.ts';
import type { MessageRow } from '../../storage/tables/messages.ts';
import type { UserRow } from '../../storage/tables/users.ts';
import { ATTACHMENTS_PER_MESSAGE_MAX, MESSAGES_PER_ATTACHMENT_MAX } from '../domain/limits.ts';
import { linkedFiles, mayLinkFiles } from '../domain/message-contents.ts';
import type { Attachment } from '../domain/objects.ts';
import * as attachments from './attachments.ts';
import type { Caller, Place } from './caller.ts';

/** What links files: a message, or one that is to be sent. */
interface Holder {
  readonly kind: AttachmentHolder;
  readonly id: number;
  /** UNIX seconds. */
  readonly sentAt: number;
}

/** What of a message says which files it links. */
interface Linking {
  readonly content: string;
  readonly renderedContent: string;
}

const asHolder = ({ id, sentAt }: MessageRow): Holder => ({ kind: 'message', id, sentAt });

/**
 * Lets those who read a message read the files that it links, as far as its sender may; what the service quotes opens
 * nothing. Most messages link none.
 */
export function claim(tx: RealmTransaction, caller: Caller, row: MessageRow) {
  if (!mayLinkFiles(row.content) || caller.user.isSystem) return;
  for (const id of hold(tx, caller, { holder: asHolder(row), linking: row })) {
    attachments.announceUpdate(tx, id);
  }
}

/** The same of an edited message, which may let go of some. Gives files of the acting user that nothing links now. */
export function change(
  tx: RealmTransaction,
  caller: Caller,
  { before, after }: { before: MessageRow; after: MessageRow },
): Attachment[] {
  if (!mayLinkFiles(before.content) && !mayLinkFiles(after.content)) return [];
  const { claimed, released } = rehold(tx, caller, { holder: asHolder(after), linking: after });
  for (const id of [...claimed, ...released]) attachments.announceUpdate(tx, id);
  return released
    .filter((id) => isUnusedOf(tx, caller.user, id))
    .map((id) => attachments.find(tx, id))
    .filter((attachment) => attachment !== undefined);
}

/** Of messages that are deleted. */
export function release(tx: RealmTransaction, rows: readonly MessageRow[]) {
  const released = new Set<number>();
  for (const row of rows) {
    if (!mayLinkFiles(row.content)) continue;
    for (const id of letGo(tx, asHolder(row))) released.add(id);
  }
  for (const id of released) attachments.announceUpdate(tx, id);
}

interface Scheduled extends Linking {
  readonly id: number;
}

/** Files of a message that is to be sent are kept until it is; nobody may read more for it. */
export function claimScheduled(
  tx: RealmTransaction,
  caller: Caller,
  { id, ...linking }: Scheduled,
) {
  const holder: Holder = { kind: 'scheduled', id, sentAt: 0 };
  rehold(tx, caller, { holder, linking });
}

export function releaseScheduled(tx: RealmTransaction, { id, content }: Scheduled) {
  if (mayLinkFiles(content)) letGo(tx, { kind: 'scheduled', id, sentAt: 0 });
}

interface Held {
  readonly holder: Holder;
  readonly linking: Linking;
}

/** Gives the files that were not held by it before. */
function hold(tx: RealmTransaction, caller: Caller, { holder, linking }: Held): number[] {
  return linkable(tx, caller, linking).filter((id) => take(tx, holder, id));
}

function rehold(tx: RealmTransaction, caller: Caller, { holder, linking }: Held) {
  const wanted = linkable(tx, caller, linking, holder);
  const released = heldBy(tx, holder).filter((id) => !wanted.includes(id));
  for (const id of released) drop(tx, holder, id);
  return { claimed: wanted.filter((id) => take(tx, holder, id)), released };
}

/** Files that it links and the caller may read; those that it holds already stay its own. */
function linkable(
  tx: RealmTransaction,
  { user, place }: Caller,
  { content, renderedContent }: Linking,
  holder?: Holder,
): number[] {
  if (!mayLinkFiles(content)) return [];
  const ids: number[] = [];
  for (const pathId of linkedFiles(renderedContent, hostsOf(place))) {
    const attachment = attachments.byPath(tx, pathId);
    if (attachment === undefined) continue;
    const isHeld =
      holder !== undefined && tx.attachmentUses.has([attachment.id, holder.kind, holder.id]);
    if (!isHeld && !attachments.isReadable(tx, user, attachment)) continue;
    ids.push(attachment.id);
    if (ids.length >= ATTACHMENTS_PER_MESSAGE_MAX) break;
  }
  return ids;
}

/** The realm's own, however the caller reaches it. */
const hostsOf = ({ url, host }: Place) => [url.slice(url.indexOf('//') + 2).toLowerCase(), host];

/** Whether it was not held, and is now. */
function take(tx: RealmTransaction, { kind, id: holderId, sentAt }: Holder, id: number): boolean {
  const row = tx.attachments.get([id]);
  if (row === undefined || tx.attachmentUses.has([id, kind, holderId])) return false;
  if (kind === 'message' && isClaimedOften(tx, id)) return false;
  tx.attachmentUses.put([id, kind, holderId], { sentAt });
  tx.usedAttachments.put([kind, holderId, id], {});
  attachments.markUsed(tx, id, row);
  return true;
}

function isClaimedOften(tx: RealmTransaction, id: number): boolean {
  let count = 0;
  for (const _ of tx.attachmentUses.keysUnder([id, 'message'])) count += 1;
  return count >= MESSAGES_PER_ATTACHMENT_MAX;
}

function drop(tx: RealmTransaction, { kind, id: holderId }: Holder, id: number) {
  tx.attachmentUses.remove([id, kind, holderId]);
  tx.usedAttachments.remove([kind, holderId, id]);
  const row = tx.attachments.get([id]);
  if (row !== undefined && isUnused(tx, id)) attachments.markUnused(tx, id, row);
}

function letGo(tx: RealmTransaction, holder: Holder): number[] {
  const ids = heldBy(tx, holder);
  for (const id of ids) drop(tx, holder, id);
  return ids;
}

const heldBy = (tx: RealmTransaction, { kind, id }: Holder): number[] =>
  Array.from(tx.usedAttachments.keysUnder([kind, id]), ([, , attachmentId]) => attachmentId);

function isUnused(tx: RealmTransaction, id: number): boolean {
  for (const _ of tx.attachmentUses.keysUnder([id], { limit: 1 })) return false;
  return true;
}

const isUnusedOf = (tx: RealmTransaction, { id: userId }: UserRow, id: number): boolean =>
  tx.attachments.get([id])?.ownerId === userId && isUnused(tx, id);
