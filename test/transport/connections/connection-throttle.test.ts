import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openConnectionThrottle } from '../../../src/transport/connections/connection-throttle.ts';

test('all begin in the order they came, and others have their turn in between', async () => {
  const begun: number[] = [];
  const throttle = openConnectionThrottle<number>((connection) => {
    begun.push(connection);
    busyFor(3);
  });
  const connections = Array.from({ length: 20 }, (_, index) => index);
  for (const connection of connections) throttle.add(connection);
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
  const throttle = openConnectionThrottle<string>((connection) => {
    begun.push(connection);
    if (connection === 'first') throttle.add('second');
  });
  throttle.add('first');
  await nextTurn();
  throttle.add('third');
  await nextTurn();
  expect(begun).toEqual(['first', 'second', 'third']);
});

function busyFor(milliseconds: number) {
  const endMs = performance.now() + milliseconds;
  while (performance.now() < endMs);
}
