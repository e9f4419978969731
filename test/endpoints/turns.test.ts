import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { TURN_MS_MAX, TURNS_OF_ACCOUNT_MAX } from '../../src/domain/limits/turns.ts';
import { openTurns, type Share, type Turns } from '../../src/endpoints/turns.ts';

const ADA: Share = { realmId: 1, account: 10 };
const MEL: Share = { realmId: 1, account: 11 };
const ELSEWHERE: Share = { realmId: 2, account: 10 };

/** Holds the thread for a whole turn. */
function burn() {
  const endsAt = performance.now() + TURN_MS_MAX + 0.5;
  while (performance.now() < endsAt);
}

/** Returns how many were run in each turn of the event loop, until so many have been. */
async function perTurn(order: readonly string[], until: number): Promise<readonly number[]> {
  const counts: number[] = [];
  while (order.length < until) {
    const before = order.length;
    await nextTurn();
    counts.push(order.length - before);
  }
  return counts;
}

interface Order {
  readonly turns: Turns;
  readonly order: string[];
  readonly ask: (share: Share, name: string, work?: () => void) => boolean;
}

function openOrder(): Order {
  const turns = openTurns();
  const order: string[] = [];
  const ask: Order['ask'] = (share, name, work = burn) =>
    turns.run(share, () => {
      order.push(name);
      work();
    });
  return { turns, order, ask };
}

test('work runs where it arrives while the thread has time', () => {
  const { order, ask } = openOrder();
  for (const name of ['a', 'b', 'c']) ask(ADA, name, () => undefined);
  expect(order).toEqual(['a', 'b', 'c']);
});

test('what holds the thread for a turn makes the rest wait, of which each turn of the loop runs as much', async () => {
  const { order, ask } = openOrder();
  for (const name of ['a', 'b', 'c']) ask(ADA, name);
  expect(order).toEqual(['a']);
  expect(Math.max(...(await perTurn(order, 3)))).toBe(1);
});

test('a realm and an account wait for one piece of work of each other, not for all that were asked before', async () => {
  const { order, ask } = openOrder();
  for (let n = 0; n < 10; n++) ask(ADA, `ada ${n}`);
  ask(MEL, 'mel', () => undefined);
  ask(ELSEWHERE, 'elsewhere', () => undefined);
  while (order.length < 12) await nextTurn();
  expect(order.indexOf('elsewhere')).toBeLessThan(4);
  expect(order.indexOf('mel')).toBeLessThan(5);
  expect(order.filter((name) => name.startsWith('ada'))).toEqual(
    Array.from({ length: 10 }, (_, n) => `ada ${n}`),
  );
});

test('work that asks for more work, as the answer to a request of a socket does, plans one turn and not two', async () => {
  const { order, ask } = openOrder();
  ask(ADA, 'outer', () => {
    ask(ADA, 'inner');
    burn();
  });
  for (let n = 0; n < 4; n++) ask(ADA, `later ${n}`);
  expect(order).toEqual(['outer', 'inner']);
  expect(Math.max(...(await perTurn(order, 6)))).toBe(1);
});

test('an account has so many requests waiting, and no more; others still have theirs', async () => {
  const { order, ask } = openOrder();
  const quick = () => undefined;
  ask(ADA, 'first');
  for (let n = 0; n < TURNS_OF_ACCOUNT_MAX; n++) expect(ask(ADA, 'waits', quick)).toBe(true);
  expect(ask(ADA, 'one too many', quick)).toBe(false);
  expect(ask(MEL, 'mel', quick)).toBe(true);
  while (order.length < TURNS_OF_ACCOUNT_MAX + 2) await nextTurn();
  expect(order).not.toContain('one too many');
  expect(ask(ADA, 'again', quick)).toBe(true);
});
