import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  HASHES_AT_ONCE_MAX,
  HASHES_WAITING_MAX,
  HASHES_WAITING_PER_ORIGIN_MAX,
} from '../../../src/domain/limits/credentials.ts';
import { inHashingTurn } from '../../../src/endpoints/server/hashing-turns.ts';

/** Hashes that end when they are told to. */
function openHashes() {
  const begun: { origin: string; end: () => void }[] = [];
  const ask = (origin: string) => {
    const turn = inHashingTurn(
      origin,
      () => new Promise<void>((end) => begun.push({ origin, end })),
    );
    turn.catch(() => undefined); // whoever waits for the end of all sees it there
    return turn;
  };
  const endAll = async (turns: readonly Promise<unknown>[]) => {
    const all = Promise.allSettled(turns);
    let isOver = false;
    void all.then(() => {
      isOver = true;
    });
    while (!isOver) {
      for (const { end } of begun) end();
      await nextTurn();
    }
    return await all;
  };
  return { begun, ask, endAll };
}

test('few are hashed at once, and who comes from elsewhere is served after one of a flood', async () => {
  const { begun, ask, endAll } = openHashes();
  const flood = Array.from({ length: HASHES_WAITING_PER_ORIGIN_MAX }, () => ask('flood'));
  await nextTurn();
  const atOnce = begun.length;
  expect(atOnce).toBeLessThanOrEqual(HASHES_AT_ONCE_MAX);
  const right = ask('elsewhere');
  await nextTurn();
  expect(begun).toHaveLength(atOnce);
  for (const { end } of [...begun]) end();
  await nextTurn();
  begun.at(-1)?.end();
  await nextTurn();
  expect(begun.slice(0, atOnce + 2).map(({ origin }) => origin)).toContain('elsewhere');
  await endAll([...flood, right]);
});

test('more than may wait are refused before they are hashed, and the others are hashed', async () => {
  const { begun, ask, endAll } = openHashes();
  const turns = Array.from({ length: 2 * HASHES_WAITING_PER_ORIGIN_MAX }, () => ask('flood'));
  await nextTurn();
  const atOnce = begun.length;
  const outcomes = await endAll([...turns, ask('elsewhere')]);
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(HASHES_WAITING_PER_ORIGIN_MAX - atOnce);
  expect(refused[0]).toMatchObject({ reason: { code: 'RATE_LIMIT_HIT' } });
  expect(begun.filter(({ origin }) => origin === 'elsewhere')).toHaveLength(1);
});

test('all together have a bound, too', async () => {
  const { ask, endAll } = openHashes();
  const turns = Array.from({ length: HASHES_WAITING_MAX + 100 }, (_, index) => ask(`${index}`));
  const outcomes = await endAll(turns);
  const refused = outcomes.filter(({ status }) => status === 'rejected').length;
  expect(refused).toBeGreaterThanOrEqual(100 - HASHES_AT_ONCE_MAX);
});
