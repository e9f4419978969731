import { copy } from '../../net/clipboard.ts';
import { attempt } from '../../parts/form.tsx';
import { type MenuItem, MenuList } from '../../parts/menus/menu-list.tsx';
import { isAdministrator, mayAdministerChannel } from '../../store/account/rights.ts';
import { app } from '../../store/app.ts';
import { bringBack, changeOwn, subscribe, unsubscribe } from '../../store/channels/browse.ts';
import { setPolicy, toggleResolved } from '../../store/channels/topic-acts.ts';
import { markRead } from '../../store/marking.ts';
import { channelOf, personOf, policyOf } from '../../store/model.ts';
import { hrefOf, isShown, navigate, replace } from '../../store/navigation.ts';
import { say } from '../../store/notices.ts';
import { openPanel, PLACE_BUTTON, type TopicPlace } from '../../store/panels.ts';
import { narrowOf, narrowRoute, type Place, topicNarrow } from '../../store/route.ts';
import { isResolved } from '../../store/shapes.ts';

export interface PlaceMenuProps {
  readonly place: Place;
  readonly anchorId: string;
  readonly onClose: () => void;
}

/** All that can be done to what is shown. */
export function PlaceMenu({ place, anchorId, onClose }: PlaceMenuProps) {
  return (
    <MenuList
      label="Acts"
      anchor={document.getElementById(anchorId)}
      items={itemsOf(place, anchorId === PLACE_BUTTON)}
      onClose={onClose}
    />
  );
}

/** The menu of a topic in a list has nothing about its channel. */
function itemsOf(place: Place, isWhole: boolean): readonly MenuItem[] {
  const copyLink: MenuItem = {
    label: 'Copy link',
    icon: 'link',
    onSelect: () =>
      attempt(
        copy(`${location.origin}/${hrefOf(narrowRoute(narrowOf(place)))}`),
        'The link is copied.',
      ),
  };
  const items: MenuItem[] = [
    { label: 'Mark all as read', icon: 'check', onSelect: () => void markRead(place) },
    copyLink,
  ];
  if (place.kind === 'dm') {
    const profiles = place.userIds.map(
      (userId): MenuItem => ({
        label: `Profile of ${personOf(userId).name}`,
        icon: 'people',
        onSelect: () => openPanel({ about: 'person', userId }),
      }),
    );
    return [...profiles, ...items];
  }
  const { channelId } = place;
  if (channelOf(channelId)?.isArchived === true) return [copyLink, ...archivedItems(channelId)];
  const channel = isWhole ? channelItems(channelId) : [];
  return place.kind === 'topic'
    ? [...topicItems(place), ...items, ...channel]
    : [...items, ...channel];
}

/** Nothing is unread in an archived channel, and nothing can be decided about its topics. */
function archivedItems(channelId: number): readonly MenuItem[] {
  const state = app.read('channels', 'groups', 'own');
  const name = state.channels.get(channelId)?.name ?? '';
  const back: MenuItem = {
    label: 'Bring the channel back',
    icon: 'archive',
    onSelect: () => attempt(bringBack(channelId), `#${name} is back.`),
  };
  return [topicsItem(channelId), ...(mayAdministerChannel(state, channelId) ? [back] : [])];
}

const topicsItem = (channelId: number): MenuItem => ({
  label: 'All topics',
  icon: 'hash',
  onSelect: () => navigate({ view: 'topics', channelId }),
});

function topicItems(place: TopicPlace): readonly MenuItem[] {
  const policy = policyOf(place.channelId, place.topic);
  const set = (wanted: typeof policy) =>
    attempt(setPolicy(place, policy === wanted ? 'none' : wanted));
  const resolve = async () => {
    const topic = await toggleResolved(place);
    const wasShown = isShown(narrowRoute(narrowOf(place)));
    if (wasShown) replace(narrowRoute(topicNarrow(place.channelId, topic)));
  };
  const items: MenuItem[] = [
    {
      label: 'Follow the topic',
      icon: 'at',
      isChecked: policy === 'followed',
      onSelect: () => set('followed'),
    },
    {
      label: 'Mute the topic',
      icon: 'mute',
      isChecked: policy === 'muted',
      onSelect: () => set('muted'),
    },
  ];
  if (app.read('subscriptions').subscriptions.get(place.channelId)?.is_muted === true) {
    items.push({
      label: 'Show it in the muted channel',
      icon: 'inbox',
      isChecked: policy === 'unmuted',
      onSelect: () => set('unmuted'),
    });
  }
  items.push({
    label: 'Rename or move the topic',
    icon: 'move',
    onSelect: () => openPanel({ about: 'topic', act: 'move', place }),
  });
  if (place.topic !== '') {
    items.push({
      label: isResolved(place.topic) ? 'Open the topic again' : 'Resolve the topic',
      icon: 'check',
      onSelect: () => attempt(resolve()),
    });
  }
  if (isAdministrator(app.read('own'))) {
    items.push({
      label: 'Delete the topic',
      icon: 'trash',
      isGrave: true,
      onSelect: () => openPanel({ about: 'topic', act: 'delete', place }),
    });
  }
  return items;
}

function channelItems(channelId: number): readonly MenuItem[] {
  const { channels, subscriptions } = app.read('channels', 'subscriptions');
  const name = channels.get(channelId)?.name ?? '';
  const own = subscriptions.get(channelId);
  const settings: MenuItem = {
    label: 'Settings of the channel',
    icon: 'settings',
    onSelect: () => openPanel({ about: 'channel', channelId }),
  };
  const topics = topicsItem(channelId);
  if (own === undefined) {
    return [
      { label: `Join #${name}`, icon: 'plus', onSelect: () => attempt(subscribe(name)) },
      topics,
      settings,
    ];
  }
  return [
    topics,
    {
      label: 'Mute the channel',
      icon: 'mute',
      isChecked: own.is_muted,
      onSelect: () => attempt(changeOwn(channelId, 'is_muted', !own.is_muted)),
    },
    {
      label: 'Pin the channel',
      icon: 'star',
      isChecked: own.pin_to_top,
      onSelect: () => attempt(changeOwn(channelId, 'pin_to_top', !own.pin_to_top)),
    },
    settings,
    {
      label: `Leave #${name}`,
      icon: 'leave',
      onSelect: () => attempt(unsubscribe(name).then(() => say(`You have left #${name}.`))),
    },
  ];
}
