import { effect, useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Count } from '../parts/count.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { lazy } from '../parts/lazy.tsx';
import { noteShown } from '../parts/loading/first-shown.ts';
import { useCommand } from '../parts/use-command.ts';
import { useMedia } from '../parts/use-media.ts';
import { app } from '../store/app.ts';
import { run } from '../store/commands.ts';
import { nextUnread } from '../store/inbox.ts';
import { counts, inbox } from '../store/model.ts';
import { hrefOf, isShown, navigate, route } from '../store/navigation.ts';
import { say } from '../store/notices.ts';
import { panel } from '../store/panels.ts';
import { INBOX, isNarrow, narrowOf, narrowRoute, type Route } from '../store/route.ts';
import { settings } from '../store/settings.ts';
import { Header } from './header.tsx';
import { InboxView } from './inbox.tsx';
import { ConnectionState } from './left/connection-state.tsx';
import { Sidebar } from './left/sidebar.tsx';
import { NarrowView } from './narrow-view.tsx';
import { Notices } from './notices.tsx';
import { People } from './people.tsx';

// These are not needed to read and to write, so they are loaded when they are first shown.
const LogIn = lazy(async () => (await import('./log-in.tsx')).LogIn);
const RecentView = lazy(async () => {
  const { openRecentView, RecentView } = await import('./recent.tsx');
  openRecentView();
  return RecentView;
});
const DraftsView = lazy(async () => (await import('./drafts.tsx')).DraftsView);
const SettingsView = lazy(async () => (await import('./settings/settings-view.tsx')).SettingsView);
const ChannelsView = lazy(async () => (await import('./channels/channels-view.tsx')).ChannelsView);
const TopicsView = lazy(async () => (await import('./channels/topics-view.tsx')).TopicsView);
const OrganizationView = lazy(
  async () => (await import('./organization/organization-view.tsx')).OrganizationView,
);
const WelcomeView = lazy(async () => (await import('./welcome.tsx')).WelcomeView);
const Panels = lazy(async () => (await import('./panels.tsx')).Panels);
const Palette = lazy(async () => (await import('./palette.tsx')).Palette);
const KeysHelp = lazy(async () => (await import('./keys-help.tsx')).KeysHelp);

/** The whole page. */
export function Frame() {
  switch (app.phase.value) {
    case 'opening':
      return <Opening />;
    case 'logged-out':
      return (
        <>
          <LogIn />
          <Notices />
        </>
      );
    case 'open':
      return <Chat />;
  }
}

/** The columns without what is in them, so that nothing jumps when it comes. */
const Opening = () => (
  <div class="frame" aria-busy="true">
    <div class="left" />
    <main class="middle">
      <h1 class="unseen">Opening the chat</h1>
      <div class="middle-head" />
    </main>
  </div>
);

/** As in the style: there is room for one column. */
const NARROW = '(max-width: 719.98px)';

type Overlay = 'palette' | 'help' | null;

function Chat() {
  const overlay = useSignal<Overlay>(null);
  const isLeftOpen = useSignal(false);
  const isNarrow = useMedia(NARROW);
  const view = useComputed(() => route.value.view).value;
  const close = () => {
    overlay.value = null;
  };
  useGoing();
  // Messages say themselves when they are shown.
  useEffect(() => {
    if (view !== 'narrow') noteShown();
  }, [view]);
  useCommand('palette', () => {
    overlay.value = 'palette';
  });
  useCommand('help', () => {
    overlay.value = 'help';
  });
  // The left column covers the page where that is narrow: it closes when one goes somewhere.
  useEffect(
    () =>
      effect(() => {
        void route.value;
        isLeftOpen.value = false;
      }),
    [],
  );
  return (
    <div class={frameClass(isLeftOpen.value)}>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the messages
      </button>
      <Sidebar
        onClose={() => {
          isLeftOpen.value = false;
        }}
      />
      <main class="middle" id="main" tabIndex={-1}>
        <Header
          onMenu={() => {
            isLeftOpen.value = true;
          }}
        />
        {isNarrow ? (
          <div class="narrow-state">
            <ConnectionState />
          </div>
        ) : null}
        {panel.value === null ? null : <Panels />}
        {view === 'narrow' ? <NarrowView /> : <div class="scroll">{SHOWN[view]()}</div>}
      </main>
      {settings.value.showsPeople ? <People /> : null}
      {isNarrow ? <BottomBar /> : null}
      <Notices />
      {overlay.value === 'palette' ? <Palette onClose={close} /> : null}
      {overlay.value === 'help' ? <KeysHelp onClose={close} /> : null}
    </div>
  );
}

const frameClass = (isLeftOpen: boolean) =>
  ['frame', settings.value.showsPeople ? 'with-right' : '', isLeftOpen ? 'left-open' : ''].join(
    ' ',
  );

const SHOWN: Readonly<Record<Exclude<Route['view'], 'narrow'>, () => preact.JSX.Element>> = {
  inbox: () => <InboxView />,
  recent: () => <RecentView />,
  drafts: () => <DraftsView />,
  settings: () => <SettingsView />,
  channels: () => <ChannelsView />,
  topics: () => <TopicsView />,
  organization: () => <OrganizationView />,
  welcome: () => <WelcomeView />,
};

/** Commands that lead somewhere. */
function useGoing(): void {
  useCommand('inbox', () => navigate(INBOX));
  useCommand('recent', () => navigate({ view: 'recent' }));
  useCommand('all', () => navigate(narrowRoute([])));
  useCommand('back', () => {
    if (route.value.view !== 'inbox') navigate(INBOX);
  });
  const goToUnread = (kind: 'topic' | 'dm', none: string) => () => {
    const next = nextUnread(inbox.value, kind, ({ place }) =>
      isShown(narrowRoute(narrowOf(place))),
    );
    if (next === undefined) say(none);
    else navigate(narrowRoute(narrowOf(next.place)));
  };
  useCommand('next-topic', goToUnread('topic', 'No other topic has anything unread.'));
  useCommand('next-dm', goToUnread('dm', 'No other direct message is unread.'));
}

interface BarEntry {
  readonly label: string;
  readonly icon: IconName;
  readonly route: Route;
  readonly count: number;
}

/** The way around where there is room for one column. */
function BottomBar() {
  const { inbox: unread, mentions } = counts.value;
  const entries: readonly BarEntry[] = [
    { label: 'Inbox', icon: 'inbox', route: INBOX, count: unread },
    { label: 'Recent', icon: 'clock', route: { view: 'recent' }, count: 0 },
    {
      label: 'Mentions',
      icon: 'at',
      route: narrowRoute(isNarrow('mentioned')),
      count: mentions,
    },
  ];
  return (
    <nav class="bottom" aria-label="Views">
      {entries.map(({ label, icon, route: to, count }) => (
        <a key={label} href={hrefOf(to)} aria-current={isShown(to) ? 'page' : undefined}>
          <Icon name={icon} />
          <span>{label}</span>
          <Count count={count} isUrgent={label === 'Mentions'} />
        </a>
      ))}
      <button type="button" class="quiet" onClick={() => run('palette')}>
        <Icon name="search" />
        <span>Go to</span>
      </button>
    </nav>
  );
}
