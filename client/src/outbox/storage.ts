import type { Fields } from '../errors.ts';

/** A message to send: the parameters of `POST /messages`. */
export interface Message {
  readonly type: 'channel' | 'stream' | 'direct' | 'private';
  /** The name or id of a channel, or addresses or ids of people. */
  readonly to: string | number | readonly (string | number)[];
  readonly topic?: string;
  readonly content: string;
  readonly [parameter: string]: unknown;
}

/** An entry as it is stored. */
export interface OutboxRecord {
  /** The idempotency key. */
  readonly key: string;
  /** Entries are sent in this order within their conversation. */
  readonly order: number;
  readonly message: Message;
  /** UNIX ms since when the key may be known to the server. */
  readonly since: number;
  readonly state: 'pending' | 'refused' | 'expired';
  /** The words of the server, for a refused one. */
  readonly refusal?: Fields;
}

/** Keeps entries until they are sent. */
export interface OutboxStorage {
  /** Returns all entries, in any order. */
  load(): Promise<readonly OutboxRecord[]>;
  /** Adds or replaces an entry; resolves when it would survive a crash. */
  put(record: OutboxRecord): Promise<void>;
  remove(key: string): Promise<void>;
  /**
   * Runs `send` while nobody else sends from the same storage, if that can be known, until `signal`
   * is aborted. Without it everybody sends; the server recognizes what comes twice.
   */
  asOnlySender?(send: () => Promise<void>, signal: AbortSignal): Promise<void>;
  /** Tells those that share the storage of a change. */
  announce?(change: OutboxChange): void;
  /** Hears of the changes of others; returns the function that ends that. */
  onChange?(listener: (change: OutboxChange) => void): () => void;
}

/** An entry was stored, or is gone, perhaps because it was sent with that message id. */
export interface OutboxChange {
  readonly key: string;
  readonly record?: OutboxRecord;
  readonly sentId?: number;
}

/** Keeps entries in memory, for as long as the client lives. */
export function memoryOutbox(): OutboxStorage {
  const records = new Map<string, OutboxRecord>();
  return {
    load: async () => [...records.values()],
    async put(record) {
      records.set(record.key, record);
    },
    async remove(key) {
      records.delete(key);
    },
  };
}
