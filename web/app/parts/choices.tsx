import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import './style/beside-style.ts';

export interface ChoicesProps<Item> {
  readonly id: string;
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** The one that Enter takes; negative if none is. */
  readonly at: number;
  readonly onTake: (item: Item) => void;
  readonly children: (item: Item) => ComponentChildren;
}

export const choiceId = (id: string, index: number): string => `${id}-${index}`;

/** The list of a combobox: the focus stays in the field, and a line is marked. */
export function Choices<Item>(props: ChoicesProps<Item>) {
  const { id, label, items, keyOf, at, onTake, children } = props;
  const own = useRef<HTMLDivElement>(null);
  useEffect(() => {
    own.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  return (
    <div ref={own} class="choices" role="listbox" id={id} aria-label={label}>
      {items.map((item, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys.
        <div
          key={keyOf(item)}
          id={choiceId(id, index)}
          class="choice"
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          // The field would lose the focus before the click.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onTake(item)}
        >
          {children(item)}
        </div>
      ))}
    </div>
  );
}

/** Returns the line that is marked after a key; null where the key moves nothing. */
export function steppedTo(key: string, at: number, count: number): number | null {
  if (count === 0) return null;
  if (key === 'ArrowDown') return (at + 1) % count;
  if (key === 'ArrowUp') return at <= 0 ? count - 1 : at - 1;
  return null;
}
