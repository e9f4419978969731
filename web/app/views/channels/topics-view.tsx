import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import { Count } from '../../parts/count.tsx';
import { FilterBar } from '../../parts/filters.tsx';
import { Choice } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { WindowList } from '../../parts/lists/window-list.tsx';
import { app } from '../../store/app.ts';
import {
  type ListedTopic,
  listedTopics,
  type TopicFilter,
  type TopicOrder,
} from '../../store/channels/topic-list.ts';
import { loadTopics } from '../../store/channels/topics.ts';
import { channelOf, policyOf, unreadIn } from '../../store/model.ts';
import { hrefOf, route } from '../../store/navigation.ts';
import { openPanel } from '../../store/panels.ts';
import { narrowRoute, topicNarrow } from '../../store/route.ts';
import { Empty } from '../empty.tsx';
import './style.ts';
import '../../parts/style/beside-style.ts';

const FILTERS: readonly (readonly [TopicFilter, string])[] = [
  ['all', 'All'],
  ['unread', 'Unread'],
  ['followed', 'Followed'],
  ['open', 'Open'],
  ['resolved', 'Resolved'],
];

const ORDERS: readonly (readonly [TopicOrder, string])[] = [
  ['newest', 'Newest first'],
  ['unread', 'Most unread first'],
  ['name', 'By name'],
];

const ROW_REM = 3.25;

/** All topics of a channel. */
export function TopicsView() {
  const { value } = route;
  return value.view === 'topics' ? (
    <Topics key={value.channelId} channelId={value.channelId} />
  ) : null;
}

function Topics({ channelId }: { readonly channelId: number }) {
  const filter = useSignal<TopicFilter>('all');
  const order = useSignal<TopicOrder>('newest');
  const text = useSignal('');
  const isLoaded = useSignal(false);
  const isComplete = app.read('topics').topics.isComplete(channelId);
  useEffect(() => {
    void loadTopics(channelId).then(() => {
      isLoaded.value = true;
    });
  }, [channelId, isComplete]);
  const found = useComputed(() =>
    listedTopics({
      known: app.read('topics', 'unread', 'userTopics').topics.of(channelId),
      unread: (topic) => unreadIn({ kind: 'topic', channelId, topic }),
      policyOf: (topic) => policyOf(channelId, topic),
      filter: filter.value,
      order: order.value,
      text: text.value,
    }),
  );
  if (channelOf(channelId) === undefined) {
    return (
      <Empty icon="hash" title="There is no such channel">
        <p>It may be gone, or you may not see it.</p>
      </Empty>
    );
  }
  const count = found.value.length;
  return (
    <div class="later-page">
      <FilterBar of="topics" text={text} options={FILTERS} filter={filter} />
      <div class="later-row list-head">
        <p class="muted" role="status">
          {count === 1 ? '1 topic' : `${count} topics`}
        </p>
        <Choice
          label="Order"
          isBare
          value={order.value}
          options={ORDERS}
          onChange={(chosen) => {
            order.value = chosen as TopicOrder;
          }}
        />
      </div>
      {count === 0 ? (
        isLoaded.value ? (
          <NoTopics isFiltered={text.value !== '' || filter.value !== 'all'} />
        ) : null
      ) : (
        <WindowList
          label="Topics"
          class="card-list"
          items={found.value}
          keyOf={({ topic }) => topic.toLowerCase()}
          rowRem={ROW_REM}
        >
          {(line, tabIndex) => <TopicRow channelId={channelId} line={line} tabIndex={tabIndex} />}
        </WindowList>
      )}
    </div>
  );
}

const NoTopics = ({ isFiltered }: { readonly isFiltered: boolean }) => (
  <Empty icon="hash" title={isFiltered ? 'No topic is like that' : 'There is no topic yet'}>
    <p>
      {isFiltered
        ? 'Write less of the name, or look among all topics.'
        : 'A topic begins with its first message.'}
    </p>
  </Empty>
);

const MARKS = { none: '', followed: 'Followed', unmuted: 'Shown', muted: 'Muted' } as const;

interface TopicRowProps {
  readonly channelId: number;
  readonly line: ListedTopic;
  readonly tabIndex: 0 | -1;
}

function TopicRow({ channelId, line, tabIndex }: TopicRowProps) {
  const { topic, label, isResolved, policy, count, isMentioned } = line;
  const marks = [
    ...(isResolved ? ['Resolved'] : []),
    ...(policy === 'none' ? [] : [MARKS[policy]]),
  ];
  const place = { kind: 'topic', channelId, topic } as const;
  const id = useId();
  return (
    <div class={policy === 'muted' ? 'topic-row quiet-row' : 'topic-row'}>
      {isResolved ? <Icon name="check" /> : <Icon name="hash" />}
      <div class="card-text">
        <a
          class={topic === '' ? 'card-name cut no-topic' : 'card-name cut'}
          href={hrefOf(narrowRoute(topicNarrow(channelId, topic)))}
          tabIndex={tabIndex}
        >
          {label}
        </a>
        {marks.length === 0 ? null : <p class="card-about">{marks.join(' · ')}</p>}
      </div>
      <Count count={count} isUrgent={isMentioned} />
      <button
        id={id}
        type="button"
        class="icon"
        aria-label={`Acts on ${label}`}
        aria-haspopup="menu"
        tabIndex={tabIndex}
        onClick={() => openPanel({ about: 'place', place, anchorId: id })}
      >
        <Icon name="dots" />
      </button>
    </div>
  );
}
