import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Avatar } from '../parts/avatar.tsx';
import { Count } from '../parts/count.tsx';
import { Filters } from '../parts/filters.tsx';
import { run } from '../store/commands.ts';
import { channels, nowMs, ownId, personOf, policyOf, unreadIn } from '../store/model.ts';
import { hrefOf } from '../store/navigation.ts';
import type { Conversation } from '../store/recent/recent.ts';
import { loading, loadRecent, openRecent, recent } from '../store/recent/recent-messages.ts';
import { narrowOf, narrowRoute } from '../store/route.ts';
import { isHidden } from '../store/shapes.ts';
import { shortTime, wholeTime } from '../store/times.ts';
import { Empty } from './empty.tsx';
import { PlaceLabel } from './place-label.tsx';
import { useRows } from './use-rows.ts';
import '../parts/style/beside-style.ts';

const FILTERS = ['All', 'Unread', 'Yours'] as const;
type Filter = (typeof FILTERS)[number];

/** Lets the list follow events, from when this part is loaded. */
export const openRecentView = openRecent;

/** Conversations by when something was said in them last. */
export function RecentView() {
  const filter = useSignal<Filter>('All');
  const rows = useRows();
  useEffect(() => {
    if (loading.peek() === 'not-yet') void loadRecent();
  }, []);
  const some = recent.conversations.filter((one) => isWanted(one, filter.value));
  return (
    <div class="list" ref={rows}>
      <Filters
        legend="Which conversations"
        options={FILTERS.map((name) => [name, name] as const)}
        value={filter.value}
        onChange={(value) => {
          filter.value = value;
        }}
      />
      {some.length > 0 ? (
        <ul class="recent">
          {some.map((one) => (
            <Line key={one.key} conversation={one} />
          ))}
        </ul>
      ) : loading.value === 'all' || loading.value === 'more' ? (
        <Nothing filter={filter.value} />
      ) : null}
      {loading.value === 'more' ? (
        <button type="button" class="more" onClick={() => void loadRecent()}>
          Show older conversations
        </button>
      ) : null}
    </div>
  );
}

function isWanted({ place, senderIds }: Conversation, filter: Filter): boolean {
  if (filter === 'Unread') return unreadIn(place).count > 0;
  if (filter === 'Yours') return senderIds.includes(ownId.value);
  if (place.kind === 'dm') return true;
  const channel = channels.value.get(place.channelId);
  return (
    channel !== undefined && !isHidden(channel.isMuted, policyOf(place.channelId, place.topic))
  );
}

function Nothing({ filter }: { readonly filter: Filter }) {
  if (filter === 'Unread') {
    return (
      <Empty icon="check" title="You have read everything">
        <p>
          What is new comes to the <a href={hrefOf({ view: 'inbox' })}>Inbox</a>.
        </p>
      </Empty>
    );
  }
  return (
    <Empty icon="all" title={filter === 'Yours' ? 'You have said nothing yet' : 'It is quiet here'}>
      <p>Go to a channel and begin a topic: others see it at once.</p>
      <button type="button" class="first" onClick={() => run('palette')}>
        Go to … <kbd>Ctrl K</kbd>
      </button>
    </Empty>
  );
}

function Line({ conversation }: { readonly conversation: Conversation }) {
  const { place, atMs, senderIds } = conversation;
  const { count, isMentioned } = unreadIn(place);
  return (
    <li class="entry">
      <a class="entry-link" href={hrefOf(narrowRoute(narrowOf(place)))}>
        <PlaceLabel place={place} />
        <span class="faces">
          {senderIds.map((id) => (
            <Avatar key={id} person={personOf(id)} size="s" />
          ))}
          <span class="unseen">{`by ${senderIds.map((id) => personOf(id).name).join(', ')}`}</span>
        </span>
        <time dateTime={new Date(atMs).toISOString()} title={wholeTime(atMs)}>
          {shortTime(atMs, nowMs.value)}
        </time>
        <span class="entry-count">
          <Count count={count} isUrgent={isMentioned || place.kind === 'dm'} />
        </span>
      </a>
    </li>
  );
}
