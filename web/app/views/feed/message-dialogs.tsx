import { lazy } from '../../parts/lazy.tsx';
import { useCommand } from '../../parts/use-command.ts';
import { THUMBS_UP } from '../../store/feed/emoji.ts';
import type { Message } from '../../store/feed/message.ts';
import { channelNarrow, dmNarrow, narrowRoute, topicNarrow } from '../../store/route.ts';
import { attempt, type FeedScope, useFeed } from './context.ts';
import { othersIn } from './links.ts';
import { quote } from './message-tools.tsx';

const Question = lazy(async () => (await import('../message/asking.tsx')).Question);

/** Dialogs about messages, and the keys that act on the one that is selected. */
export function MessageDialogs() {
  const scope = useFeed();
  const { store } = scope;
  const asking = store.asking.value;
  useMessageKeys(scope);
  if (asking === null) return null;
  const end = () => {
    store.asking.value = null;
  };
  return <Question asking={asking} onClose={end} />;
}

function useMessageKeys(scope: FeedScope) {
  const { store, navigate } = scope;
  const on = (act: (message: Message) => void) => () => {
    const message = store.selected.value;
    if (message !== null) act(message);
  };
  const ask = (about: 'react' | 'move') => (message: Message) => {
    store.asking.value = { about, message };
  };
  useCommand(
    'thumbs-up',
    on((message) => attempt(scope, store.acts.react(message, THUMBS_UP))),
  );
  useCommand(
    'star',
    on((message) => attempt(scope, store.acts.star(message))),
  );
  useCommand('react', on(ask('react')));
  useCommand('move', on(ask('move')));
  useCommand(
    'quote',
    on((message) => attempt(scope, quote(message, scope))),
  );
  useCommand(
    'profile',
    on(({ sender_id }) => scope.showPerson?.(sender_id)),
  );
  useCommand(
    'menu',
    on(({ id }) =>
      document.querySelector<HTMLElement>(`[data-id="${id}"] [aria-haspopup]`)?.click(),
    ),
  );
  useCommand(
    'narrow-channel',
    on(({ stream_id: id }) => {
      if (id !== undefined) navigate?.(narrowRoute(channelNarrow(id)));
    }),
  );
  useCommand(
    'narrow-topic',
    on((message) =>
      navigate?.(
        narrowRoute(
          message.stream_id === undefined
            ? dmNarrow(othersIn(message, scope))
            : topicNarrow(message.stream_id, message.subject),
        ),
      ),
    ),
  );
}
