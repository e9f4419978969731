import { expect, test } from 'vitest';
import { chooseNodes } from '../../../src/cluster/snapshots/offers.ts';

const A = { node: 'a', shards: [[0, 3, 120, [1, 2]] as const, [1, 1, 9, [3]] as const] };
const B = { node: 'b', shards: [[0, 4, 118, [1, 2]] as const] };
const C = { node: 'c', shards: [[0, 4, 117, [1, 2]] as const, [1, 1, 9, [3]] as const] };

test('the copy of the newest epoch and the highest record is chosen, at each node alike', () => {
  for (const offers of [
    [A, B, C],
    [C, A, B],
  ]) {
    const chosen = chooseNodes(offers, undefined);
    expect(chosen.get(0)).toEqual({
      ...{ node: 'b', sequence: 118 },
      others: [
        { node: 'c', sequence: 117 },
        { node: 'a', sequence: 120 },
      ],
    });
    // It is always the same one of two that are equal.
    expect(chosen.get(1)?.node).toBe('a');
  }
});

test('the operator names another one, which counts for what that has', () => {
  const chosen = chooseNodes([A, B, C], 'c');
  expect(Array.from(chosen.values(), ({ node }) => node)).toEqual(['c', 'c']);
  expect(() => chooseNodes([A, B], 'c')).toThrow('c does not answer: run the command there');
  expect(chooseNodes([A, B, C], 'b').get(1)?.node).toBe('a');
});

test('a copy with most records that lacks a realm is not taken without being named', () => {
  const lacking = { node: 'd', shards: [[0, 5, 130, [1]] as const] };
  expect(() => chooseNodes([A, lacking], undefined)).toThrow(
    'd has the newest records of shard 0, but not realm 2, which a has: name the node to take with --from',
  );
  expect(chooseNodes([A, lacking], 'd').get(0)?.node).toBe('d');
  expect(chooseNodes([A, lacking], 'a').get(0)?.node).toBe('a');
});
