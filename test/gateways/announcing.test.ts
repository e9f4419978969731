import { expect, test, vi } from 'vitest';
import type { FromWriter } from '../../src/gateways/link/frames.ts';
import { openAnnouncing } from '../../src/gateways/writing/announcing.ts';

const MIB = 1024 * 1024;

test('a gateway that does not read is told later that there is more', () => {
  vi.useFakeTimers();
  try {
    const sent: FromWriter[] = [];
    let unsent = 0;
    const announcing = openAnnouncing({
      send: (frame) => void sent.push(frame),
      unsentBytes: () => unsent,
      end: () => undefined,
    });
    const rows = Buffer.from('rows');
    announcing.announce(1, 10, rows);
    expect(sent).toEqual([['events', 1, rows]]);
    unsent = 17 * MIB;
    announcing.announce(1, 11, rows);
    announcing.announce(1, 12, rows);
    announcing.announce(2, 5, rows);
    vi.advanceTimersByTime(1_000);
    expect(sent).toHaveLength(1);
    unsent = 0;
    // Until it was told, nothing overtakes what it was not told of.
    announcing.announce(1, 13, rows);
    expect(sent).toHaveLength(1);
    vi.advanceTimersByTime(100);
    expect(sent.slice(1)).toEqual([
      ['head', 1, 13],
      ['head', 2, 5],
    ]);
    announcing.announce(1, 14, rows);
    expect(sent.at(-1)).toEqual(['events', 1, rows]);
    announcing.close();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
