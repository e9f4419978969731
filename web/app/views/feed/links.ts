import { type Message, peopleOf } from '../../store/feed/message.ts';
import { dmNarrow, narrowRoute, printRoute, topicNarrow } from '../../store/route.ts';
import type { FeedScope } from './context.ts';

/** The people of a direct message without oneself, or oneself alone. */
export function othersIn(message: Message, { store }: Pick<FeedScope, 'store'>): readonly number[] {
  const others = peopleOf(message).filter((id) => id !== store.directory.ownId);
  return others.length === 0 ? [store.directory.ownId] : others;
}

/** Returns the address of a message in its conversation. */
export function linkTo(message: Message, scope: Pick<FeedScope, 'store' | 'hrefOf'>): string {
  const narrow =
    message.type === 'stream'
      ? topicNarrow(message.stream_id ?? 0, message.subject)
      : dmNarrow(othersIn(message, scope));
  return (scope.hrefOf ?? printRoute)(narrowRoute(narrow, message.id));
}
