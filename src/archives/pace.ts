import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Key } from '../../storage/key.ts';
import type { TableReader } from '../../storage/table.ts';
import { ARCHIVE_SLICE_MS_MAX } from '../domain/limits/archives.ts';

/**
 * Lets long work yield to the event loop after each slice of time. `rest` throws if the work should
 * stop.
 */
export interface Pace {
  isOver(): boolean;
  rest(): Promise<void>;
}

export function openPace(refuse: () => void = () => undefined): Pace {
  let since = performance.now();
  const isOver = () => performance.now() - since > ARCHIVE_SLICE_MS_MAX;
  return {
    isOver,
    async rest() {
      if (!isOver()) return;
      await nextTurn();
      refuse();
      since = performance.now();
    },
  };
}

/** Reads the rows of a table in slices; no cursor is held while others run. */
export async function* slicesOf<K extends Key, R extends object>(
  table: Pick<TableReader<K, R>, 'range'>,
  pace: Pace,
  bounds: { readonly start?: Key; readonly end?: Key } = {},
): AsyncGenerator<(readonly [K, R])[]> {
  let start = bounds.start ?? [];
  let last: K | undefined;
  for (;;) {
    await pace.rest();
    const slice: (readonly [K, R])[] = [];
    const from = start.length === 0 ? {} : { start };
    let isAll = true;
    for (const entry of table.range({ ...bounds, ...from })) {
      if (last !== undefined && isSame(entry[0], last)) continue;
      slice.push(entry);
      if (slice.length < ROWS_MAX && !pace.isOver()) continue;
      isAll = false;
      break;
    }
    if (slice.length > 0) yield slice;
    last = slice.at(-1)?.[0] ?? last;
    if (isAll || last === undefined) return;
    start = last;
  }
}

const ROWS_MAX = 500;

const isSame = (one: Key, other: Key) => one.every((part, index) => part === other[index]);
