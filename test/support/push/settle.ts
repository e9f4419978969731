import type { TestServer } from '../start-server.ts';

/**
 * Advances the clock by steps until nothing is under way. Returns the outbox entries that wait for
 * later.
 */
export async function settled(server: TestServer) {
  for (;;) {
    await server.advance(1);
    const rows = await server.perform((tx) => ({
      work: [...tx.pushWork.keys({})].length,
      entries: Array.from(tx.outbox.range({}), ([[dueAt], { kind, leasedBy }]) => ({
        kind,
        isLeased: leasedBy !== null,
        wait: dueAt - server.clock.now(),
      })),
    }));
    if (rows.work === 0 && rows.entries.every(({ wait, isLeased }) => wait > 0 && !isLeased)) {
      return rows.entries;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
