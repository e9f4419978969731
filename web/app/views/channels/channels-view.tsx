import { useComputed, useSignal } from '@preact/signals';
import { FilterBar } from '../../parts/filters.tsx';
import { attempt, Choice } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { WindowList } from '../../parts/lists/window-list.tsx';
import { isAdministrator } from '../../store/account/rights.ts';
import { app } from '../../store/app.ts';
import {
  type ChannelFilter,
  type ChannelOrder,
  channelCounts,
  type ListedChannel,
  listedChannels,
  subscribe,
  unsubscribe,
} from '../../store/channels/browse.ts';
import { mayJoin } from '../../store/channels/permissions.ts';
import { hrefOf } from '../../store/navigation.ts';
import { openPanel } from '../../store/panels.ts';
import { channelNarrow, narrowRoute } from '../../store/route.ts';
import { Empty } from '../empty.tsx';
import { ArchivedChannels } from './archived-channels.tsx';
import './style.ts';

const ORDERS: readonly (readonly [ChannelOrder, string])[] = [
  ['name', 'By name'],
  ['subscribers', 'Most people first'],
  ['traffic', 'Most messages first'],
  ['newest', 'Newest first'],
];

const ROW_REM = 3.75;

/** A page of all channels. */
export const ChannelsView = () => (
  <div class="later-page">
    <AllChannels />
  </div>
);

/** All channels, to look into, to join and to leave. */
export function AllChannels() {
  const filter = useSignal<ChannelFilter>('all');
  const order = useSignal<ChannelOrder>('name');
  const text = useSignal('');
  const state = app.read('own', 'realm', 'channels', 'subscriptions');
  const { facts } = state;
  const mayCreate = facts.can_create_public_streams || facts.can_create_private_streams;
  const { all, subscribed, other, archived } = channelCounts(state);
  const found = useComputed(() =>
    filter.value === 'archived'
      ? []
      : listedChannels(app.read('channels', 'subscriptions', 'folders'), {
          filter: filter.value,
          order: order.value,
          text: text.value,
        }),
  );
  return (
    <>
      <FilterBar
        of="channels"
        text={text}
        options={[
          ['all', `All ${all}`],
          ['subscribed', `Yours ${subscribed}`],
          ['other', `Others ${other}`],
          ['archived', `Archived ${archived}`],
        ]}
        filter={filter}
      >
        {mayCreate ? (
          <button type="button" class="first" onClick={() => openPanel({ about: 'new-channel' })}>
            New channel
          </button>
        ) : null}
      </FilterBar>
      <div class="later-row list-head">
        <p class="muted" role="status">
          {filter.value === 'archived'
            ? 'Channels to which nobody writes any more'
            : countOf(found.value.length)}
        </p>
        <div class="list-acts">
          {isAdministrator(state) ? (
            <button type="button" onClick={() => openPanel({ about: 'folders' })}>
              Folders
            </button>
          ) : null}
          {filter.value === 'archived' ? null : (
            <Choice
              label="Order"
              isBare
              value={order.value}
              options={ORDERS}
              onChange={(chosen) => {
                order.value = chosen as ChannelOrder;
              }}
            />
          )}
        </div>
      </div>
      {filter.value === 'archived' ? (
        <ArchivedChannels text={text.value} />
      ) : (
        <Found found={found.value} isFiltered={text.value !== '' || filter.value !== 'all'} />
      )}
    </>
  );
}

const countOf = (count: number) => (count === 1 ? '1 channel' : `${count} channels`);

interface FoundProps {
  readonly found: readonly ListedChannel[];
  readonly isFiltered: boolean;
}

function Found({ found, isFiltered }: FoundProps) {
  if (found.length === 0) return <NoChannels isFiltered={isFiltered} />;
  return (
    <WindowList
      label="Channels"
      class="card-list"
      items={found}
      keyOf={({ id }) => String(id)}
      rowRem={ROW_REM}
    >
      {(channel, tabIndex) => <ChannelRow channel={channel} tabIndex={tabIndex} />}
    </WindowList>
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

interface ChannelRowProps {
  readonly channel: ListedChannel;
  readonly tabIndex: 0 | -1;
}

function ChannelRow({ channel, tabIndex }: ChannelRowProps) {
  const { id, name, isPrivate, isSubscribed, color } = channel;
  const mayChange = isSubscribed || mayJoin(app.read('groups', 'own'), id);
  return (
    <div class="channel-row">
      <span class="sign" style={color === null ? undefined : { '--hue': color }}>
        <Icon name={isPrivate ? 'lock' : 'hash'} />
      </span>
      <div class="card-text">
        <a class="card-name cut" href={hrefOf(narrowRoute(channelNarrow(id)))} tabIndex={tabIndex}>
          {name}
        </a>
        <p class="card-about cut">{aboutOf(channel)}</p>
      </div>
      <button
        type="button"
        class="icon"
        aria-label={`Settings of ${name}`}
        tabIndex={tabIndex}
        onClick={() => openPanel({ about: 'channel', channelId: id })}
      >
        <Icon name="settings" />
      </button>
      {mayChange ? (
        <button
          type="button"
          class="card-act"
          aria-label={isSubscribed ? `Leave ${name}` : `Join ${name}`}
          tabIndex={tabIndex}
          onClick={() => changeOrAsk(channel)}
        >
          {isSubscribed ? 'Leave' : 'Join'}
        </button>
      ) : null}
    </div>
  );
}

/** Joins or leaves; the settings ask first where there is no way back. */
function changeOrAsk({ id, name, isSubscribed }: ListedChannel): void {
  if (!isSubscribed) attempt(subscribe(name));
  else if (mayJoin(app.read('groups', 'own'), id)) attempt(unsubscribe(name));
  else openPanel({ about: 'channel', channelId: id });
}

const aboutOf = ({ subscribers, traffic, folder, description }: ListedChannel): string =>
  [
    subscribers === 1 ? '1 subscriber' : `${subscribers} subscribers`,
    ...(traffic === null || traffic === 0 ? [] : [`${traffic} messages a week`]),
    ...(folder === null ? [] : [folder]),
    ...(description === '' ? [] : [description]),
  ].join(' · ');
