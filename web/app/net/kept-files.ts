import {
  type FileKeep,
  KEPT_BYTES_MAX,
  KEPT_FILES_MAX,
  KEPT_MS_MAX,
  type KeptFile,
} from '../store/compose/kept-files.ts';

/** The facts about a file; its bytes stay where they were first written. */
interface Entry extends Omit<KeptFile, 'file'> {
  readonly size: number;
  readonly at: number;
}

const ENTRIES = 'entries';
const FILES = 'files';

/**
 * Keeps files in IndexedDB, for each account by itself. A lock says which tab has a file; a browser
 * without locks keeps none, because two tabs would upload it.
 */
export function keepFilesOf(account: string): FileKeep | null {
  const { locks } = navigator;
  if (locks === undefined || globalThis.indexedDB === undefined) return null;
  const name = `confab-files-${account}`;
  const opened = openDatabase(name);
  // A browser that refuses to keep anything says so once; the files go up all the same.
  opened.catch(() => undefined);
  /** Ends the lock of each file that this tab has. */
  const held = new Map<string, () => void>();
  const hold = (id: string) => new Promise<void>((resolve) => held.set(id, resolve));

  let last: Promise<unknown> = Promise.resolve();
  /** Does one thing after another, so that a file is new once. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const turn = last.then(work, work);
    last = turn;
    return turn;
  };
  const write = async (change: (entries: IDBObjectStore, files: IDBObjectStore) => void) => {
    const transaction = (await opened).transaction([ENTRIES, FILES], 'readwrite');
    change(transaction.objectStore(ENTRIES), transaction.objectStore(FILES));
    await finished(transaction);
  };
  const remove = (id: string) =>
    inTurn(async () => {
      await write((entries, files) => {
        entries.delete(id);
        files.delete(id);
      });
      held.get(id)?.();
      held.delete(id);
    });
  const read = async (id: string) => {
    const transaction = (await opened).transaction([ENTRIES, FILES]);
    const entry = answered<Entry | undefined>(transaction.objectStore(ENTRIES).get(id));
    const file = answered<File | undefined>(transaction.objectStore(FILES).get(id));
    return { entry: await entry, file: await file };
  };
  return {
    put: ({ file, ...kept }) =>
      inTurn(async () => {
        const { hasRoom, isNew } = await roomFor(await opened, { id: kept.id, size: file.size });
        if (!hasRoom) return;
        if (isNew) void locks.request(`${name} ${kept.id}`, () => hold(kept.id));
        await write((entries, files) => {
          entries.put({ ...kept, size: file.size, at: Date.now() } satisfies Entry);
          if (isNew) files.put(file, kept.id);
        });
      }),
    remove,
    restore(take) {
      const each = async (id: string) => {
        const { entry, file } = await read(id);
        // Another tab has finished it meanwhile.
        if (entry === undefined || file === undefined) return;
        if (Date.now() - entry.at > KEPT_MS_MAX) return await remove(id);
        const { size: _, at: __, ...kept } = entry;
        const end = hold(id);
        take({ ...kept, file });
        await end;
      };
      void opened
        .then((database) => allEntries(database))
        .then((entries) => {
          for (const { id } of entries) void locks.request(`${name} ${id}`, () => each(id));
        })
        .catch(() => undefined);
    },
  };
}

const allEntries = (database: IDBDatabase) =>
  answered<Entry[]>(database.transaction(ENTRIES).objectStore(ENTRIES).getAll());

/** Tells whether a file is to be kept, and whether its bytes are still to be written. */
async function roomFor(database: IDBDatabase, { id, size }: Pick<Entry, 'id' | 'size'>) {
  const entries = await allEntries(database);
  if (entries.some((entry) => entry.id === id)) return { hasRoom: true, isNew: false };
  const bytes = entries.reduce((sum, entry) => sum + entry.size, size);
  return { hasRoom: bytes <= KEPT_BYTES_MAX && entries.length < KEPT_FILES_MAX, isNew: true };
}

function openDatabase(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore(ENTRIES, { keyPath: 'id' });
    request.result.createObjectStore(FILES);
  };
  return answered(request);
}

const answered = <Value>(request: IDBRequest): Promise<Value> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result as Value); // what was stored by this file
    request.onerror = () => reject(request.error ?? new Error('The browser keeps nothing'));
  });

const finished = (transaction: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error('The browser keeps nothing'));
  });
