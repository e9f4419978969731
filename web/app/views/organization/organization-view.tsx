import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { isAdministrator } from '../../store/account/rights.ts';
import { app } from '../../store/app.ts';
import { AllChannels } from '../channels/channels-view.tsx';
import { About } from './about.tsx';
import { Bots } from './bots.tsx';
import { Invitations } from './invitations.tsx';
import { Members } from './members.tsx';

const TABS = [
  { key: 'people', title: 'People', Shown: Members, isForAll: true },
  { key: 'invitations', title: 'Invitations', Shown: Invitations, isForAll: false },
  { key: 'channels', title: 'Channels', Shown: AllChannels, isForAll: true },
  { key: 'bots', title: 'Bots', Shown: Bots, isForAll: true },
  { key: 'about', title: 'About', Shown: About, isForAll: true },
] as const;

/** The organization, in parts: people, invitations, channels, bots, and what it is called. */
export function OrganizationView() {
  const id = useId();
  const chosen = useSignal<string>('people');
  const state = app.read('own', 'realm');
  const mayInvite = state.facts.can_invite_others_to_realm === true || isAdministrator(state);
  const tabs = TABS.filter(({ isForAll }) => isForAll || mayInvite);
  const shown = tabs.find(({ key }) => key === chosen.value) ?? TABS[0];
  const step = (by: number) => {
    const at = tabs.findIndex(({ key }) => key === shown.key);
    const next = tabs[(at + by + tabs.length) % tabs.length];
    if (next === undefined) return;
    chosen.value = next.key;
    document.getElementById(`${id}-${next.key}`)?.focus();
  };
  return (
    <div class="later-page">
      <div
        class="tabs"
        role="tablist"
        aria-label="Parts of the organization"
        onKeyDown={({ key }) => {
          if (key === 'ArrowRight') step(1);
          if (key === 'ArrowLeft') step(-1);
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
            onClick={() => {
              chosen.value = key;
            }}
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
        <shown.Shown />
      </div>
    </div>
  );
}
