import { type ComponentChildren, Fragment } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Heights } from '../../store/feed/heights.ts';

export interface InSightProps<Item> {
  readonly class: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** The room between two rows, in pixels. */
  readonly gap: number;
  /** Shows an item as an `li` with these attributes. */
  readonly children: (item: Item, row: RowAttributes) => ComponentChildren;
}

/** Returns the list of before while it has the same items. */
function useSame<Item>(items: readonly Item[]): readonly Item[] {
  const kept = useRef(items);
  const { current } = kept;
  const isSame =
    items.length === current.length && items.every((item, index) => item === current[index]);
  if (!isSame) kept.current = items;
  return kept.current;
}

export interface RowAttributes {
  readonly 'aria-posinset': number;
  readonly 'aria-setsize': number;
}

/** The height of a row before one was measured. */
const GUESS_PX = 32;
/** The rows that a key may lead to next are there before they are in sight. */
const BEYOND_PX = 48;

/**
 * A list within something that scrolls, of which only the rows in sight are in the document. What
 * reads the screen is told how many there are. Who goes on by Tab scrolls, and so finds the next.
 */
export function InSight<Item>({ class: kind, keyOf, gap, children, ...all }: InSightProps<Item>) {
  const own = useRef<HTMLUListElement>(null);
  const items = useSame(all.items);
  const sizes = useRef<ResizeObserver | null>(null);
  const measured = useRef(new Map<string, number>()).current;
  const [, look] = useState(0);
  const heights = useMemo(() => {
    const usual = measured.values().next().value ?? GUESS_PX + gap;
    return new Heights(items.map((item) => measured.get(keyOf(item)) ?? usual));
  }, [items]);
  const range = useRef({ from: 0, to: 0 });
  const { from, to } = range.current;

  useLayoutEffect(() => {
    const list = own.current;
    const scroller = list?.parentElement?.closest<HTMLElement>('.left-lists, .right');
    if (!list || !scroller) return;
    const find = () => {
      const above = scroller.getBoundingClientRect().top - list.getBoundingClientRect().top;
      const bottom = above + scroller.clientHeight;
      const isAway = bottom < -BEYOND_PX || above > heights.total + BEYOND_PX;
      const first = isAway ? 0 : heights.at(above - BEYOND_PX);
      const end = isAway ? 0 : Math.min(heights.at(bottom + BEYOND_PX) + 1, heights.length);
      const before = range.current;
      if (before.from === first && before.to === end) return;
      range.current = { from: first, to: end };
      look((count) => count + 1);
    };
    const measure = () => {
      for (const [at, row] of [...list.children].entries()) {
        const height = (row as HTMLElement).offsetHeight + gap;
        const index = range.current.from + at;
        const item = items[index];
        if (item === undefined || height === gap) continue;
        measured.set(keyOf(item), height);
        heights.set(index, height);
      }
      find();
    };
    find();
    scroller.addEventListener('scroll', find, { passive: true });
    // A change above the list moves it as well.
    const observer = new ResizeObserver(measure);
    for (const one of [list, scroller, ...scroller.children]) observer.observe(one);
    sizes.current = observer;
    return () => {
      scroller.removeEventListener('scroll', find);
      observer.disconnect();
    };
  }, [heights]);
  // Rows may have changed: they are measured once all is laid out, before it is painted.
  useLayoutEffect(() => {
    if (own.current === null) return;
    sizes.current?.unobserve(own.current);
    sizes.current?.observe(own.current);
  }, [children]);

  const end = Math.min(to, items.length);
  return (
    <ul
      ref={own}
      class={kind}
      style={{
        paddingTop: `${heights.top(from)}px`,
        paddingBottom: `${Math.max(0, heights.total - heights.top(end) - (end > from ? 0 : gap))}px`,
      }}
    >
      {items.slice(from, end).map((item, at) => (
        <Fragment key={keyOf(item)}>
          {children(item, { 'aria-posinset': from + at + 1, 'aria-setsize': items.length })}
        </Fragment>
      ))}
    </ul>
  );
}
