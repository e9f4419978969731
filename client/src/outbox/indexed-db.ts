import type { OutboxChange, OutboxRecord, OutboxStorage } from './storage.ts';

/** The parts of a browser that the storage uses, so that no types of a page are needed. */
export interface BrowserStorage {
  readonly indexedDB: { open(name: string, version: number): OpenRequest };
  readonly locks?: Locks | undefined;
  readonly BroadcastChannel?: (new (name: string) => Channel) | undefined;
}

interface Locks {
  request(
    name: string,
    options: { readonly signal: AbortSignal },
    held: () => Promise<void>,
  ): Promise<unknown>;
}

interface Channel {
  // biome-ignore lint/suspicious/noExplicitAny: browsers and Node have types of their own for it.
  onmessage: ((event: any) => void) | null;
  postMessage(message: unknown): void;
  close(): void;
}

interface DbRequest<Result> {
  readonly result: Result;
  readonly error: Error | null;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  onsuccess: ((event: any) => void) | null;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  onerror: ((event: any) => void) | null;
}

interface OpenRequest extends DbRequest<Database> {
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  onupgradeneeded: ((event: any) => void) | null;
}

interface Database {
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  onversionchange: ((event: any) => void) | null;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  onclose?: ((event: any) => void) | null;
  createObjectStore(name: string, options: { readonly keyPath: string }): unknown;
  transaction(
    names: string,
    mode: 'readonly' | 'readwrite',
    options?: { readonly durability: 'strict' },
  ): Transaction;
  close(): void;
}

interface Transaction {
  readonly error: Error | null;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  oncomplete: ((event: any) => void) | null;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  onabort: ((event: any) => void) | null;
  objectStore(name: string): Store;
}

interface Store {
  getAll(): DbRequest<unknown[]>;
  put(value: unknown): DbRequest<unknown>;
  delete(key: string): DbRequest<unknown>;
}

const STORE = 'entries';

/**
 * Keeps entries in IndexedDB, so that they survive a reload and a crash of the browser. Of the tabs
 * with the same name one sends, as long as it lives; all of them show the same entries. Give each
 * account a name of its own.
 */
export function indexedDbOutbox(name: string, browser: BrowserStorage = globals()): OutboxStorage {
  const shared = `confab-outbox-${name}`;
  const { BroadcastChannel, locks } = browser;
  const database = openDatabase(shared, browser);
  let channel: Channel | undefined;

  return {
    async load() {
      return (await database.run('readonly', (store) => store.getAll())) as OutboxRecord[];
    },
    async put(record) {
      await database.run('readwrite', (store) => store.put(record));
    },
    async remove(key) {
      await database.run('readwrite', (store) => store.delete(key));
    },
    announce(change) {
      channel?.postMessage(change);
    },
    onChange(listener) {
      if (BroadcastChannel === undefined) return () => undefined;
      const opened = new BroadcastChannel(shared);
      opened.onmessage = ({ data }: { data: OutboxChange }) => listener(data);
      channel = opened;
      return () => {
        channel = undefined;
        opened.close();
      };
    },
    async asOnlySender(send, signal) {
      if (locks === undefined) return send();
      try {
        await locks.request(shared, { signal }, send);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
  };
}

function openDatabase(name: string, { indexedDB }: BrowserStorage) {
  let opened: Promise<Database> | undefined;

  const open = () =>
    new Promise<Database>((resolve, reject) => {
      const request = indexedDB.open(name, 1);
      request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'key' });
      request.onerror = () => reject(request.error);
      request.onsuccess = () => {
        const forget = () => {
          opened = undefined;
        };
        // A browser closes it when the user clears the data of the site.
        request.result.onclose = forget;
        request.result.onversionchange = () => {
          request.result.close();
          forget();
        };
        resolve(request.result);
      };
    });

  return {
    /** Resolves when the transaction is on disk, as far as the browser can tell. */
    async run(mode: 'readonly' | 'readwrite', act: (store: Store) => DbRequest<unknown>) {
      opened ??= open();
      opened.catch(() => {
        opened = undefined;
      });
      const database = await opened;
      return new Promise<unknown>((resolve, reject) => {
        const transaction = database.transaction(STORE, mode, { durability: 'strict' });
        const request = act(transaction.objectStore(STORE));
        transaction.oncomplete = () => resolve(request.result);
        transaction.onabort = () => reject(transaction.error ?? request.error);
      });
    },
  };
}

function globals(): BrowserStorage {
  const { indexedDB, navigator, BroadcastChannel } = globalThis as unknown as {
    readonly indexedDB?: BrowserStorage['indexedDB'];
    readonly navigator?: { readonly locks?: Locks };
    readonly BroadcastChannel?: new (name: string) => Channel;
  };
  if (indexedDB === undefined) throw new Error('There is no IndexedDB here');
  return { indexedDB, locks: navigator?.locks, BroadcastChannel };
}
