import { randomBytes } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import type { NewRecord, ShardLog, StoredRecord } from '../../../../src/cluster/log/shard-log.ts';

let shards = 0;

/** Returns a shard that no other test of this file uses. */
export const freshShard = () => shards++;

export const newRecord = (expected: number, text = `record ${expected + 1}`): NewRecord => ({
  expected,
  id: randomBytes(8).toString('hex'),
  epoch: 1,
  body: Buffer.from(text),
});

/** Appends records after each other, from the end of the log on. */
export async function fill(log: ShardLog, count: number): Promise<void> {
  const from = await log.last();
  for (let at = 0; at < count; at += 1) {
    expect(await log.append(newRecord(from + at))).toBe('stored');
  }
}

/** Follows a log and keeps what it was handed. */
export function follow(log: ShardLog, from = 1) {
  const records: StoredRecord[] = [];
  const errors: Error[] = [];
  const tail = log.tail({
    from,
    onRecord: (record) => {
      records.push(record);
    },
    onBroken: (error) => errors.push(error),
  });
  onTestFinished(() => tail.stop());
  return { records, errors, tail, sequences: () => records.map(({ sequence }) => sequence) };
}

/** Returns a promise, and the function that resolves it. */
export function later<Value>() {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Returns the whole numbers up to one, from 1 on or from where it is told to. */
export const upTo = (last: number, from = 1) =>
  Array.from({ length: Math.max(last - from + 1, 0) }, (_, index) => from + index);
