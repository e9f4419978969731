import type { ComponentChildren } from 'preact';
import { Avatar } from '../parts/avatar.tsx';
import { ChannelSign } from '../parts/channel-sign.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { channelOf, personOf, presenceOf } from '../store/model.ts';
import { heading, hrefOf, route } from '../store/navigation.ts';
import { openPanel, PLACE_BUTTON } from '../store/panels.ts';
import { channelNarrow, narrowRoute, type Place, placeOf, type Route } from '../store/route.ts';
import { change, settings } from '../store/settings.ts';
import { isResolved } from '../store/shapes.ts';
import { SearchBox } from './light-search.tsx';

export interface HeaderProps {
  /** Opens the left column, where there is no room for it beside this one. */
  readonly onMenu: () => void;
  /** Acts on what is shown. */
  readonly children?: ComponentChildren;
}

/** The head of the middle column: what is shown, and a field to search. */
export function Header({ onMenu, children }: HeaderProps) {
  const { value } = route;
  const place = value.view === 'narrow' ? placeOf(value.narrow) : null;
  const { title, within } = heading.value;
  const channelId = value.view === 'topics' ? value.channelId : channelIn(place);
  const channel = channelId === null ? undefined : channelOf(channelId);
  return (
    <header class="middle-head">
      <button type="button" class="icon only-narrow" aria-label="Conversations" onClick={onMenu}>
        <Icon name="menu" />
      </button>
      <Sign route={value} place={place} />
      <div class="middle-title">
        {within === null || channel === undefined ? null : (
          <a class="within cut" href={hrefOf(narrowRoute(channelNarrow(channel.id)))}>
            {within}
          </a>
        )}
        <h1 class="cut">{title}</h1>
        {place?.kind === 'topic' && isResolved(place.topic) ? (
          <small class="resolved">resolved</small>
        ) : null}
        {channel?.isArchived === true ? <small class="resolved archived">archived</small> : null}
        {place?.kind === 'channel' && channel !== undefined && channel.description !== '' ? (
          <p class="about cut">{channel.description}</p>
        ) : null}
      </div>
      {place === null ? null : (
        <button
          id={PLACE_BUTTON}
          type="button"
          class="icon"
          aria-label={`Acts on ${title}`}
          aria-haspopup="menu"
          onClick={() => openPanel({ about: 'place', place })}
        >
          <Icon name="dots" />
        </button>
      )}
      {children}
      <SearchBox />
      <button
        type="button"
        class="icon only-wide"
        aria-label="People"
        aria-pressed={settings.value.showsPeople}
        onClick={() => change({ showsPeople: !settings.value.showsPeople })}
      >
        <Icon name="people" />
      </button>
    </header>
  );
}

const channelIn = (place: Place | null) =>
  place === null || place.kind === 'dm' ? null : place.channelId;

const OF_VIEWS: Readonly<Record<Exclude<Route['view'], 'narrow'>, IconName>> = {
  inbox: 'inbox',
  recent: 'clock',
  drafts: 'draft',
  settings: 'settings',
  channels: 'hash',
  topics: 'hash',
  organization: 'people',
  welcome: 'smile',
};

function Sign({ route: shown, place }: { readonly route: Route; readonly place: Place | null }) {
  if (shown.view !== 'narrow') return <Icon name={OF_VIEWS[shown.view]} />;
  if (place?.kind === 'dm') {
    const [only = 0] = place.userIds;
    return place.userIds.length === 1 ? (
      <Avatar person={personOf(only)} size="s" presence={presenceOf(only)} />
    ) : (
      <Icon name="people" />
    );
  }
  if (place !== null) {
    const channel = channelOf(place.channelId);
    return channel === undefined ? <Icon name="hash" /> : <ChannelSign channel={channel} />;
  }
  const [first] = shown.narrow;
  if (first?.operator !== 'is') return <Icon name={first === undefined ? 'all' : 'search'} />;
  if (first.operand === 'starred') return <Icon name="star" />;
  return <Icon name={first.operand === 'mentioned' ? 'at' : 'search'} />;
}
