import { expect, onTestFinished, test } from 'vitest';
import type { CountedLog } from '../../src/cluster/log/counted-log.ts';
import { openHeldShard } from '../../src/cluster/shards/held-shard.ts';
import { SCHEMAS } from '../../storage/migrations/migrations.ts';

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
  const never = () => expect.fail('there are no realms');
  const shard = openHeldShard({
    number: 0,
    node: 'a',
    log,
    realms: {
      all: () => [],
      ready: () => Promise.resolve(),
      about: never,
      hold: never,
      release: never,
      folderOf: never,
      lacksSome: () => false,
      write: never,
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
  onTestFinished(() => shard.stop());
  await shard.joined();
  shard.heard('b', { epoch: 3, sequence: 17 });
  expect(told).toEqual([17]);
  // Somebody who was deposed before does not know.
  shard.heard('c', { epoch: -1, sequence: 40 });
  expect(told).toEqual([17]);
});
