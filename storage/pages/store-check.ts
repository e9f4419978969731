import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { diskCode, diskFault } from '../files/disk-fault.ts';
import { readRegularFile } from '../files/regular-file.ts';
import { replaceFile, replaceFileMeanwhile } from '../files/replace-file.ts';
import { STORE_FILE } from '../frozen-store.ts';
import { freePagesIn, NO_PAGE, openStorePages, PageFault, type StorePages } from './store-pages.ts';

/** Says in one line for the operator why the store of a realm is not opened. */
export class StoreDamaged extends Error {}

/**
 * A record of what a store once had, beside it in `store.json`: a store that has less has lost
 * acknowledged changes (decision 0133). The record may be behind the store, and is never ahead of
 * what was on disk.
 */
export type StoreRecord = z.output<typeof record>;

const record = z.object({
  /** Number of the commit, as LMDB counts commits. */
  transaction: z.int(),
  /** The newest event. */
  event: z.int(),
  /** Names of the realm, because a store that cannot be read does not say whose it is. */
  names: z.array(z.string()),
});

const recordFile = (folder: string) => join(folder, 'store.json');

/**
 * Returns undefined if there is no record, or none that can be read: it is a second witness, not
 * the store.
 */
export function readRecord(folder: string): StoreRecord | undefined {
  try {
    return record.parse(JSON.parse(readRegularFile(recordFile(folder))));
  } catch {
    return undefined;
  }
}

const textOf = (kept: StoreRecord) => `${JSON.stringify(kept)}\n`;

export const writeRecord = (folder: string, kept: StoreRecord) =>
  replaceFile(recordFile(folder), textOf(kept));

/** Does the same while others are served: a thread waits for the disk. */
export const keepRecord = (folder: string, kept: StoreRecord) =>
  replaceFileMeanwhile(recordFile(folder), textOf(kept));

/** Returns the newest commit that is surely on disk: the one after it may still be on its way. */
export function syncedTransaction(folder: string): number {
  const pages = openStorePages(join(folder, STORE_FILE));
  pages.close();
  return pages.meta.transaction - 1;
}

/**
 * Looks at a store before LMDB maps it into memory: at both of its first pages, its size and the
 * roots of all tables, and that it is no older than its record. Reads some hundred pages, however
 * large it is; throws `StoreDamaged`.
 */
export function checkStore(folder: string) {
  const path = join(folder, STORE_FILE);
  try {
    if (!existsSync(path)) throw new PageFault('the file is missing');
    const pages = openStorePages(path);
    try {
      checkPages(pages);
      checkAge(pages, readRecord(folder));
    } finally {
      pages.close();
    }
  } catch (error) {
    const isRead = error instanceof PageFault || diskCode(error) === undefined;
    if (isRead) throw damaged(path, (error as Error).message);
    throw new StoreDamaged(`${path} cannot be read, and is left as it is: ${diskFault(error)}`);
  }
}

/**
 * Checks that the opened store has all events of its record, and is in the folder of its own realm.
 */
export function checkOpened(
  folder: string,
  opened: { id: number | undefined; expectedId: number; head: number },
) {
  const { id, expectedId, head } = opened;
  const path = join(folder, STORE_FILE);
  if (id === undefined) throw damaged(path, 'it holds no realm');
  if (id !== expectedId)
    throw damaged(path, `it is the store of realm ${id}, not of ${expectedId}`);
  const event = readRecord(folder)?.event ?? 0;
  if (head < event)
    throw damaged(path, `it ends at event ${head}, and event ${event} was acknowledged`);
}

const damaged = (path: string, why: string) =>
  new StoreDamaged(
    `${path} is damaged and left as it is: ${why}. Restore a backup (confab backup restore), or remove store.json beside it ` +
      'if an older store was put there on purpose',
  );

function checkPages(pages: StorePages) {
  const { meta, fileBytes } = pages;
  const expectedBytes = (meta.lastPage + 1) * meta.pageBytes;
  if (fileBytes < expectedBytes && !isFreeBehind(pages)) {
    throw new PageFault(`the file has ${fileBytes} bytes of ${expectedBytes}`);
  }
  if (meta.freeRoot !== NO_PAGE) pages.page(meta.freeRoot);
  for (const { root } of pages.leaves(meta.mainRoot)) {
    if (root !== undefined && root !== NO_PAGE) pages.page(root);
  }
}

/**
 * Pages that were free before they were ever written need not be in the file: then the free list
 * has all pages behind its end.
 */
function isFreeBehind(pages: StorePages): boolean {
  const { meta, fileBytes } = pages;
  const free = new Set<number>();
  const end = Math.floor(fileBytes / meta.pageBytes);
  for (const leaf of pages.leaves(meta.freeRoot)) {
    for (const page of freePagesIn(pages.value(leaf), meta.lastPage))
      if (page >= end) free.add(page);
  }
  for (let page = end; page <= meta.lastPage; page++) if (!free.has(page)) return false;
  return true;
}

function checkAge({ meta }: StorePages, kept: StoreRecord | undefined) {
  if (kept === undefined || meta.transaction >= kept.transaction) return;
  throw new PageFault(
    `its newest commit is ${meta.transaction}, and commit ${kept.transaction} was on disk: the store is older than it was`,
  );
}
