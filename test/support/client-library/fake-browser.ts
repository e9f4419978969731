import type { BrowserStorage } from '@confab/client';

/** The storage of a browser that several tabs share: IndexedDB, Web Locks, BroadcastChannel. */
export interface FakeBrowser {
  /** A tab of it. */
  tab(): BrowserStorage & {
    /** Ends the tab as a crash does: its locks are free, and it hears and says nothing more. */
    crash(): void;
  };
  /** The values that are stored, in all databases. */
  stored(): unknown[];
  /** Every transaction fails from now on, as on a full disk. */
  fillDisk(): void;
}

export function fakeBrowser(): FakeBrowser {
  const databases = new Map<string, Map<string, unknown>>();
  const channels = new Set<FakeChannel>();
  const queues = new Map<string, (() => void)[]>();
  let isDiskFull = false;

  /** Calls back later, as a browser does. */
  const later = (act: () => void) => void setTimeout(act, 0);

  function openDatabase(name: string) {
    const isNew = !databases.has(name);
    const entries = databases.get(name) ?? new Map<string, unknown>();
    databases.set(name, entries);
    const database = {
      onversionchange: null,
      createObjectStore: () => undefined,
      close: () => undefined,
      transaction() {
        const transaction = {
          error: null as Error | null,
          oncomplete: null as (() => void) | null,
          onabort: null as (() => void) | null,
          objectStore: () => ({
            getAll: () => request([...entries.values()].map((value) => structuredClone(value))),
            put(value: unknown) {
              const { key } = value as { key: string };
              if (!isDiskFull) entries.set(key, structuredClone(value));
              return request(key);
            },
            delete(key: string) {
              entries.delete(key);
              return request(undefined);
            },
          }),
        };
        later(() => {
          if (!isDiskFull) return transaction.oncomplete?.();
          transaction.error = new Error('the disk is full');
          transaction.onabort?.();
        });
        return transaction;
      },
    };
    const opening = { ...request(database), onupgradeneeded: null as (() => void) | null };
    later(() => {
      if (isNew) opening.onupgradeneeded?.();
      opening.onsuccess?.();
    });
    return opening;
  }

  class FakeChannel {
    onmessage: ((event: { data: unknown }) => void) | null = null;
    readonly name: string;

    constructor(name: string) {
      this.name = name;
      channels.add(this);
    }

    postMessage(data: unknown) {
      for (const other of channels) {
        if (other === this || other.name !== this.name) continue;
        later(() => other.onmessage?.({ data: structuredClone(data) }));
      }
    }

    close() {
      this.onmessage = null;
      channels.delete(this);
    }
  }

  return {
    tab() {
      const own = new Set<FakeChannel>();
      const frees = new Set<() => void>();
      return {
        indexedDB: { open: openDatabase },
        BroadcastChannel: class extends FakeChannel {
          constructor(name: string) {
            super(name);
            own.add(this);
          }
        },
        locks: {
          async request(name, { signal }, held) {
            const queue = queues.get(name) ?? [];
            queues.set(name, queue);
            await new Promise<void>((resolve, reject) => {
              queue.push(resolve);
              if (queue.length === 1) resolve();
              signal.addEventListener('abort', () => {
                if (queue[0] === resolve) return;
                queue.splice(queue.indexOf(resolve), 1);
                reject(new Error('the request was aborted'));
              });
            });
            const free = () => {
              if (!frees.delete(free)) return;
              queue.shift();
              queue[0]?.();
            };
            frees.add(free);
            try {
              await held();
            } finally {
              free();
            }
          },
        },
        crash() {
          for (const channel of own) channel.close();
          for (const free of [...frees]) free();
        },
      };
    },
    stored: () => [...databases.values()].flatMap((entries) => [...entries.values()]),
    fillDisk() {
      isDiskFull = true;
    },
  };
}

const request = <Result>(result: Result) => ({
  result,
  error: null,
  onsuccess: null as (() => void) | null,
  onerror: null as (() => void) | null,
});
