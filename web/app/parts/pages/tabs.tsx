import type { ComponentType } from 'preact';
import { useId, useLayoutEffect } from 'preact/hooks';
import { replace, route } from '../../store/navigation.ts';
import type { PlainView } from '../../store/route.ts';
import './kept-style.ts';

export interface Tab {
  /** The end of the address. */
  readonly key: string;
  readonly title: string;
  readonly Shown: ComponentType;
}

export interface TabsProps {
  readonly view: PlainView;
  /** Names what the tabs are parts of. */
  readonly label: string;
  readonly tabs: readonly Tab[];
}

const STEPS: Readonly<Record<string, number>> = {
  __proto__: null as never,
  ArrowRight: 1,
  ArrowDown: 1,
  ArrowLeft: -1,
  ArrowUp: -1,
};

/** A view in parts, of which the address says one. */
export function Tabs({ view, label, tabs }: TabsProps) {
  const id = useId();
  const at = route.value;
  const part = at.view === view ? at.part : undefined;
  const shown = tabs.find(({ key }) => key === part) ?? tabs[0];
  // The tab that is shown is in sight, also if there is no room for all of them.
  useLayoutEffect(() => {
    const tab = document.getElementById(`${id}-${shown?.key}`);
    tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [shown?.key]);
  if (shown === undefined) return null;
  const open = (key: string) => replace({ view, part: key });
  const step = (by: number) => {
    const next = tabs[(tabs.indexOf(shown) + by + tabs.length) % tabs.length];
    if (next === undefined) return;
    open(next.key);
    document.getElementById(`${id}-${next.key}`)?.focus();
  };
  return (
    <div class="tabbed-frame">
      <div class="later-page tabbed">
        <div
          class="tabs"
          role="tablist"
          aria-label={label}
          onKeyDown={(event) => {
            const by = STEPS[event.key];
            if (by === undefined) return;
            event.preventDefault();
            step(by);
          }}
        >
          {tabs.map(({ key, title }) => (
            <button
              key={key}
              id={`${id}-${key}`}
              type="button"
              role="tab"
              aria-selected={key === shown.key}
              aria-controls={`${id}-panel`}
              tabIndex={key === shown.key ? 0 : -1}
              onClick={() => open(key)}
            >
              {title}
            </button>
          ))}
        </div>
        <div
          id={`${id}-panel`}
          class="tab-panel"
          role="tabpanel"
          aria-labelledby={`${id}-${shown.key}`}
        >
          <shown.Shown key={shown.key} />
        </div>
      </div>
    </div>
  );
}
