import type { ComponentType } from 'preact';
import { useId } from 'preact/hooks';
import { replace, route } from '../../store/navigation.ts';
import type { PlainView } from '../../store/route.ts';
import { TabList } from './tab-list.tsx';
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

/** A view in parts, of which the address says one. */
export function Tabs({ view, label, tabs }: TabsProps) {
  const id = useId();
  const at = route.value;
  const part = at.view === view ? at.part : undefined;
  const shown = tabs.find(({ key }) => key === part) ?? tabs[0];
  if (shown === undefined) return null;
  return (
    <div class="tabbed-frame">
      <div class="later-page tabbed">
        <TabList
          id={id}
          label={label}
          tabs={tabs}
          shown={shown.key}
          onShow={(key) => replace({ view, part: key })}
        />
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
