/**
 * Does work on each item, on a few of them at once. Rejects with the first failure, once nothing is
 * under way any more; then no further item is begun.
 */
export async function inParallel<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];
  try {
    for await (const item of items) {
      while (underWay.size >= atOnce) await Promise.race(underWay);
      if (failures.length > 0) break;
      const working: Promise<void> = work(item)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => underWay.delete(working));
      underWay.add(working);
    }
  } finally {
    await Promise.all(underWay);
  }
  if (failures.length > 0) throw failures[0];
}
