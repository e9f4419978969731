import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import '../../parts/later-style.ts';

export interface SettingTabsProps<Key extends string> {
  readonly label: string;
  readonly tabs: readonly (readonly [key: Key, title: string])[];
  readonly shown: Key;
  readonly onShow: (key: Key) => void;
  /** The content of the tab that is shown. */
  readonly children: ComponentChildren;
}

/** Parts of which one is shown; the arrows go from one to the next. */
export function SettingTabs<Key extends string>(props: SettingTabsProps<Key>) {
  const { label, tabs, shown, onShow, children } = props;
  const id = useId();
  const step = (by: number) => {
    const at = tabs.findIndex(([key]) => key === shown);
    const next = tabs[(at + by + tabs.length) % tabs.length];
    if (next === undefined) return;
    onShow(next[0]);
    document.getElementById(`${id}-${next[0]}`)?.focus();
  };
  return (
    <>
      <div
        class="tabs"
        role="tablist"
        aria-label={label}
        onKeyDown={({ key }) => {
          if (key === 'ArrowRight') step(1);
          if (key === 'ArrowLeft') step(-1);
        }}
      >
        {tabs.map(([key, title]) => (
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
      <div id={`${id}-panel`} class="tab-panel" role="tabpanel" aria-labelledby={`${id}-${shown}`}>
        {children}
      </div>
    </>
  );
}
