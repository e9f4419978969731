import { Heights } from './heights.ts';

/** A row as the window sees it: what it is called, and how high it probably is. */
export interface WindowRow {
  readonly key: string;
  /** A guess in pixels, until the row was measured. */
  readonly estimate: number;
}

/** The rows that are in the document, and the top of the first one within the list. */
export interface Shown {
  readonly first: number;
  /** The row after the last one. */
  readonly end: number;
  readonly offset: number;
}

/** So many pixels beyond each edge of the view are rendered as well: nearly two wheel steps. */
const OVERSCAN_PX = 180;
/** A view that is as near as this to its end is at the end: zoomed browsers round positions. */
const AT_END_PX = 4;

/**
 * Decides which rows of a long list are shown, and where the view has to scroll to so that nothing
 * that is read moves. It has no document: who shows the rows tells it what was measured, and sets
 * `scrollTop` where it says.
 */
export class FeedWindow {
  readonly heights = new Heights();
  /** The scroll position, which is right after each call that may change it. */
  scrollTop = 0;
  viewHeight = 0;
  /** True while the view follows the end of the list. */
  isAtEnd = true;
  #endsAtNewest = true;
  #rows: readonly WindowRow[] = [];
  /** The index of each key, from the first row on. */
  #indexes = new Map<string, number>();
  /** The number that is added to a stored index, for the rows that were prepended since. */
  #shift = 0;
  /** The heights of rows that were measured, also of those that left and may come back. */
  readonly #measured = new Map<string, number>();

  get length(): number {
    return this.#rows.length;
  }

  /** The height of the list. */
  get total(): number {
    return this.heights.total;
  }

  indexOf(key: string): number {
    const index = this.#indexes.get(key);
    return index === undefined ? -1 : index + this.#shift;
  }

  keyAt(index: number): string | undefined {
    return this.#rows[index]?.key;
  }

  /** The reader, or the browser, has scrolled. */
  scrolledTo(scrollTop: number): void {
    this.scrollTop = scrollTop;
    this.isAtEnd = this.#isAtNewest();
  }

  /**
   * Takes whether the last row is the newest that there is. Only such an end is followed: where
   * more is loaded when one comes to the end, nothing of it may be skipped.
   */
  endsAtNewest(isNewest: boolean): void {
    if (isNewest === this.#endsAtNewest) return;
    this.#endsAtNewest = isNewest;
    this.isAtEnd = this.#isAtNewest();
  }

  /** The view has another height; one that was at the end stays there. */
  resized(viewHeight: number): void {
    if (viewHeight === this.viewHeight) return;
    this.viewHeight = viewHeight;
    this.#settle(null);
  }

  /** Takes another list of rows. The row that the reader looks at stays in its place. */
  setRows(rows: readonly WindowRow[]): void {
    const anchor = this.#survivor(rows);
    const { start, removed, added } = difference(this.#rows, rows);
    this.heights.splice(
      start,
      removed,
      added.map(({ key, estimate }) => this.#measured.get(key) ?? estimate),
    );
    this.#index(rows, { start, removed, added });
    this.#rows = rows;
    this.#forget();
    this.#settle(anchor);
  }

  /** Takes the heights of rows that the browser has laid out. Returns whether any is new. */
  measured(heights: Iterable<readonly [key: string, height: number]>): boolean {
    const anchor = this.#anchor();
    let isNew = false;
    for (const [key, height] of heights) {
      const index = this.indexOf(key);
      if (index < 0) continue;
      this.#measured.set(key, height);
      const before = this.heights.get(index);
      this.heights.set(index, height);
      isNew ||= before !== this.heights.get(index);
    }
    if (isNew) this.#settle(anchor);
    return isNew;
  }

  /** Returns the rows that belong into the document now. */
  shown(): Shown {
    if (this.#rows.length === 0) return { first: 0, end: 0, offset: 0 };
    const first = this.heights.at(this.scrollTop - OVERSCAN_PX);
    const end = this.heights.at(this.scrollTop + this.viewHeight + OVERSCAN_PX) + 1;
    return { first, end, offset: this.heights.top(first) };
  }

  /** Returns the rows of which the view shows the lower edge, or which fill it. */
  readRows(): { readonly first: number; readonly end: number } {
    const first = this.heights.at(this.scrollTop);
    const bottom = this.scrollTop + this.viewHeight;
    let end = this.heights.at(bottom);
    if (this.heights.top(end + 1) <= bottom + 1) end += 1;
    return { first, end: Math.max(end, first) };
  }

  /** Scrolls to a row. At the end of the list, the view follows it. */
  scrollTo(key: string, place: 'start' | 'center' | 'nearest' = 'start'): void {
    const index = this.indexOf(key);
    if (index < 0) return;
    const top = this.heights.top(index);
    const room = this.viewHeight - this.heights.get(index);
    const start = Math.max(0, top);
    const end = top - room;
    if (place === 'start') this.scrollTop = start;
    // A row that is higher than the view is read from its beginning.
    else if (place === 'center') this.scrollTop = room < 0 ? start : top - room / 2;
    else if (this.scrollTop > start) this.scrollTop = start;
    else if (this.scrollTop < end) this.scrollTop = Math.min(start, end);
    this.scrollTop = this.#inside(this.scrollTop);
    this.isAtEnd = this.#isAtNewest();
  }

  scrollToEnd(): void {
    this.isAtEnd = true;
    this.scrollTop = this.#lowest();
  }

  #lowest() {
    return Math.max(0, this.heights.total - this.viewHeight);
  }

  #isAtNewest() {
    return this.#endsAtNewest && this.scrollTop >= this.#lowest() - AT_END_PX;
  }

  #inside(position: number) {
    return Math.max(0, Math.min(position, this.#lowest()));
  }

  /** Puts the view to the end, if it follows it, or where the anchor is where it was. */
  #settle(anchor: Anchor | null) {
    if (this.isAtEnd) {
      this.scrollTop = this.#lowest();
      return;
    }
    const index = anchor === null ? -1 : this.indexOf(anchor.key);
    if (anchor !== null && index >= 0) this.scrollTop = this.heights.top(index) - anchor.below;
    this.scrollTop = this.#inside(this.scrollTop);
    // A list of which all is shown is at its end.
    this.isAtEnd = this.#endsAtNewest && this.#lowest() === 0;
  }

  /** Returns what stays in its place: the first row that begins in the view, or else fills it. */
  #anchor(): Anchor | null {
    const at = this.heights.at(this.scrollTop);
    const top = this.heights.top(at);
    const next = at + 1;
    const nextTop = top + this.heights.get(at);
    const isNext =
      top < this.scrollTop && next < this.length && nextTop < this.scrollTop + this.viewHeight;
    const key = this.keyAt(isNext ? next : at);
    return key === undefined ? null : { key, below: (isNext ? nextTop : top) - this.scrollTop };
  }

  /** Returns the anchor, or the row after it that is still there in another list. */
  #survivor(rows: readonly WindowRow[]): Anchor | null {
    const anchor = this.#anchor();
    if (anchor === null || this.isAtEnd) return anchor;
    const { start, removed, added } = difference(this.#rows, rows);
    const from = this.indexOf(anchor.key);
    if (from < start || from >= start + removed) return anchor;
    const kept = new Set(added.map(({ key }) => key));
    for (let index = from; index < start + removed; index++) {
      const key = this.keyAt(index);
      if (key !== undefined && kept.has(key)) return this.#anchorAt(index);
    }
    // All from there to the end of the change are gone: what follows them takes their place.
    if (start + removed < this.length) return this.#anchorAt(start + removed);
    return this.#anchorAt(start - 1);
  }

  #anchorAt(index: number): Anchor | null {
    const key = this.keyAt(index);
    return key === undefined ? null : { key, below: this.heights.top(index) - this.scrollTop };
  }

  #index(rows: readonly WindowRow[], { start, removed, added }: Difference) {
    for (let index = start; index < start + removed; index++) {
      const key = this.keyAt(index);
      if (key !== undefined) this.#indexes.delete(key);
    }
    const isAtTheStart = start === 0 && removed === 0;
    const areOnlyAdded = removed === 0 && start === this.length;
    if (isAtTheStart) this.#shift += added.length;
    else if (!areOnlyAdded && removed !== added.length) {
      this.#shift = 0;
      this.#indexes = new Map(rows.map(({ key }, index) => [key, index]));
      return;
    }
    for (const [at, { key }] of added.entries()) this.#indexes.set(key, start + at - this.#shift);
  }

  /** Heights of rows that have left are kept for some that may come back, not for ever. */
  #forget() {
    if (this.#measured.size <= 2 * this.#rows.length + 1_000) return;
    for (const key of this.#measured.keys())
      if (!this.#indexes.has(key)) this.#measured.delete(key);
  }
}

/** A row, and how far below the top of the view it begins. */
interface Anchor {
  readonly key: string;
  readonly below: number;
}

/** The one place where two lists of rows differ. */
interface Difference {
  readonly start: number;
  readonly removed: number;
  readonly added: readonly WindowRow[];
}

function difference(before: readonly WindowRow[], after: readonly WindowRow[]): Difference {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start]?.key === after[start]?.key) start += 1;
  let same = 0;
  while (
    same < shorter - start &&
    before[before.length - 1 - same]?.key === after[after.length - 1 - same]?.key
  ) {
    same += 1;
  }
  return {
    start,
    removed: before.length - same - start,
    added: after.slice(start, after.length - same),
  };
}
