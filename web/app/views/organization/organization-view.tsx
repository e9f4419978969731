import { lazy } from '../../parts/lazy.tsx';
import { type Tab, Tabs } from '../../parts/pages/tabs.tsx';
import { isAdministrator, isAmong } from '../../store/account/rights.ts';
import { app } from '../../store/app.ts';
import { AllChannels } from '../channels/channels-view.tsx';
import { About } from './about.tsx';
import { Bots } from './bots.tsx';
import { Invitations } from './invitations.tsx';
import { Members } from './members.tsx';

interface Part extends Tab {
  readonly for: 'all' | 'inviters' | 'emoji makers' | 'members' | 'administrators';
}

const PARTS: readonly Part[] = [
  { key: 'people', title: 'People', Shown: Members, for: 'all' },
  { key: 'invitations', title: 'Invitations', Shown: Invitations, for: 'inviters' },
  {
    key: 'groups',
    title: 'Groups',
    Shown: lazy(async () => (await import('./groups.tsx')).Groups),
    for: 'members',
  },
  { key: 'channels', title: 'Channels', Shown: AllChannels, for: 'all' },
  { key: 'bots', title: 'Bots', Shown: Bots, for: 'all' },
  {
    key: 'emoji',
    title: 'Emoji',
    Shown: lazy(async () => (await import('./custom-emoji.tsx')).CustomEmoji),
    for: 'emoji makers',
  },
  { key: 'about', title: 'About', Shown: About, for: 'all' },
  {
    key: 'joining',
    title: 'Joining',
    Shown: lazy(async () => (await import('./joining.tsx')).Joining),
    for: 'administrators',
  },
  {
    key: 'permissions',
    title: 'Permissions',
    Shown: lazy(async () => (await import('./permissions.tsx')).Permissions),
    for: 'administrators',
  },
  {
    key: 'profile-fields',
    title: 'Profile fields',
    Shown: lazy(async () => (await import('./profile-fields.tsx')).ProfileFields),
    for: 'administrators',
  },
  {
    key: 'links',
    title: 'Links and code',
    Shown: lazy(async () => (await import('./links.tsx')).Links),
    for: 'administrators',
  },
  {
    key: 'exports',
    title: 'Exports',
    Shown: lazy(async () => (await import('./exports.tsx')).Exports),
    for: 'administrators',
  },
];

/** The organization, in parts: people, channels, bots, what it is called, and who may do what. */
export function OrganizationView() {
  const state = app.read('own', 'realm', 'groups');
  const isAdmin = isAdministrator(state);
  const { facts } = state;
  const isShown: Readonly<Record<Part['for'], boolean>> = {
    all: true,
    inviters: facts.can_invite_others_to_realm === true || isAdmin,
    'emoji makers': isAdmin || isAmong(state, state.ownId, facts.realm_can_add_custom_emoji_group),
    members: facts.is_guest !== true,
    administrators: isAdmin,
  };
  const tabs = PARTS.filter((part) => isShown[part.for]);
  return <Tabs view="organization" label="Parts of the organization" tabs={tabs} />;
}
