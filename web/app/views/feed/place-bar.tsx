import type { Message } from '../../store/feed/message.ts';
import {
  channelNarrow,
  dmNarrow,
  narrowRoute,
  printRoute,
  topicNarrow,
} from '../../store/route.ts';
import { isResolved, topicLabel } from '../../store/shapes.ts';
import { type FeedScope, useFeed } from './context.ts';
import { othersIn } from './links.ts';

/** The name of a conversation above its messages, where several are mixed. */
export function PlaceBar({ message }: { readonly message: Message }) {
  const scope = useFeed();
  if (message.type === 'private') {
    const others = othersIn(message, scope);
    const names = others.map((id) => nameOf(id, message, scope)).join(', ');
    return (
      <p class="place-bar">
        <a href={hrefOf(scope, dmNarrow(others))}>{names}</a>
      </p>
    );
  }
  const { stream_id: id = 0, subject } = message;
  const channel = scope.store.directory.channel(id);
  return (
    <p class="place-bar">
      <a class="channel" href={hrefOf(scope, channelNarrow(id))}>
        <span class="hash" style={{ color: channel?.color ?? '' }} aria-hidden="true">
          #
        </span>
        {channel?.name ?? String(message.display_recipient)}
      </a>
      <span class="arrow" aria-hidden="true">
        ›
      </span>
      <a
        class={subject === '' ? 'topic nameless' : 'topic'}
        href={hrefOf(scope, topicNarrow(id, subject))}
      >
        {isResolved(subject) ? '✔ ' : ''}
        {topicLabel(subject)}
      </a>
    </p>
  );
}

const hrefOf = ({ hrefOf: print }: FeedScope, narrow: Parameters<typeof narrowRoute>[0]) =>
  (print ?? printRoute)(narrowRoute(narrow));

function nameOf(id: number, message: Message, { store }: FeedScope) {
  const known = store.directory.person(id)?.name;
  if (known !== undefined || typeof message.display_recipient === 'string') return known ?? '';
  return message.display_recipient.find((one) => one.id === id)?.full_name ?? '';
}
