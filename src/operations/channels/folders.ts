import type { ChannelFolderRow } from '../../../storage/tables/channels/folders.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  CHANNEL_FOLDER_DESCRIPTION_LENGTH_MAX,
  CHANNEL_FOLDER_NAME_LENGTH_MAX,
  CHANNEL_FOLDERS_MAX,
} from '../../domain/limits/channels.ts';
import {
  isLongerThan,
  unprintableIn,
  unprintablePosition,
} from '../../domain/rules/messages/topic.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { EventBody } from '../../domain/wire/events/log-entry.ts';
import type { ChannelFolder } from '../../domain/wire/objects.ts';
import { renderMarkdown } from '../../markdown/markdown.ts';
import type { Reads } from '../access/groups.ts';
import { mentionDirectory } from '../rendering/mention-directory.ts';

/** Returns all folders, in their order. */
export const list = (tx: Reads): ChannelFolder[] =>
  Array.from(tx.channelFolders.range({}), ([[id], row]) => folderObject(id, row)).sort(
    (one, other) => one.order - other.order,
  );

interface Written {
  readonly name: string;
  readonly description: string;
}

/** Adds a folder as the last one. */
export function add(
  tx: RealmTransaction,
  creator: UserRow,
  { name, description }: Written,
): { channel_folder_id: number } {
  const all = list(tx);
  const row: ChannelFolderRow = {
    name: acceptableName(all, name),
    ...described(tx, creator, description),
    dateCreated: Math.floor(tx.now / 1000),
    creatorId: creator.id,
    order: all.length,
    isArchived: false,
  };
  if (all.length >= CHANNEL_FOLDERS_MAX) {
    throw errors.badRequest(`An organization has at most ${CHANNEL_FOLDERS_MAX} channel folders.`);
  }
  const id = tx.nextId('channelFolder');
  tx.channelFolders.put([id], row);
  emit(tx, { type: 'channel_folder', op: 'add', channel_folder: folderObject(id, row) });
  return { channel_folder_id: id };
}

type Change = {
  readonly [Name in keyof Written]: Written[Name] | undefined;
} & { readonly isArchived: boolean | undefined };

/** Changes the given fields; an unchanged folder is not announced. */
export function update(
  tx: RealmTransaction,
  user: UserRow,
  { id, name, description, isArchived }: Change & { readonly id: number },
) {
  const before = tx.channelFolders.get([id]);
  if (before === undefined) throw errors.invalidChannelFolderId();
  const others = list(tx).filter((folder) => folder.id !== id);
  const row: ChannelFolderRow = {
    ...before,
    ...(name === undefined ? {} : { name: acceptableName(others, name) }),
    ...(description === undefined ? {} : described(tx, user, description)),
    ...(isArchived === undefined ? {} : { isArchived }),
  };
  if (row.isArchived && !before.isArchived && isInUse(tx, id)) {
    throw errors.badRequest('You need to remove all the channels from this folder to archive it.');
  }
  const data = {
    ...(row.name === before.name ? {} : { name: row.name }),
    ...(row.description === before.description
      ? {}
      : { description: row.description, rendered_description: row.renderedDescription }),
    ...(row.isArchived === before.isArchived ? {} : { is_archived: row.isArchived }),
  };
  if (Object.keys(data).length === 0) return;
  tx.channelFolders.put([id], row);
  emit(tx, { type: 'channel_folder', op: 'update', channel_folder_id: id, data });
}

/** Reorders the folders by a list that names each of them once. */
export function reorder(tx: RealmTransaction, ids: readonly number[]) {
  const before = list(tx).map(({ id }) => id);
  const known = new Set(before);
  if (ids.length !== known.size || new Set(ids).size !== known.size || !ids.every(isIn(known))) {
    throw errors.badRequest('Invalid order mapping.');
  }
  if (ids.every((id, index) => id === before[index])) return;
  for (const [order, id] of ids.entries()) {
    const row = tx.channelFolders.get([id]);
    if (row !== undefined) tx.channelFolders.put([id], { ...row, order });
  }
  emit(tx, { type: 'channel_folder', op: 'reorder', order: [...ids] });
}

/** Refuses a folder for channels if it is missing or archived. */
export function refuseUnlessOpen(tx: Reads, folderId: number) {
  if (tx.channelFolders.get([folderId])?.isArchived !== false) {
    throw errors.invalidChannelFolderId();
  }
}

const isIn = (known: ReadonlySet<number>) => (id: number) => known.has(id);

/**
 * Tests whether any channel is in a folder; archived channels count as well, since they may be
 * restored.
 */
function isInUse(tx: Reads, folderId: number): boolean {
  for (const [, channel] of tx.channels.range({})) if (channel.folderId === folderId) return true;
  return false;
}

function acceptableName(others: readonly ChannelFolder[], given: string): string {
  const name = given.trim();
  if (name === '') throw errors.badRequest("Channel folder name can't be empty.");
  if (isLongerThan(name, CHANNEL_FOLDER_NAME_LENGTH_MAX)) {
    throw errors.badRequest(
      `name is too long (limit: ${CHANNEL_FOLDER_NAME_LENGTH_MAX} characters)`,
    );
  }
  if (unprintableIn(name)) {
    throw errors.badRequest(
      `Invalid character in channel folder name, at position ${unprintablePosition(name)}.`,
    );
  }
  const key = name.toLowerCase();
  if (others.some((folder) => folder.name.toLowerCase() === key)) {
    throw errors.badRequest(`Channel folder '${name}' already exists`);
  }
  return name;
}

function described(
  tx: RealmTransaction,
  author: UserRow,
  given: string,
): Pick<ChannelFolderRow, 'description' | 'renderedDescription'> {
  const description = given.trim();
  if (isLongerThan(description, CHANNEL_FOLDER_DESCRIPTION_LENGTH_MAX)) {
    const limit = CHANNEL_FOLDER_DESCRIPTION_LENGTH_MAX;
    throw errors.badRequest(`description is too long (limit: ${limit} characters)`);
  }
  if (description.includes('\0')) {
    throw errors.badRequest('description must not contain null bytes');
  }
  const { html } = renderMarkdown(description, mentionDirectory(tx, author));
  return { description, renderedDescription: html };
}

const emit = (tx: RealmTransaction, event: EventBody) =>
  tx.emit({ event, audience: { everyone: true } });

const folderObject = (id: number, row: ChannelFolderRow): ChannelFolder => ({
  id,
  name: row.name,
  description: row.description,
  rendered_description: row.renderedDescription,
  order: row.order,
  date_created: row.dateCreated,
  creator_id: row.creatorId,
  is_archived: row.isArchived,
});
