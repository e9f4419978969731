import { ObjectStoreAway } from '../../../storage/objects/object-error.ts';
import type { ObjectStore } from '../../../storage/objects/object-store.ts';

export interface MemoryObjects extends ObjectStore {
  readonly objects: Map<string, { readonly bytes: Buffer; readonly storedAt: number }>;
  /** While it is true, no request is answered; a number lets so many more through. */
  isAway: boolean | number;
  /** The methods that were called, with their keys. */
  readonly calls: string[];
  /** UNIX milliseconds that new objects are stored at. */
  now: number;
}

/** Objects in the memory of a test, which may be away. */
export function memoryObjects(): MemoryObjects {
  const objects: MemoryObjects['objects'] = new Map();
  const answer = (call: string) => {
    store.calls.push(call);
    if (typeof store.isAway === 'number') {
      store.isAway = store.isAway > 0 ? store.isAway - 1 : true;
    }
    if (store.isAway === true) throw new ObjectStoreAway('the store of the test is away');
  };
  const store: MemoryObjects = {
    address: 's3://test/memory',
    objects,
    isAway: false,
    calls: [],
    now: Date.now(),
    async put(key, content) {
      answer(`put ${key}`);
      const chunks: Uint8Array[] = [];
      for await (const chunk of content.chunks({ start: 0, end: content.bytes })) {
        chunks.push(Uint8Array.from(chunk));
      }
      const bytes = Buffer.concat(chunks);
      if (bytes.length !== content.bytes) throw new Error('a content is not as long as it says');
      objects.set(key, { bytes, storedAt: store.now });
    },
    async sizeOf(key) {
      answer(`size ${key}`);
      return objects.get(key)?.bytes.length;
    },
    async *chunks(key, range) {
      answer(`get ${key}`);
      const found = objects.get(key);
      if (found === undefined) throw Object.assign(new Error(`no ${key}`), { code: 'ENOENT' });
      const bytes = found.bytes.subarray(range?.start ?? 0, range?.end);
      for (let start = 0; start < bytes.length; start += 100_000) {
        yield Buffer.from(bytes.subarray(start, start + 100_000));
      }
    },
    async *list(prefix) {
      answer(`list ${prefix}`);
      for (const key of [...objects.keys()].sort()) {
        const found = objects.get(key);
        if (found === undefined || !key.startsWith(prefix)) continue;
        yield { key, bytes: found.bytes.length, storedAt: found.storedAt };
      }
    },
    async remove(key) {
      answer(`remove ${key}`);
      objects.delete(key);
    },
  };
  return store;
}
