import type { ComponentChildren } from 'preact';
import { ChannelSign } from '../parts/channel-sign.tsx';
import { Count } from '../parts/count.tsx';
import { Icon } from '../parts/icon.tsx';
import { run } from '../store/commands.ts';
import { markRead } from '../store/marking.ts';
import { inbox } from '../store/model.ts';
import { hrefOf } from '../store/navigation.ts';
import { channelNarrow, narrowOf, narrowRoute, type Place } from '../store/route.ts';
import { isClosed, toggle } from '../store/settings.ts';
import { placeKey, type Unread } from '../store/shapes.ts';
import { Empty } from './empty.tsx';
import { PlaceLabel } from './place-label.tsx';
import { useRows } from './use-rows.ts';

/** Shows all that is unread, by people, channel and topic. */
export function InboxView() {
  const { dms, channels } = inbox.value;
  const rows = useRows();
  if (dms.length === 0 && channels.length === 0) return <NothingUnread />;
  return (
    <div class="list" ref={rows}>
      {dms.length === 0 ? null : (
        <Group name="inbox directs" title="Direct messages" count={sumOf(dms)} isUrgent>
          {dms.map((one) => (
            <Line key={placeKey(one.place)} unread={one} />
          ))}
        </Group>
      )}
      {channels.map(({ channel, count, topics }) => (
        <Group
          key={channel.id}
          name={`inbox ${channel.id}`}
          title={channel.name}
          sign={<ChannelSign channel={channel} />}
          href={hrefOf(narrowRoute(channelNarrow(channel.id)))}
          count={count}
          place={{ kind: 'channel', channelId: channel.id }}
        >
          {topics.map((one) => (
            <Line key={placeKey(one.place)} unread={one} />
          ))}
        </Group>
      ))}
    </div>
  );
}

const sumOf = (some: readonly Unread[]) => some.reduce((sum, { count }) => sum + count, 0);

function NothingUnread() {
  return (
    <Empty icon="check" title="You have read everything">
      <p>
        Look at <a href={hrefOf({ view: 'recent' })}>recent conversations</a>, or go to a channel or
        a person.
      </p>
      <button type="button" class="first" onClick={() => run('palette')}>
        Go to … <kbd>Ctrl K</kbd>
      </button>
    </Empty>
  );
}

interface GroupProps {
  readonly name: string;
  readonly title: string;
  readonly sign?: ComponentChildren;
  readonly href?: string;
  readonly count: number;
  readonly isUrgent?: boolean;
  readonly place?: Place;
  readonly children: ComponentChildren;
}

function Group({ name, title, sign, href, count, isUrgent = false, place, children }: GroupProps) {
  const isOpen = !isClosed(name);
  return (
    <section class="group" aria-label={title}>
      <div class="group-head">
        <button
          type="button"
          class="icon twist"
          aria-expanded={isOpen}
          aria-label={`Conversations of ${title}`}
          onClick={() => toggle(name)}
        >
          <Icon name="chevron" />
        </button>
        {sign}
        <h2 class="cut">{href === undefined ? title : <a href={href}>{title}</a>}</h2>
        <Count count={count} isUrgent={isUrgent} />
        {place === undefined ? null : <MarkRead place={place} what={title} />}
      </div>
      {isOpen ? <ul>{children}</ul> : null}
    </section>
  );
}

function Line({ unread: { place, count, isMentioned } }: { readonly unread: Unread }) {
  const name = place.kind === 'topic' ? place.topic : 'the conversation';
  return (
    <li class="entry">
      <a class="entry-link" href={hrefOf(narrowRoute(narrowOf(place)))}>
        <PlaceLabel place={place} isInChannel />
        {isMentioned ? (
          <span class="mentioned">
            <Icon name="at" />
            <span class="unseen">you are mentioned</span>
          </span>
        ) : null}
        <Count count={count} isUrgent={isMentioned || place.kind === 'dm'} />
      </a>
      <MarkRead place={place} what={name} />
    </li>
  );
}

const MarkRead = ({ place, what }: { readonly place: Place; readonly what: string }) => (
  <button
    type="button"
    class="icon mark-read"
    title="Mark as read"
    aria-label={`Mark ${what} as read`}
    onClick={() => void markRead(place)}
  >
    <Icon name="check" />
  </button>
);
