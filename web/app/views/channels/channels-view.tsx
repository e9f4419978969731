import { useComputed, useSignal } from '@preact/signals';
import { FilterBar, HowManyMore } from '../../parts/filters.tsx';
import { attempt } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { app } from '../../store/app.ts';
import {
  type ChannelFilter,
  type ListedChannel,
  listedChannels,
  subscribe,
  unsubscribe,
} from '../../store/channels/browse.ts';
import { hrefOf } from '../../store/navigation.ts';
import { openPanel } from '../../store/panels.ts';
import { channelNarrow, narrowRoute } from '../../store/route.ts';
import { Empty } from '../empty.tsx';

const FILTERS: readonly (readonly [ChannelFilter, string])[] = [
  ['all', 'All'],
  ['subscribed', 'Yours'],
  ['other', 'Others'],
];

/** More are found by their names. */
const SHOWN_MAX = 200;

/** A page of all channels. */
export const ChannelsView = () => (
  <div class="later-page">
    <AllChannels />
  </div>
);

/** All channels, to look into, to join and to leave. */
export function AllChannels() {
  const filter = useSignal<ChannelFilter>('all');
  const text = useSignal('');
  const found = useComputed(() =>
    listedChannels(app.read('channels', 'subscriptions'), filter.value, text.value),
  );
  const { facts } = app.read('own', 'realm');
  const mayCreate = facts.can_create_public_streams || facts.can_create_private_streams;
  return (
    <>
      <FilterBar of="channels" text={text} options={FILTERS} filter={filter}>
        {mayCreate ? (
          <button type="button" class="first" onClick={() => openPanel({ about: 'new-channel' })}>
            New channel
          </button>
        ) : null}
      </FilterBar>
      <p class="unseen" role="status">
        {found.value.length === 1 ? '1 channel' : `${found.value.length} channels`}
      </p>
      {found.value.length === 0 ? (
        <NoChannels isFiltered={text.value !== '' || filter.value !== 'all'} />
      ) : (
        <ul class="card-list">
          {found.value.slice(0, SHOWN_MAX).map((channel) => (
            <ChannelRow key={channel.id} channel={channel} />
          ))}
        </ul>
      )}
      <HowManyMore count={found.value.length - SHOWN_MAX} />
    </>
  );
}

const NoChannels = ({ isFiltered }: { readonly isFiltered: boolean }) => (
  <Empty icon="hash" title={isFiltered ? 'No channel is like that' : 'There is no channel yet'}>
    <p>
      {isFiltered
        ? 'Write less of the name, or look among all channels.'
        : 'Channels are where people talk about one matter. Make the first one.'}
    </p>
  </Empty>
);

function ChannelRow({ channel }: { readonly channel: ListedChannel }) {
  const { id, name, description, isPrivate, isSubscribed, color, subscribers, traffic } = channel;
  return (
    <li class="card-row">
      <span class="sign" style={color === null ? undefined : { '--hue': color }}>
        <Icon name={isPrivate ? 'lock' : 'hash'} />
      </span>
      <div class="card-text">
        <a class="card-name cut" href={hrefOf(narrowRoute(channelNarrow(id)))}>
          {name}
        </a>
        <p class="card-about">
          {subscribers === 1 ? '1 subscriber' : `${subscribers} subscribers`}
          {traffic === null || traffic === 0 ? '' : ` · ${traffic} messages a week`}
          {description === '' ? '' : ` · ${description}`}
        </p>
      </div>
      <button
        type="button"
        class="icon"
        aria-label={`Settings of ${name}`}
        onClick={() => openPanel({ about: 'channel', channelId: id })}
      >
        <Icon name="settings" />
      </button>
      <button
        type="button"
        class="card-act"
        aria-label={isSubscribed ? `Leave ${name}` : `Join ${name}`}
        onClick={() => attempt(isSubscribed ? unsubscribe(name) : subscribe(name))}
      >
        {isSubscribed ? 'Leave' : 'Join'}
      </button>
    </li>
  );
}
