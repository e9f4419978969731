import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import '../later-style.ts';

export interface WindowListProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** The height of each row, in the size of the text of the page, so that it grows with it. */
  readonly rowRem: number;
  readonly class?: string;
  /** False for rows without anything that takes the focus. */
  readonly hasFocus?: (item: Item) => boolean;
  /** Shows an item; its links and buttons have this `tabIndex`. */
  readonly children: (item: Item, tabIndex: 0 | -1) => ComponentChildren;
}

/** Rows above and below those in sight, so that none is missing while one scrolls. */
const BEYOND = 2;
/** Before the size of the view is known. */
const FIRST = 24;
const PAGE = 10;

const FOCUSABLE = 'a[href], button:not(:disabled), input, select';

/**
 * A list of which only the rows in sight are in the document. It has one stop for Tab; the arrows,
 * Home and End go through all rows.
 */
export function WindowList<Item>(props: WindowListProps<Item>) {
  const { label, items, keyOf, rowRem, class: kind = '', hasFocus = () => true, children } = props;
  const own = useRef<HTMLUListElement>(null);
  const range = useRange(own, rowRem);
  const [chosenKey, setChosenKey] = useState<string | null>(null);
  const isMoving = useRef(false);
  /** The place of the row that has the focus; null if none has it. */
  const focusedAt = useRef<number | null>(null);
  const known = items.findIndex((item) => keyOf(item) === chosenKey);
  const at = known >= 0 ? known : placeAfter(items, focusedAt.current ?? 0, hasFocus);
  useLayoutEffect(() => {
    // A row that is gone leaves the focus to the one in its place.
    const isLost = focusedAt.current !== null && document.activeElement === document.body;
    if (!isMoving.current && !(isLost && known < 0)) return;
    isMoving.current = false;
    own.current?.querySelector<HTMLElement>(`[data-row="${at}"] :is(${FOCUSABLE})`)?.focus();
  });
  const go = ([wanted, by]: Step) => {
    const next = nextWithFocus(items, wanted, by, hasFocus);
    const item = items[next];
    if (item === undefined || next === at || own.current === null) return;
    isMoving.current = true;
    reveal(own.current, next, rowRem);
    setChosenKey(keyOf(item));
  };
  return (
    <ul
      ref={own}
      class={`window-list ${kind}`}
      aria-label={label}
      style={{ height: `${items.length * rowRem}rem` }}
      onFocusCapture={({ target }) => {
        const row = (target as HTMLElement).closest<HTMLElement>('[data-row]');
        const item = items[Number(row?.dataset['row'])];
        if (item === undefined) return;
        focusedAt.current = Number(row?.dataset['row']);
        setChosenKey(keyOf(item));
      }}
      onBlurCapture={({ target }) => {
        // An element that is taken out of the document is blurred as well.
        queueMicrotask(() => {
          const isLeft = !own.current?.contains(document.activeElement);
          if (isLeft && (target as HTMLElement).isConnected) focusedAt.current = null;
        });
      }}
      onKeyDown={(event) => {
        const step = stepOf(event, at, items.length);
        if (step === null) return;
        event.preventDefault();
        event.stopPropagation();
        go(step);
      }}
    >
      {rowsIn(range, items.length, at).map((index) => {
        const item = items[index];
        return item === undefined ? null : (
          <li
            key={keyOf(item)}
            aria-posinset={index + 1}
            aria-setsize={items.length}
            data-row={index}
            style={{ top: `${index * rowRem}rem`, height: `${rowRem}rem` }}
          >
            {children(item, index === at ? 0 : -1)}
          </li>
        );
      })}
    </ul>
  );
}

type Range = readonly [from: number, to: number];
type Step = readonly [row: number, by: 1 | -1];

/** Returns the rows that are in sight, with some beyond them. */
function useRange(own: { readonly current: HTMLElement | null }, rowRem: number): Range {
  const [range, setRange] = useState<Range>([0, FIRST]);
  useLayoutEffect(() => {
    const list = own.current;
    if (list === null) return;
    const scroller = scrollerOf(list);
    const look = () => {
      const above = scroller.getBoundingClientRect().top - list.getBoundingClientRect().top;
      const height = pixelsOf(rowRem);
      const from = Math.max(0, Math.floor(above / height) - BEYOND);
      const to = Math.max(0, Math.ceil((above + scroller.clientHeight) / height) + BEYOND);
      setRange((before) => (before[0] === from && before[1] === to ? before : [from, to]));
    };
    look();
    scroller.addEventListener('scroll', look, { passive: true });
    const sizes = new ResizeObserver(look);
    sizes.observe(scroller);
    sizes.observe(list);
    return () => {
      scroller.removeEventListener('scroll', look);
      sizes.disconnect();
    };
  }, [rowRem]);
  return range;
}

const pixelsOf = (rem: number): number =>
  rem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

/** Returns the rows to show: those of the window, and the one that has or would have the focus. */
function rowsIn([from, to]: Range, count: number, at: number) {
  const start = Math.min(from, Math.max(0, count - 1));
  const rows = Array.from(
    { length: Math.max(0, Math.min(to, count) - start) },
    (_, index) => start + index,
  );
  if (at < 0 || rows.includes(at)) return rows;
  return at < start ? [at, ...rows] : [...rows, at];
}

/** Returns the row that a key leads to, and in which direction to look on; null for other keys. */
function stepOf(event: KeyboardEvent, at: number, count: number): Step | null {
  if (event.altKey || event.ctrlKey || event.metaKey) return null;
  if ((event.target as HTMLElement).closest('select, input:not([type="checkbox"])')) return null;
  switch (event.key) {
    case 'ArrowDown':
      return [at + 1, 1];
    case 'ArrowUp':
      return [at - 1, -1];
    case 'PageDown':
      return [Math.min(count - 1, at + PAGE), -1];
    case 'PageUp':
      return [Math.max(0, at - PAGE), 1];
    case 'Home':
      return [0, 1];
    case 'End':
      return [count - 1, -1];
    default:
      return null;
  }
}

/** Returns the row at a place, or the nearest one that takes the focus; negative if none does. */
function placeAfter<Item>(
  items: readonly Item[],
  wanted: number,
  hasFocus: (item: Item) => boolean,
): number {
  const from = Math.min(wanted, items.length - 1);
  const after = nextWithFocus(items, from, 1, hasFocus);
  return after >= 0 ? after : nextWithFocus(items, from, -1, hasFocus);
}

function nextWithFocus<Item>(
  items: readonly Item[],
  from: number,
  by: 1 | -1,
  hasFocus: (item: Item) => boolean,
): number {
  for (let at = from; at >= 0 && at < items.length; at += by) {
    const item = items[at];
    if (item !== undefined && hasFocus(item)) return at;
  }
  return -1;
}

/** Returns the element that moves a list: the next one around it that scrolls. */
function scrollerOf(list: HTMLElement): HTMLElement {
  for (let around = list.parentElement; around !== null; around = around.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(around).overflowY)) return around;
  }
  return document.documentElement;
}

/** Scrolls until a row is in sight, which need not be in the document yet. */
function reveal(list: HTMLElement, row: number, rowRem: number): void {
  const scroller = scrollerOf(list);
  const height = pixelsOf(rowRem);
  const view = scroller.getBoundingClientRect();
  const top = list.getBoundingClientRect().top + row * height;
  if (top < view.top) scroller.scrollTop -= view.top - top;
  else if (top + height > view.bottom) scroller.scrollTop += top + height - view.bottom;
}
