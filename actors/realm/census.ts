import { KEY_USES_WRITTEN_MS } from '../../src/domain/limits/credentials.ts';
import {
  ACTIVE_DAYS,
  ACTIVE_WINDOWS,
  type ActiveWindow,
  zeroes,
} from '../../src/metrics/labels.ts';
import type { RealmStore } from '../../storage/store.ts';
import type { Clock } from '../clock.ts';

/** Sizes are taken as often as the log is trimmed: it costs half a millisecond. */
const SWEEPS_PER_SIZES = 6;
/** A pause between two steps lets sends come in between. */
const STEP_PAUSE_MS = 100;
/** The uses of keys that a step reads; each takes some 3 µs. */
const USES_PER_STEP = 500;
const DAY_SECONDS = 86_400;

interface CensusInput {
  readonly store: RealmStore;
  readonly clock: Clock;
  /** Tells whether the store may be read: steps come later, and the realm may have ended. */
  readonly isActive: () => boolean;
}

/** The sizes of a realm that a scrape must not read itself, as of the last time they were taken. */
export interface Sizes {
  /** The pages of the store that hold something. */
  readonly dataBytes: number;
  /** Pages of the store that are free for later commits, or will be once no reader sees them. */
  readonly freeBytes: number;
  readonly uploadBytes: number;
  /** The number of messages that were ever sent. */
  readonly messages: number;
  /** Messages that searches read themselves, as the index does not have them yet. */
  readonly messagesNotIndexed: number;
}

/** Counts for the metrics what would have to be read from the store. */
export interface Census {
  sweep(): void;
  sizes(): Sizes;
  /** Returns the people who used a key in the last days, as of at most an hour ago. */
  usersActive(): Readonly<Record<ActiveWindow, number>>;
  /** Returns for how long (ms) the oldest reader of the store has kept pages from being reused. */
  oldestReaderMs(): number;
}

export function openCensus({ store, clock, isActive }: CensusInput): Census {
  let sizes = sizesOf(store);
  let usersActive = zeroes(ACTIVE_WINDOWS);
  let sweeps = 0;
  let countedAt: number | null = null;

  function sweep() {
    const now = clock.now();
    sweeps += 1;
    if (sweeps % SWEEPS_PER_SIZES === 0) {
      sizes = sizesOf(store);
      // The age of a reader begins when it is first seen, so it is also looked for between scrapes.
      store.oldestReaderMs(now);
    }
    if (countedAt !== null && Math.abs(now - countedAt) < KEY_USES_WRITTEN_MS) return;
    countedAt = now;
    countStep({ after: 0, counts: zeroes(ACTIVE_WINDOWS), nowSeconds: Math.floor(now / 1_000) });
  }

  function countStep(counting: Counting) {
    if (!isActive()) return;
    const after = countSome(store, counting);
    if (after === null) usersActive = counting.counts;
    else clock.setTimeout(() => countStep({ ...counting, after }), STEP_PAUSE_MS);
  }

  return {
    sweep,
    sizes: () => sizes,
    usersActive: () => usersActive,
    oldestReaderMs: () => store.oldestReaderMs(clock.now()),
  };
}

function sizesOf(store: RealmStore): Sizes {
  const { reader } = store;
  const { used, free } = store.pageBytes();
  const messages = reader.counters.get(['counters'])?.message ?? 0;
  const indexed = reader.searchProgress.get(['search'])?.throughMessageId ?? 0;
  return {
    dataBytes: used,
    freeBytes: free,
    uploadBytes: reader.uploadSpace.get(['space'])?.bytes ?? 0,
    messages,
    messagesNotIndexed: Math.max(0, messages - indexed),
  };
}

interface Counting {
  /** The last account that was counted. */
  readonly after: number;
  readonly counts: Record<ActiveWindow, number>;
  readonly nowSeconds: number;
}

/** Counts some accounts; returns the last one, or null once all are counted. */
function countSome({ reader }: RealmStore, { after, counts, nowSeconds }: Counting): number | null {
  let userId = after;
  let usedAt = 0;
  let read = 0;
  const settle = () => {
    const days = (nowSeconds - usedAt) / DAY_SECONDS;
    const windows = ACTIVE_WINDOWS.filter((window) => days < ACTIVE_DAYS[window]);
    if (windows.length === 0 || !isPerson(reader.users.get([userId]))) return;
    for (const window of windows) counts[window] += 1;
  };
  for (const [[id], use] of reader.keyUses.range({ start: [after + 1] })) {
    if (id !== userId) {
      if (userId !== after) settle();
      if (read >= USES_PER_STEP) return userId;
      userId = id;
      usedAt = 0;
    }
    read += 1;
    usedAt = Math.max(usedAt, use.usedAt);
  }
  if (userId !== after) settle();
  return null;
}

const isPerson = (
  user: { readonly isActive: boolean; readonly botType: number | null } | undefined,
) => user?.isActive === true && user.botType === null;
