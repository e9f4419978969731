import { type Signal, signal } from '@preact/signals';
import type { Row } from '../../store/feed/rows.ts';
import { FeedWindow } from '../../store/feed/window.ts';

/** Rows that are rendered count as enough while they reach so far beyond the view. */
const ENOUGH_PX = 80;

/** The height that a view had last: the next one begins with it, and is told when it is another. */
let lastHeight = 0;

/**
 * Joins the window of rows to the document: heights that the browser has laid out go to it, and the
 * scroll position comes from it. Who renders the rows is told when other rows are needed.
 */
export class FeedView {
  readonly window = new FeedWindow();
  /** The rows that are in the document. */
  shown = { first: 0, end: 0, offset: 0 };
  rows: readonly Row[] = [];
  /** True while the end of the list is in sight. */
  readonly isAtEnd: Signal<boolean> = signal(true);
  /** Called after each move. */
  onMove: () => void = () => undefined;
  #scroller: HTMLElement | null = null;
  #sizer: HTMLElement | null = null;
  #block: HTMLElement | null = null;
  /** The position of the scroller, as it was told or set last. */
  #position = 0;
  readonly #render: () => void;
  readonly #heights: ResizeObserver;

  constructor(render: () => void) {
    this.#render = render;
    this.window.resized(lastHeight);
    this.#heights = new ResizeObserver((entries) => this.#resized(entries));
  }

  attach(scroller: HTMLElement, sizer: HTMLElement, block: HTMLElement): () => void {
    this.#scroller = scroller;
    this.#sizer = sizer;
    this.#block = block;
    // To ask for the height would have the browser lay out the page before the messages are here.
    if (lastHeight === 0) this.#isAsHighAs(scroller);
    this.#heights.observe(scroller);
    const onScroll = () => this.#scrolled();
    scroller.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      scroller.removeEventListener('scroll', onScroll);
      this.#heights.disconnect();
      this.#scroller = null;
    };
  }

  observe(row: HTMLElement): () => void {
    this.#heights.observe(row);
    return () => this.#heights.unobserve(row);
  }

  /** Takes the rows, of which the last may be the newest, and says which of them to render. */
  take(rows: readonly Row[], isNewest: boolean): readonly Row[] {
    if (rows !== this.rows) {
      this.rows = rows;
      this.window.setRows(rows);
    }
    if (rows.length > 0) this.window.endsAtNewest(isNewest);
    this.shown = this.window.shown();
    return rows.slice(this.shown.first, this.shown.end);
  }

  /** Brings the document to where the window says; called after each rendering. */
  settle(): void {
    const { window } = this;
    if (this.#scroller === null || this.#sizer === null || this.#block === null) return;
    const { total, viewHeight } = window;
    // A short list lies at the bottom, beside where one writes.
    const above = Math.max(0, viewHeight - total);
    const offset = above + window.heights.top(this.shown.first);
    this.#sizer.style.height = `${total + above}px`;
    // To ask for the position has the browser lay out all at once: so the rows have their place.
    if (Math.abs(this.#position - window.scrollTop) >= 1) {
      this.#block.style.top = `${offset}px`;
      this.#scroller.scrollTop = window.scrollTop;
      this.#position = this.#scroller.scrollTop;
    }
    // Browsers scroll by whole pixels of the screen; the rest is in the place of the rows.
    const rest = this.#position - window.scrollTop;
    const nudge = Math.abs(rest) < 1 ? rest : 0;
    this.#block.style.top = `${offset + nudge}px`;
    this.#told();
  }

  /** Scrolls to a row, which need not be in the document. */
  reveal(key: string, place: 'start' | 'center' | 'nearest' = 'nearest'): void {
    this.window.scrollTo(key, place);
    this.#moved();
  }

  toEnd(): void {
    this.window.scrollToEnd();
    this.#moved();
  }

  /** Scrolls by a part of the view. */
  page(direction: -1 | 1): void {
    const { window } = this;
    window.scrolledTo(window.scrollTop + direction * (window.viewHeight - 60));
    this.#moved();
  }

  elementOf(key: string): HTMLElement | null {
    return this.#block?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`) ?? null;
  }

  #isAsHighAs({ clientHeight }: Element) {
    lastHeight = clientHeight;
    this.window.resized(clientHeight);
  }

  #moved() {
    if (this.#needsOthers()) this.#render();
    else this.settle();
  }

  #scrolled() {
    if (this.#scroller === null) return;
    const { scrollTop } = this.#scroller;
    this.#position = scrollTop;
    if (Math.abs(scrollTop - this.window.scrollTop) < 1) return;
    this.window.scrolledTo(scrollTop);
    if (this.#needsOthers()) this.#render();
    else this.#told();
  }

  #told() {
    this.isAtEnd.value = this.window.isAtEnd;
    this.onMove();
  }

  #resized(entries: readonly ResizeObserverEntry[]) {
    const heights: [string, number][] = [];
    for (const { target, borderBoxSize } of entries) {
      const height = borderBoxSize[0]?.blockSize ?? 0;
      if (target === this.#scroller) this.#isAsHighAs(target);
      else heights.push([(target as HTMLElement).dataset['key'] ?? '', height]);
    }
    this.window.measured(heights);
    this.#moved();
  }

  /** Tells whether the rows that are rendered do not reach beyond the view any more. */
  #needsOthers() {
    const { heights, scrollTop, viewHeight, length } = this.window;
    const { first, end } = this.shown;
    const top = heights.top(first);
    const bottom = heights.top(end);
    return (
      (first > 0 && top > scrollTop - ENOUGH_PX) ||
      (end < length && bottom < scrollTop + viewHeight + ENOUGH_PX)
    );
  }
}
