import { computed, useSignal } from '@preact/signals';
import { Count } from '../../parts/count.tsx';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { InSight } from '../../parts/lists/in-sight.tsx';
import { Menu } from '../../parts/menus/menu.tsx';
import type { MenuItem } from '../../parts/menus/menu-list.tsx';
import { app } from '../../store/app.ts';
import { run } from '../../store/commands.ts';
import { channels, counts, folders, inbox, realm } from '../../store/model.ts';
import { hrefOf, isShown, navigate, route } from '../../store/navigation.ts';
import { sayFault } from '../../store/notices.ts';
import { openPanel } from '../../store/panels.ts';
import { INBOX, isNarrow, narrowRoute, placeOf, type Route } from '../../store/route.ts';
import type { Channel } from '../../store/shapes.ts';
import { sectionsOf } from '../../store/sidebar.ts';
import { ChannelLine } from './channel-line.tsx';
import { DirectLines } from './direct-lines.tsx';
import { LeftSection } from './left-section.tsx';
import { OwnLine } from './own-line.tsx';

/** The left column: the organization, lists of messages, channels, and direct messages. */
export function Sidebar({ onClose }: { readonly onClose: () => void }) {
  return (
    <nav class="left" aria-label="Conversations">
      <header class="left-head">
        <RealmIcon />
        <p class="realm-name cut">{realm.value.name}</p>
        <button
          type="button"
          class="icon"
          aria-label="Go to anything"
          onClick={() => run('palette')}
        >
          <Icon name="search" />
        </button>
        <button type="button" class="icon only-narrow" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
        <Menu
          label="Menu"
          items={[
            { label: 'Channels', icon: 'hash', onSelect: () => navigate({ view: 'channels' }) },
            ...(app.read('own').facts.can_invite_others_to_realm ? INVITE : []),
            {
              label: 'Organization',
              icon: 'people',
              onSelect: () => navigate({ view: 'organization' }),
            },
            { label: 'Settings', icon: 'settings', onSelect: () => navigate({ view: 'settings' }) },
            { label: 'Keys', icon: 'keyboard', onSelect: () => run('help') },
            { label: 'Log out', icon: 'leave', onSelect: leave },
          ]}
        >
          <Icon name="dots" />
        </Menu>
      </header>
      <div class="left-lists">
        <Views />
        <Channels />
        <DirectLines />
      </div>
      <OwnLine />
    </nav>
  );
}

const leave = () => void import('../leaving.ts').then((part) => part.leave(), sayFault);

const INVITE: readonly MenuItem[] = [
  { label: 'Invite people', icon: 'plus', onSelect: () => openPanel({ about: 'invite' }) },
];

function RealmIcon() {
  const { name, iconUrl } = realm.value;
  if (iconUrl !== null)
    return <img class="realm-icon" src={iconUrl} alt="" width="32" height="32" />;
  return (
    <span class="realm-icon" aria-hidden="true">
      {[...name][0]?.toUpperCase() ?? ''}
    </span>
  );
}

export interface ViewEntry {
  readonly label: string;
  readonly icon: IconName;
  readonly route: Route;
  readonly count: number;
  readonly of: string;
}

/** The lists of messages that have no conversation of their own. */
export function viewEntries(): readonly ViewEntry[] {
  const { inbox, mentions, starred, drafts } = counts.value;
  const of = 'unread';
  return [
    { label: 'Inbox', icon: 'inbox', route: INBOX, count: inbox, of },
    { label: 'Recent', icon: 'clock', route: { view: 'recent' }, count: 0, of },
    {
      label: 'Mentions',
      icon: 'at',
      route: narrowRoute(isNarrow('mentioned')),
      count: mentions,
      of,
    },
    {
      label: 'Starred',
      icon: 'star',
      route: narrowRoute(isNarrow('starred')),
      count: starred,
      of: 'messages',
    },
    { label: 'Drafts', icon: 'draft', route: { view: 'drafts' }, count: drafts, of: 'drafts' },
  ];
}

function Views() {
  return (
    <ul class="lines">
      {viewEntries().map(({ label, icon, route, count, of }) => (
        <li key={label}>
          <a class="line" href={hrefOf(route)} aria-current={isShown(route) ? 'page' : undefined}>
            <Icon name={icon} />
            <span class="cut">{label}</span>
            <Count count={count} of={of} isUrgent={label === 'Mentions'} />
          </a>
        </li>
      ))}
    </ul>
  );
}

function Channels() {
  const sections = sectionsOf(channels.value.values(), folders.value);
  const open = useSignal<ReadonlySet<number>>(new Set());
  if (sections.length === 0) {
    return (
      <p class="left-empty muted">
        You are in no channel yet. <a href="#channels">Look at all of them</a>
      </p>
    );
  }
  const toggle = (id: number) => {
    const next = new Set(open.value);
    if (!next.delete(id)) next.add(id);
    open.value = next;
  };
  return (
    <>
      {sections.map(({ key, title, channels: some }) => (
        <LeftSection key={key} name={key} title={title}>
          <ChannelLines channels={some} open={open.value} onToggle={toggle} />
        </LeftSection>
      ))}
    </>
  );
}

interface ChannelLinesProps {
  readonly channels: readonly Channel[];
  /** The channels whose topics are shown though another one is. */
  readonly open: ReadonlySet<number>;
  readonly onToggle: (channelId: number) => void;
}

/** As in the style of lines. */
const GAP_PX = 1;

/** Others, in which nothing is unread, are behind a click, and in the search for a place. */
const CHANNELS_SHOWN = 30;

/** Other topics of a channel draw no other lines. */
const shownChannelId = computed(() => {
  const place = route.value.view === 'narrow' ? placeOf(route.value.narrow) : null;
  return place === null || place.kind === 'dm' ? null : place.channelId;
});

const keyOfChannel = ({ id }: Channel) => String(id);

function ChannelLines({ channels: all, open, onToggle }: ChannelLinesProps) {
  const isAll = useSignal(false);
  const needed = new Set(inbox.value.channels.map(({ channel }) => channel.id));
  if (shownChannelId.value !== null) needed.add(shownChannelId.value);
  const lines = isAll.value
    ? all
    : all.filter(({ id }, index) => index < CHANNELS_SHOWN || needed.has(id));
  return (
    <>
      <InSight class="lines" items={lines} keyOf={keyOfChannel} gap={GAP_PX}>
        {(channel, row) => (
          <ChannelLine
            {...row}
            channel={channel}
            isOpened={open.has(channel.id)}
            onToggle={onToggle}
          />
        )}
      </InSight>
      {lines.length < all.length ? (
        <button
          type="button"
          class="quiet more"
          onClick={() => {
            isAll.value = true;
          }}
        >
          {all.length - lines.length} more
        </button>
      ) : null}
    </>
  );
}
