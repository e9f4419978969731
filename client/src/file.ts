import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutboxRecord, OutboxStorage } from './outbox/storage.ts';

/**
 * Keeps entries as files of a folder, each written aside, synced and renamed, so that a crash at
 * any moment leaves whole files only. Processes may share a folder: each sends all that it finds
 * there when it starts, and the server takes each message once. Give each account a folder of its
 * own.
 */
export function fileOutbox(folder: string): OutboxStorage {
  const fileOf = (key: string) =>
    join(folder, `${createHash('sha256').update(key).digest('hex')}${ENDING}`);
  let made: Promise<unknown> | undefined;
  const make = () => (made ??= mkdir(folder, { recursive: true, mode: 0o700 }));

  return {
    async load() {
      await make();
      const records: OutboxRecord[] = [];
      for (const name of await readdir(folder)) {
        if (name.endsWith(ASIDE)) await removeLeftOver(join(folder, name));
        if (!name.endsWith(ENDING)) continue;
        const record = await read(join(folder, name));
        if (record !== undefined) records.push(record);
      }
      return records;
    },
    async put(record) {
      await make();
      const aside = join(folder, `${randomUUID()}${ASIDE}`);
      try {
        await writeSynced(aside, JSON.stringify(record));
        await rename(aside, fileOf(record.key));
      } catch (error) {
        await rm(aside, { force: true }).catch(() => undefined);
        throw error;
      }
      await sync(folder);
    },
    async remove(key) {
      await rm(fileOf(key), { force: true });
      await sync(folder);
    },
  };
}

const ENDING = '.json';
const ASIDE = '.tmp';
/** A write takes milliseconds: after this time its process has ended. */
const LEFT_OVER_MS = 60_000;

/** Removes a file whose process ended before it was whole. */
async function removeLeftOver(path: string) {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
  if (Date.now() - mtimeMs > LEFT_OVER_MS) await rm(path, { force: true });
}

/** Returns undefined for a file that another process has removed, or that is no entry. */
async function read(path: string): Promise<OutboxRecord | undefined> {
  try {
    const record = JSON.parse(await readFile(path, 'utf8')) as Partial<OutboxRecord> | null;
    return typeof record?.key === 'string' && typeof record.message === 'object'
      ? (record as OutboxRecord)
      : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error as { code?: unknown }).code === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}

async function writeSynced(path: string, text: string) {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Syncs the names of a folder. Windows cannot, and need not. */
async function sync(folder: string) {
  const handle = await open(folder, 'r').catch(() => undefined);
  try {
    await handle?.sync();
  } catch {
    // The file system keeps names without it, or not at all.
  } finally {
    await handle?.close();
  }
}
