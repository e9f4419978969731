import { useComputed } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ChannelSign } from '../../parts/channel-sign.tsx';
import { Count } from '../../parts/count.tsx';
import { Icon } from '../../parts/icon.tsx';
import type { RowAttributes } from '../../parts/lists/in-sight.tsx';
import { loadTopics } from '../../store/channels/topics.ts';
import { inbox, topicsOf } from '../../store/model.ts';
import { hrefOf, isShown, route } from '../../store/navigation.ts';
import { channelNarrow, narrowRoute, placeOf, topicNarrow } from '../../store/route.ts';
import { type Channel, isResolved, topicLabel, type Unread } from '../../store/shapes.ts';
import { topicLines } from '../../store/sidebar.ts';

export interface ChannelLineProps extends RowAttributes {
  readonly channel: Channel;
  /** True if its topics are shown though another channel is. */
  readonly isOpened: boolean;
  readonly onToggle: (channelId: number) => void;
}

/**
 * A channel of the left column, with its topics below it while it is open. It has no state but
 * signals, so that it is drawn again when something of it changes: most of what happens is
 * elsewhere.
 */
export function ChannelLine(props: ChannelLineProps) {
  const { channel, isOpened, onToggle, ...row } = props;
  const { id, name, isMuted } = channel;
  const count = useComputed(() => unreadIn(id)?.count ?? 0).value;
  const isUrgent = useComputed(() => unreadIn(id)?.topics.some(isMention) === true).value;
  const shown = useComputed(() => shownIn(id)).value;
  const isOpen = isOpened || shown !== undefined;
  const to = narrowRoute(channelNarrow(id));
  return (
    <li class={isMuted ? 'line-with muted-line' : 'line-with'} {...row}>
      <a class="line" href={hrefOf(to)} aria-current={shown === null ? 'page' : undefined}>
        <ChannelSign channel={channel} />
        <span class="cut">{name}</span>
        <Count count={count} isUrgent={isUrgent} />
      </a>
      <button
        type="button"
        class="icon twist drawn"
        aria-expanded={isOpen}
        aria-label={`Topics of ${name}`}
        disabled={shown !== undefined}
        onClick={() => onToggle(id)}
      />
      {isOpen ? <TopicLines channelId={id} shown={shown ?? null} /> : null}
    </li>
  );
}

const unreadIn = (channelId: number) =>
  inbox.value.channels.find(({ channel }) => channel.id === channelId);

const isMention = ({ isMentioned }: Unread) => isMentioned;

/** Returns the topic that is shown, null for the whole channel, and undefined for another one. */
function shownIn(channelId: number): string | null | undefined {
  const { value } = route;
  const place = value.view === 'narrow' ? placeOf(value.narrow) : null;
  if (place === null || place.kind === 'dm' || place.channelId !== channelId) return undefined;
  return place.kind === 'topic' ? place.topic : null;
}

/** More are behind a click. */
const TOPICS_SHOWN = 6;

interface TopicLinesProps {
  readonly channelId: number;
  readonly shown: string | null;
}

function TopicLines({ channelId, shown }: TopicLinesProps) {
  useEffect(() => void loadTopics(channelId), [channelId]);
  const known = topicsOf(channelId);
  const unread = unreadIn(channelId)?.topics ?? [];
  const lines = topicLines({
    known,
    unread: unread.flatMap(({ place, count, isMentioned }) =>
      place.kind === 'topic' ? [{ topic: place.topic, count, isMentioned }] : [],
    ),
    shown,
    max: TOPICS_SHOWN,
  });
  return (
    <ul class="lines topics">
      {lines.map(({ topic, count, isMentioned }) => {
        const to = narrowRoute(topicNarrow(channelId, topic));
        return (
          <li key={topic.toLowerCase()}>
            <a class="line" href={hrefOf(to)} aria-current={isShown(to) ? 'page' : undefined}>
              {isResolved(topic) ? <Icon name="check" /> : null}
              <span class={topic === '' ? 'cut no-topic' : 'cut'}>{topicLabel(topic)}</span>
              <Count count={count} isUrgent={isMentioned} />
            </a>
          </li>
        );
      })}
    </ul>
  );
}
