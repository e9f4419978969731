import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../icon.tsx';
import '../later-style.ts';

export interface TabListProps {
  /** The ids of the tabs and of the panel begin with it. */
  readonly id: string;
  /** Names what the tabs are parts of. */
  readonly label: string;
  readonly tabs: readonly { readonly key: string; readonly title: string }[];
  readonly shown: string;
  readonly onShow: (key: string) => void;
}

const STEPS: Readonly<Record<string, number>> = {
  __proto__: null as never,
  ArrowRight: 1,
  ArrowDown: 1,
  ArrowLeft: -1,
  ArrowUp: -1,
};

/** A click on an arrow shows the next tabs, and some of those that were in sight. */
const TURNED = 0.7;

/**
 * Tabs in a line, which are gone through by the arrow keys, Home and End. If there is no room for
 * all of them, an arrow at each end says that there are more and leads there.
 */
export function TabList({ id, label, tabs, shown, onShow }: TabListProps) {
  const own = useRef<HTMLDivElement>(null);
  const { isBefore, isAfter } = useHidden(own, `${id}-${shown}`);
  const open = (at: number) => {
    const next = tabs[(at + tabs.length) % tabs.length];
    if (next === undefined) return;
    onShow(next.key);
    document.getElementById(`${id}-${next.key}`)?.focus();
  };
  const turn = (by: number) => own.current?.scrollBy({ left: by * own.current.clientWidth });
  return (
    <div class={`tab-list${isBefore ? ' more-before' : ''}${isAfter ? ' more-after' : ''}`}>
      <div
        ref={own}
        class="tabs"
        role="tablist"
        aria-label={label}
        onKeyDown={(event) => {
          const by = STEPS[event.key];
          if (by !== undefined) open(tabs.findIndex(({ key }) => key === shown) + by);
          else if (event.key === 'Home') open(0);
          else if (event.key === 'End') open(-1);
          else return;
          event.preventDefault();
        }}
      >
        {tabs.map(({ key, title }) => (
          <button
            key={key}
            id={`${id}-${key}`}
            type="button"
            role="tab"
            aria-selected={key === shown}
            aria-controls={`${id}-panel`}
            tabIndex={key === shown ? 0 : -1}
            onClick={() => onShow(key)}
          >
            {title}
          </button>
        ))}
      </div>
      {isBefore ? <Turn label="Earlier tabs" onClick={() => turn(-TURNED)} /> : null}
      {isAfter ? <Turn label="More tabs" onClick={() => turn(TURNED)} /> : null}
    </div>
  );
}

/** The keys reach all tabs without it. */
const Turn = ({ label, onClick }: { readonly label: string; readonly onClick: () => void }) => (
  <button type="button" class="icon turn" aria-label={label} tabIndex={-1} onClick={onClick}>
    <Icon name="chevron" />
  </button>
);

/** Keeps a tab in sight, and tells whether tabs are out of sight at the ends. */
function useHidden(list: { readonly current: HTMLDivElement | null }, shownId: string) {
  const [hidden, setHidden] = useState({ isBefore: false, isAfter: false });
  useLayoutEffect(() => {
    const { current } = list;
    if (current === null) return;
    const look = () => {
      const { scrollLeft, clientWidth, scrollWidth } = current;
      const isBefore = scrollLeft > 1;
      const isAfter = scrollLeft + clientWidth < scrollWidth - 1;
      setHidden((before) =>
        before.isBefore === isBefore && before.isAfter === isAfter ? before : { isBefore, isAfter },
      );
    };
    const bring = () => {
      document.getElementById(shownId)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
      look();
    };
    const resized = new ResizeObserver(bring);
    resized.observe(current);
    current.addEventListener('scroll', look, { passive: true });
    bring();
    return () => {
      resized.disconnect();
      current.removeEventListener('scroll', look);
    };
  }, [shownId]);
  return hidden;
}
