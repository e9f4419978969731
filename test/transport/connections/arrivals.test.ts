import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openArrivals } from '../../../src/transport/connections/arrivals.ts';

test('all begin in the order they came, and others have their turn in between', async () => {
  const begun: number[] = [];
  const arrivals = openArrivals<number>((connection) => {
    begun.push(connection);
    busyFor(3);
  });
  const connections = Array.from({ length: 20 }, (_, index) => index);
  for (const connection of connections) arrivals.add(connection);
  expect(begun).toEqual([0]);

  const begunAtTurns: number[] = [];
  while (begun.length < connections.length) {
    await nextTurn();
    begunAtTurns.push(begun.length);
  }

  expect(begun).toEqual(connections);
  // Twenty of them take 60 ms, and a turn begins no more after its first 15 ms.
  expect(begunAtTurns.length).toBeGreaterThanOrEqual(4);
});

test('one that comes while others begin, or after all have, begins as well', async () => {
  const begun: string[] = [];
  const arrivals = openArrivals<string>((connection) => {
    begun.push(connection);
    if (connection === 'first') arrivals.add('second');
  });
  arrivals.add('first');
  await nextTurn();
  arrivals.add('third');
  await nextTurn();
  expect(begun).toEqual(['first', 'second', 'third']);
});

function busyFor(milliseconds: number) {
  const endMs = performance.now() + milliseconds;
  while (performance.now() < endMs);
}
