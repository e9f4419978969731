import { type KV, Kvm, type KvWatchEntry } from '@nats-io/kv';
import { MESSAGE_BYTES_MAX, OPEN_MS, requireFitting, requireName } from '../bounds.ts';
import type { SharedValues } from '../bus.ts';
import { LogSetupError, LogUnreachableError } from '../errors.ts';
import { areServersTooFew, isWrongLastSequence } from './error-codes.ts';
import type { Link } from './nats-connection.ts';
import { asked } from './nats-records.ts';

/** The bucket that has the values of all nodes. */
const BUCKET = 'confab';
/** The stream of the bucket. */
export const VALUES_STREAM = `KV_${BUCKET}`;

export async function openNatsValues(link: Link, isUnsafe: boolean): Promise<SharedValues> {
  const bucket = await openBucket(new Kvm(link.connection), isUnsafe);
  return {
    async get(key) {
      requireName(key);
      const entry = await asked(() => bucket.get(key));
      return entry?.operation === 'PUT' ? entry.value : undefined;
    },
    async put(key, value) {
      requireName(key);
      requireFitting(value, MESSAGE_BYTES_MAX);
      await asked(() => bucket.put(key, value));
    },
    async putNew(key, value) {
      requireName(key);
      requireFitting(value, MESSAGE_BYTES_MAX);
      try {
        await bucket.create(key, value);
        return true;
      } catch (error) {
        if (isWrongLastSequence(error)) return false;
        throw new LogUnreachableError(`It is not known whether ${key} is stored`, { cause: error });
      }
    },
    async replace(key, former, value) {
      requireName(key);
      requireFitting(value, MESSAGE_BYTES_MAX);
      const entry = await asked(() => bucket.get(key));
      if (entry?.operation !== 'PUT' || !Buffer.from(entry.value).equals(former)) return false;
      try {
        await bucket.update(key, value, entry.revision);
        return true;
      } catch (error) {
        if (isWrongLastSequence(error)) return false;
        throw new LogUnreachableError(`It is not known whether ${key} is stored`, { cause: error });
      }
    },
    async keys(group) {
      requireName(group);
      const keys: string[] = [];
      for await (const key of await asked(() => bucket.keys(`${group}.*`))) keys.push(key);
      return keys;
    },
    async remove(key) {
      requireName(key);
      await asked(() => bucket.delete(key));
    },
    watch: (onValue) => watch(bucket, onValue),
  };
}

async function openBucket(kvm: Kvm, isUnsafe: boolean): Promise<KV> {
  // Values are read from the leader, so that who has written one reads it.
  const options = { history: 1, allow_direct: false };
  try {
    return await asked(() => kvm.create(BUCKET, { ...options, replicas: 3 }), OPEN_MS);
  } catch (error) {
    if (!areServersTooFew(error)) throw error;
    if (!isUnsafe) {
      throw new LogSetupError(`A cluster needs 3 NATS servers with JetStream: ${String(error)}`, {
        cause: error,
      });
    }
    return asked(() => kvm.create(BUCKET, { ...options, replicas: 1 }), OPEN_MS);
  }
}

async function watch(
  bucket: KV,
  onValue: (key: string, value: Uint8Array | undefined) => void,
): Promise<() => void> {
  const entries = await asked(() => bucket.watch());
  const known = new Set<string>();
  let isEnded = false;
  function tell({ key, operation, value }: KvWatchEntry): void {
    const isThere = operation === 'PUT';
    // A value that came and went unseen is no news.
    if (!isThere && !known.delete(key)) return;
    if (isThere) known.add(key);
    onValue(key, isThere ? value : undefined);
  }
  async function follow(): Promise<void> {
    for await (const entry of entries) {
      if (isEnded) return;
      tell(entry);
    }
  }
  // It ends without an error when the connection is closed.
  follow().catch(() => {});
  return () => {
    isEnded = true;
    entries.stop();
  };
}
