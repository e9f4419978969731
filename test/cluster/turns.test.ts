import { expect, test } from 'vitest';
import { openTurns } from '../../src/cluster/shards/turns.ts';

const opened = () =>
  openTurns({
    node: 'a',
    silenceMs: 0,
    line: () => ['a'],
    reachedSince: () => 0,
    mayOwn: () => true,
  });

test('a claim that was refused is made again at once, unless the log is shorter than the store', () => {
  const turns = opened();
  expect(turns.untilClaim()).toBeLessThanOrEqual(0);
  turns.refused(false);
  expect(turns.untilClaim()).toBeLessThanOrEqual(100);
  // The reader of the log has to find that out, which it does not while claims interrupt it.
  turns.refused(true);
  expect(turns.untilClaim()).toBeGreaterThan(4_000);
});
