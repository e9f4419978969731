import { expect, onTestFinished, test } from 'vitest';
import { type CountedLog, countedLog } from '../../src/cluster/log/counted-log.ts';
import { openMemoryCluster } from '../../src/cluster/log/memory/memory-cluster.ts';
import type { HeldRealm } from '../../src/cluster/realms/held-realm.ts';
import { decodeRecord } from '../../src/cluster/records/record.ts';
import type { HeldShardInput } from '../../src/cluster/shards/declaration.ts';
import { openHeldShard } from '../../src/cluster/shards/held-shard.ts';
import { SCHEMAS } from '../../storage/migrations/migrations.ts';

const never = () => expect.fail('it is not asked for');

const inputOver = (log: CountedLog, all: readonly HeldRealm[]): HeldShardInput => ({
  number: 0,
  node: 'a',
  log,
  realms: {
    all: () => all,
    ready: () => Promise.resolve(),
    about: never,
    hold: never,
    release: never,
    folderOf: never,
    lacksSome: () => false,
    write: () => Promise.resolve(),
  },
  marks: { prepare: never, close: () => Promise.resolve() },
  schemas: SCHEMAS,
  isOlderAlive: () => false,
  silenceMs: 60_000,
  line: () => ['a', 'b'],
  reachedSince: () => performance.now(),
  mayOwn: () => true,
  retryAfterMs: () => 0,
  onOwned: never,
  onFailed: (_, error) => expect.fail(String(error)),
});

test('a node that follows tells its reader what the owner says to have stored last', async () => {
  const told: number[] = [];
  const log: CountedLog = {
    first: () => Promise.resolve(1),
    last: () => Promise.resolve(0),
    record: () => Promise.resolve(undefined),
    append: () => Promise.reject(new Error('it owns nothing')),
    tail: () => ({
      noteLast: (sequence) => void told.push(sequence),
      stop: () => Promise.resolve(),
    }),
    forgetBefore: () => Promise.resolve(),
    bytes: () => 0,
  };
  const shard = openHeldShard(inputOver(log, []));
  onTestFinished(() => shard.stop());
  await shard.joined();
  shard.heard('b', { epoch: 3, sequence: 17 });
  expect(told).toEqual([17]);
  // Somebody who was deposed before does not know.
  shard.heard('c', { epoch: -1, sequence: 40 });
  expect(told).toEqual([17]);
});

/** A shard that is owned, with a realm whose store is closed when the test says so. */
async function owned() {
  const log = countedLog(await openMemoryCluster().openNode('a').openLog(0));
  let close = () => {};
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  let opened = 0;
  const realm = {
    schema: () => 0,
    follow() {
      opened += 1;
      return null;
    },
    following: () => null,
    closing: () => ({ lastCommit: Promise.resolve(), closed }),
    close: () => closed,
  } as Partial<HeldRealm> as HeldRealm;
  const shard = openHeldShard({
    ...inputOver(log, [realm]),
    silenceMs: 0,
    reachedSince: () => 0,
    onOwned: () => () => undefined,
  });
  await expect.poll(() => shard.isOwned()).toBe(true);
  const kinds = async () => {
    const found: string[] = [];
    for (let number = 1; number <= (await log.last()); number++) {
      const record = await log.record(number);
      if (record !== undefined) found.push(decodeRecord(record.body).payload.kind);
    }
    return found;
  };
  return { shard, kinds, close, opened: () => opened };
}

test('an owner lets go once its last commits are in the log, while its stores are still open', async () => {
  const { shard, kinds, close, opened } = await owned();
  expect(opened()).toBe(1);
  const released = shard.release('b', { isLast: true });
  await expect.poll(kinds).toEqual(['claim', 'release']);
  expect(shard.state()).toBe('releasing');
  close();
  await released;
  // A node that is about to stop does not open them again.
  expect(opened()).toBe(1);
  await shard.stop();
});

test('an owner that goes on follows the next one', async () => {
  const { shard, close, opened } = await owned();
  close();
  await shard.release('b');
  expect(opened()).toBe(2);
  expect(shard.state()).toBe('following');
  await shard.stop();
});
