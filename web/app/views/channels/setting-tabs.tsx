import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { TabList } from '../../parts/pages/tab-list.tsx';

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
  return (
    <>
      <TabList
        id={id}
        label={label}
        tabs={tabs.map(([key, title]) => ({ key, title }))}
        shown={shown}
        onShow={(key) => onShow(key as Key)} // one of those that it was given
      />
      <div id={`${id}-panel`} class="tab-panel" role="tabpanel" aria-labelledby={`${id}-${shown}`}>
        {children}
      </div>
    </>
  );
}
