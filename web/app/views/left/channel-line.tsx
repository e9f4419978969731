import { useEffect } from 'preact/hooks';
import { ChannelSign } from '../../parts/channel-sign.tsx';
import { Count } from '../../parts/count.tsx';
import { Icon } from '../../parts/icon.tsx';
import type { RowAttributes } from '../../parts/lists/in-sight.tsx';
import { loadTopics } from '../../store/channels/topics.ts';
import { inbox, topicsOf } from '../../store/model.ts';
import { hrefOf, isShown, route } from '../../store/navigation.ts';
import { channelNarrow, narrowRoute, placeOf, topicNarrow } from '../../store/route.ts';
import { type Channel, isResolved, topicLabel } from '../../store/shapes.ts';
import { topicLines } from '../../store/sidebar.ts';

export interface ChannelLineProps extends RowAttributes {
  readonly channel: Channel;
  /** True if its topics are shown though another channel is. */
  readonly isOpened: boolean;
  readonly onToggle: () => void;
}

/** A channel of the left column, with its topics below it while it is open. */
export function ChannelLine({ channel, isOpened, onToggle, ...row }: ChannelLineProps) {
  const { id, name, isMuted } = channel;
  const unread = inbox.value.channels.find((one) => one.channel.id === id);
  const shown = shownIn(id);
  const isOpen = isOpened || shown !== undefined;
  const to = narrowRoute(channelNarrow(id));
  return (
    <li class={isMuted ? 'line-with muted-line' : 'line-with'} {...row}>
      <a class="line" href={hrefOf(to)} aria-current={isShown(to) ? 'page' : undefined}>
        <ChannelSign channel={channel} />
        <span class="cut">{name}</span>
        <Count
          count={unread?.count ?? 0}
          isUrgent={unread?.topics.some(({ isMentioned }) => isMentioned) === true}
        />
      </a>
      <button
        type="button"
        class="icon twist drawn"
        aria-expanded={isOpen}
        aria-label={`Topics of ${name}`}
        disabled={shown !== undefined}
        onClick={onToggle}
      />
      {isOpen ? <TopicLines channelId={id} shown={shown ?? null} /> : null}
    </li>
  );
}

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
  const unread = inbox.value.channels.find(({ channel }) => channel.id === channelId)?.topics ?? [];
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
