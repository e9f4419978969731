import { lazy } from '../../parts/lazy.tsx';
import { type Tab, Tabs } from '../../parts/pages/tabs.tsx';
import { You } from './you.tsx';

const TABS: readonly Tab[] = [
  { key: 'profile', title: 'You', Shown: You },
  {
    key: 'appearance',
    title: 'Appearance',
    Shown: lazy(async () => (await import('./choices.tsx')).Appearance),
  },
  {
    key: 'writing',
    title: 'Reading and writing',
    Shown: lazy(async () => (await import('./choices.tsx')).Writing),
  },
  {
    key: 'notifications',
    title: 'Notifications',
    Shown: lazy(async () => (await import('./notifications.tsx')).Notifications),
  },
  {
    key: 'privacy',
    title: 'Privacy',
    Shown: lazy(async () => (await import('./privacy.tsx')).Privacy),
  },
  {
    key: 'security',
    title: 'Log-in and keys',
    Shown: lazy(async () => (await import('./security.tsx')).Security),
  },
];

/** Shows the account, the settings that it keeps, and where else one is logged in. */
export const SettingsView = () => (
  <Tabs view="settings" label="Parts of the settings" tabs={TABS} />
);
