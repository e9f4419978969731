import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Avatar } from '../parts/avatar.tsx';
import { ChannelSign } from '../parts/channel-sign.tsx';
import { Choices, choiceId, steppedTo } from '../parts/choices.tsx';
import { Count } from '../parts/count.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import {
  channelOf,
  channels,
  inbox,
  people,
  personOf,
  topicsOf,
  unreadIn,
} from '../store/model.ts';
import { navigate, recents, targetKey } from '../store/navigation.ts';
import { rank, type Target } from '../store/palette.ts';
import {
  channelNarrow,
  dmNarrow,
  isNarrow,
  narrowRoute,
  type Place,
  placeOf,
  type Route,
  searchNarrow,
  topicNarrow,
} from '../store/route.ts';
import { topicLabel } from '../store/shapes.ts';

/** By the keys of views; what is searched for has none of its own. */
const OF_VIEWS: Readonly<Record<string, IconName | undefined>> = {
  __proto__: null as never,
  inbox: 'inbox',
  recent: 'clock',
  drafts: 'draft',
  settings: 'settings',
  channels: 'hash',
  organization: 'people',
  'narrow ': 'all',
  'narrow is:mentioned': 'at',
  'narrow is:starred': 'star',
};

/** The picture of a target: that of the person or of the channel, or an icon. */
function Sign({ target: { key, kind, route } }: { readonly target: Target }) {
  const place = route.view === 'narrow' ? placeOf(route.narrow) : null;
  if (kind === 'person' && place?.kind === 'dm') {
    return <Avatar person={personOf(place.userIds[0] ?? 0)} size="s" />;
  }
  if (place !== null && place.kind !== 'dm') {
    const channel = channelOf(place.channelId);
    if (channel !== undefined) return <ChannelSign channel={channel} />;
  }
  return (
    <span class="sign">
      <Icon name={OF_VIEWS[key] ?? 'search'} />
    </span>
  );
}

export interface PaletteProps {
  readonly title?: string;
  /** Takes a conversation; undefined goes to what is chosen, which may be any view. */
  readonly onTake?: (place: Place) => void;
  readonly onClose: () => void;
}

/** A dialog that goes anywhere by name, or that asks for a conversation. */
export function Palette({ title = 'Go to', onTake, onClose }: PaletteProps) {
  const id = useId();
  const query = useSignal('');
  const at = useSignal(0);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const items = useComputed(() => {
    // The place that is shown is none to go to.
    const [shown, ...before] = recents.value;
    const isThere = (target: Target) => query.value === '' && target.key === shown;
    const isOffered = ({ kind }: Target) => onTake === undefined || kind !== 'view';
    const found = rank(
      targets().filter((target) => !isThere(target) && isOffered(target)),
      query.value,
      before,
    );
    const isSearch = query.value.trim() !== '' && onTake === undefined;
    return isSearch ? [...found, searchFor(query.value.trim())] : found;
  });
  const take = ({ route }: Target) => {
    onClose();
    const place = route.view === 'narrow' ? placeOf(route.narrow) : null;
    if (onTake === undefined) navigate(route);
    else if (place !== null) onTake(place);
  };
  return (
    <Dialog title={title} isBare class="palette" onClose={onClose}>
      <div class="palette-field">
        <Icon name="search" />
        <input
          ref={field}
          type="text"
          role="combobox"
          aria-label={onTake === undefined ? 'Channel, topic, person or view' : title}
          aria-expanded={items.value.length > 0}
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={items.value.length === 0 ? undefined : choiceId(id, at.value)}
          placeholder={`${title} a channel, a topic, a person …`}
          autocomplete="off"
          spellcheck={false}
          value={query.value}
          onInput={({ currentTarget }) => {
            query.value = currentTarget.value;
            at.value = 0;
          }}
          onKeyDown={(event) => {
            const next = steppedTo(event.key, at.value, items.value.length);
            const item = items.value[at.value];
            if (next !== null) at.value = next;
            else if (event.key === 'Enter' && item !== undefined) take(item);
            else return;
            event.preventDefault();
          }}
        />
      </div>
      <Choices
        id={id}
        label="Places"
        items={items.value}
        keyOf={({ key }) => key}
        at={at.value}
        onTake={take}
      >
        {(item) => (
          <>
            <Sign target={item} />
            <span class="cut">{item.label}</span>
            <small class="cut">{item.hint}</small>
            <Count count={item.unread} />
          </>
        )}
      </Choices>
    </Dialog>
  );
}

const searchFor = (text: string): Target => ({
  ...target(narrowRoute(searchNarrow(text)), 'view', `Search for “${text}”`),
  hint: 'in all messages',
});

function target(route: Route, kind: Target['kind'], label: string): Target {
  return { key: targetKey(route), kind, label, hint: '', route, unread: 0 };
}

const VIEWS: readonly (readonly [label: string, route: Route])[] = [
  ['Inbox', { view: 'inbox' }],
  ['Recent conversations', { view: 'recent' }],
  ['All messages', narrowRoute([])],
  ['Mentions', narrowRoute(isNarrow('mentioned'))],
  ['Starred messages', narrowRoute(isNarrow('starred'))],
  ['Drafts', { view: 'drafts' }],
  ['Channels', { view: 'channels' }],
  ['Settings', { view: 'settings' }],
  ['Organization', { view: 'organization' }],
];

/** Returns everything that has a name. */
function targets(): readonly Target[] {
  const found: Target[] = VIEWS.map(([label, route]) => target(route, 'view', label));
  const unreadChannels = new Map(inbox.value.channels.map((one) => [one.channel.id, one.count]));
  for (const { id, name, description } of channels.value.values()) {
    found.push({
      ...target(narrowRoute(channelNarrow(id)), 'channel', name),
      hint: description,
      unread: unreadChannels.get(id) ?? 0,
    });
    for (const topic of topicsOf(id)) {
      found.push({
        ...target(narrowRoute(topicNarrow(id, topic)), 'topic', topicLabel(topic)),
        hint: name,
        unread: unreadIn({ kind: 'topic', channelId: id, topic }).count,
      });
    }
  }
  for (const { id, name, isActive, isBot } of people.value.values()) {
    if (!isActive) continue;
    found.push({
      ...target(narrowRoute(dmNarrow([id])), 'person', name),
      hint: isBot ? 'bot' : '',
      unread: unreadIn({ kind: 'dm', userIds: [id] }).count,
    });
  }
  return found;
}
