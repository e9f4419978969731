import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairQueue } from '../../src/domain/fair-queue.ts';

/** Takes everything, at a cost for each, and returns the order. */
function drained(queue: FairQueue<string, string>, costOf: (item: string) => number): string[] {
  const order: string[] = [];
  for (;;) {
    const item = queue.take();
    if (item === undefined) return order;
    order.push(item);
    queue.settle(costOf(item));
  }
}

const filled = (counts: Readonly<Record<string, number>>) => {
  const queue = new FairQueue<string, string>();
  for (const [key, count] of Object.entries(counts)) {
    for (let n = 1; n <= count; n++) queue.push(key, `${key}${n}`);
  }
  return queue;
};

test('keys take turns, and the items of one key keep their order', () => {
  expect(drained(filled({ a: 4, b: 2 }), () => 1)).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a4']);
});

test('a key whose items cost ten times as much has a tenth of the turns', () => {
  const order = drained(filled({ dear: 10, cheap: 40 }), (item) =>
    item.startsWith('dear') ? 10 : 1,
  );
  const behind = order.indexOf('dear3');
  expect(order.slice(0, behind).filter((item) => item.startsWith('cheap'))).toHaveLength(20);
});

test('a key that asks one at a time pays for what it has had', () => {
  const queue = filled({ b: 20 });
  let beforeSecond = 0;
  queue.push('a', 'a1');
  for (let pushed = 1; pushed <= 2; ) {
    const item = queue.take() ?? expect.fail('b has more');
    queue.settle(item.startsWith('a') ? 10 : 1);
    if (!item.startsWith('a')) {
      if (pushed === 2) beforeSecond += 1;
    } else {
      pushed += 1;
      queue.push('a', `a${pushed}`);
    }
    if (pushed === 3) break;
  }
  expect(beforeSecond).toBeGreaterThanOrEqual(9);
});

test('a key that was quiet has no claim on what it did not use', () => {
  const queue = filled({ b: 100 });
  for (let n = 0; n < 50; n++) {
    queue.take();
    queue.settle(1);
  }
  for (let n = 1; n <= 5; n++) queue.push('a', `a${n}`);
  const next = Array.from({ length: 10 }, () => {
    const item = queue.take() ?? expect.fail('there is more');
    queue.settle(1);
    return item;
  });
  expect(next.filter((item) => item.startsWith('a'))).toHaveLength(5);
  expect(next[1]?.startsWith('a') || next[0]?.startsWith('a')).toBe(true);
});

test('whatever is pushed and taken, all comes out once, in the order of its key', () => {
  const step = fc.oneof(
    fc.record({ key: fc.constantFrom('a', 'b', 'c'), cost: fc.nat({ max: 9 }) }),
    fc.constant('take' as const),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const queue = new FairQueue<string, { key: string; n: number; cost: number }>();
      const taken: { key: string; n: number; cost: number }[] = [];
      let pushed = 0;
      const takeOne = () => {
        const item = queue.take();
        if (item === undefined) return false;
        taken.push(item);
        // Some are never settled, as happens if the operation throws.
        if (item.n % 3 > 0) queue.settle(item.cost);
        return true;
      };
      for (const one of steps) {
        if (one === 'take') takeOne();
        else queue.push(one.key, { ...one, n: pushed++ });
        expect(queue.size).toBe(pushed - taken.length);
        expect(queue.sizeOf('a') + queue.sizeOf('b') + queue.sizeOf('c')).toBe(queue.size);
      }
      while (takeOne());
      expect(taken).toHaveLength(pushed);
      for (const key of ['a', 'b', 'c']) {
        const numbers = taken.filter((item) => item.key === key).map(({ n }) => n);
        expect(numbers).toEqual([...numbers].sort((x, y) => x - y));
      }
    }),
  );
});

test('keys that came once are not remembered for ever', () => {
  const queue = new FairQueue<number, number>();
  for (let key = 0; key < 100_000; key++) {
    queue.push(key, key);
    queue.take();
    queue.settle(1);
  }
  expect((queue as unknown as { flows: Map<number, unknown> }).flows.size).toBeLessThan(10_000);
});
