/** Folders of channels, which administrators make, name, order and archive. */
import type { Contents } from '@confab/client/store';
import { app } from '../app.ts';

export interface ListedFolder {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly isArchived: boolean;
  /** How many channels of those that the account knows of are in it. */
  readonly channels: number;
}

/** Returns all folders in their order, those in the archive last. */
export function listedFolders({ folders, channels }: Contents): readonly ListedFolder[] {
  const counts = new Map<number, number>();
  for (const { folder_id: id, is_archived: isArchived } of channels.values()) {
    if (id !== null && !isArchived) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return [...folders.values()]
    .sort(
      (one, other) =>
        Number(one.is_archived) - Number(other.is_archived) || one.order - other.order,
    )
    .map(({ id, name, description, is_archived: isArchived }) => ({
      id,
      name,
      description,
      isArchived,
      channels: counts.get(id) ?? 0,
    }));
}

/** Makes a folder, and returns its id. */
export async function createFolder(name: string, description = ''): Promise<number> {
  const { channel_folder_id: id } = await app.chat.call('POST', '/channel_folders/create', {
    name: name.trim(),
    description: description.trim(),
  });
  return id;
}

export interface FolderChange {
  readonly name?: string;
  readonly description?: string;
  readonly is_archived?: boolean;
}

export const changeFolder = (folderId: number, change: FolderChange) =>
  app.chat.call('PATCH', '/channel_folders/{channel_folder_id}', {
    channel_folder_id: folderId,
    ...change,
  });

/** Returns the ids of all folders with one moved by a place; null if it cannot go further. */
export function movedOrder(
  state: Contents,
  folderId: number,
  by: 1 | -1,
): readonly number[] | null {
  const listed = listedFolders(state);
  const open = listed.filter(({ isArchived }) => !isArchived).map(({ id }) => id);
  const at = open.indexOf(folderId);
  const other = open[at + by];
  if (at < 0 || other === undefined) return null;
  open[at + by] = folderId;
  open[at] = other;
  // The server wants all of them, and those in the archive stay behind.
  return [...open, ...listed.filter(({ isArchived }) => isArchived).map(({ id }) => id)];
}

/** Moves a folder up or down by a place. */
export async function moveFolder(folderId: number, by: 1 | -1): Promise<void> {
  const order = movedOrder(app.read(), folderId, by);
  if (order !== null) await app.chat.call('PATCH', '/channel_folders', { order });
}
