import type { Narrow } from '../route.ts';
import type { Calls } from './message.ts';

/** Messages that are read within this time go to the server together. */
const GATHER_MS = 400;
/** After a failure it is tried again, later each time. */
const AGAIN_MS = 2_000;
const AGAIN_MS_MAX = 60_000;
/** The ids of one request. */
const IDS_MAX = 1_000;
/** The server marks so many at once. */
const RANGE_MAX = 5_000;

interface Clock {
  readonly setTimeout: (run: () => void, ms: number) => unknown;
  readonly clearTimeout: (timer: unknown) => void;
}

const CLOCK: Clock = {
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** Marks messages as read: what was seen is gathered, and told until the server has it. */
export class Reading {
  readonly #calls: Calls;
  readonly #clock: Clock;
  /** Seen, and not yet told. */
  readonly #seen = new Set<number>();
  /** Told, until the event about it comes: they are not told again. */
  readonly #told = new Set<number>();
  /** Narrows in which the reader marked messages as unread: to look at them does not read them. */
  readonly #paused = new Set<string>();
  #timer: unknown = null;
  #failures = 0;
  #isAsking = false;
  /** Told by the request under way: it is told again when that fails. */
  #asked: readonly number[] = [];
  /** Requests under way that mark a whole view: what is seen meanwhile is told after them. */
  #marking = 0;

  constructor(calls: Calls, clock: Clock = CLOCK) {
    this.#calls = calls;
    this.#clock = clock;
  }

  /** Notes messages that were on the screen. Those that are read already cost nothing. */
  seen(ids: Iterable<number>, narrowKey: string): void {
    if (this.#paused.has(narrowKey)) return;
    let isNew = false;
    for (const id of ids) {
      if (this.#told.has(id) || this.#seen.has(id)) continue;
      this.#seen.add(id);
      isNew = true;
    }
    if (isNew && this.#timer === null) this.#later(GATHER_MS);
  }

  /** Looking at a view marks nothing as read until it was left. */
  pause(narrowKey: string): void {
    this.#paused.add(narrowKey);
  }

  isPaused(narrowKey: string): boolean {
    return this.#paused.has(narrowKey);
  }

  /** The reader has left a view. What was marked as unread elsewhere is read when seen again. */
  leave(narrowKey: string): void {
    this.#paused.delete(narrowKey);
    this.#told.clear();
  }

  /** Tells at once what was seen: the page is about to go. */
  flush(): void {
    if (this.#timer !== null) this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
    void this.#tell();
  }

  /** Marks everything that a narrow selects. Rejects with the refusal. */
  async markAll(narrow: Narrow): Promise<void> {
    const unread = [...narrow, { operator: 'is', operand: 'unread', negated: false }];
    await this.#mark({ narrow: unread, anchor: 'oldest', op: 'add' });
  }

  /** Marks a message as unread, and all after it that the narrow selects. */
  async markUnreadFrom(id: number, { narrow, key }: { narrow: Narrow; key: string }) {
    this.pause(key);
    for (const seen of this.#seen) if (seen >= id) this.#seen.delete(seen);
    this.#asked = this.#asked.filter((asked) => asked < id);
    this.#told.clear();
    await this.#mark({ narrow, anchor: id, op: 'remove' });
  }

  async #mark(marked: { narrow: object; anchor: number | 'oldest'; op: string }) {
    this.#marking += 1;
    try {
      await this.#markInSteps(marked);
    } finally {
      this.#marking -= 1;
      if (this.#seen.size > 0 && this.#timer === null) this.#later(0);
    }
  }

  async #markInSteps(marked: { narrow: object; anchor: number | 'oldest'; op: string }) {
    const { narrow, anchor, op } = marked;
    let from: number | 'oldest' = anchor;
    for (;;) {
      const reply = (await this.#calls.call('POST', '/messages/flags/narrow', {
        anchor: from,
        include_anchor: from === anchor,
        num_before: 0,
        num_after: RANGE_MAX,
        narrow,
        op,
        flag: 'read',
      })) as { found_newest: boolean; last_processed_id: number | null };
      if (reply.found_newest || reply.last_processed_id === null) return;
      from = reply.last_processed_id;
    }
  }

  #later(ms: number) {
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = null;
      void this.#tell();
    }, ms);
  }

  async #tell() {
    if (this.#isAsking || this.#marking > 0 || this.#seen.size === 0) return;
    const ids = [...this.#seen].slice(0, IDS_MAX);
    this.#asked = ids;
    for (const id of ids) {
      this.#seen.delete(id);
      this.#told.add(id);
    }
    this.#isAsking = true;
    try {
      await this.#calls.call('POST', '/messages/flags', { messages: ids, op: 'add', flag: 'read' });
      this.#failures = 0;
    } catch {
      // The connection is away. Nothing is lost: the server is told when it is back.
      for (const id of this.#asked) {
        this.#told.delete(id);
        this.#seen.add(id);
      }
      this.#failures += 1;
    } finally {
      this.#isAsking = false;
    }
    const again = Math.min(AGAIN_MS * 2 ** (this.#failures - 1), AGAIN_MS_MAX);
    if (this.#seen.size > 0 && this.#timer === null) this.#later(this.#failures > 0 ? again : 0);
    this.#forget();
  }

  /** Ids that were told are kept to save requests, and only so many. */
  #forget() {
    if (this.#told.size > 10 * IDS_MAX) this.#told.clear();
  }
}
