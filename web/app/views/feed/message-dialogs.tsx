import { useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { useCommand } from '../../parts/use-command.ts';
import type { MoveMode } from '../../store/feed/acts.ts';
import { THUMBS_UP } from '../../store/feed/emoji.ts';
import type { Message } from '../../store/feed/message.ts';
import { channelNarrow, dmNarrow, narrowRoute, topicNarrow } from '../../store/route.ts';
import { attempt, type FeedScope, useFeed } from './context.ts';
import { othersIn } from './links.ts';
import { quote } from './message-tools.tsx';
import { Suspended } from './suspended.tsx';

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
  const { message } = asking;
  if (asking.about === 'delete') return <DeleteDialog message={message} onClose={end} />;
  if (asking.about === 'move') return <MoveDialog message={message} onClose={end} />;
  return (
    <Suspended
      load={() => import('./emoji-picker.tsx').then(({ EmojiPicker }) => EmojiPicker)}
      onClose={end}
      onTake={(emoji) => {
        end();
        attempt(scope, store.acts.react(message, emoji));
      }}
    />
  );
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

interface AboutMessage {
  readonly message: Message;
  readonly onClose: () => void;
}

function DeleteDialog({ message, onClose }: AboutMessage) {
  const scope = useFeed();
  return (
    <Dialog title="Delete the message?" onClose={onClose}>
      <p>Everybody loses it, and it cannot be brought back.</p>
      <div class="buttons">
        <button
          type="button"
          class="grave"
          onClick={() => {
            onClose();
            attempt(scope, scope.store.acts.remove(message.id));
          }}
        >
          Delete
        </button>
        <button type="button" onClick={onClose}>
          Keep it
        </button>
      </div>
    </Dialog>
  );
}

const MODES: readonly (readonly [MoveMode, string])[] = [
  ['change_one', 'this message'],
  ['change_later', 'this message and those after it'],
  ['change_all', 'the whole topic'],
];

function MoveDialog({ message, onClose }: AboutMessage) {
  const scope = useFeed();
  const { directory, acts } = scope.store;
  const [channelId, setChannelId] = useState(message.stream_id ?? 0);
  const [topic, setTopic] = useState(message.subject);
  const [mode, setMode] = useState<MoveMode>('change_later');
  const [tellsNewTopic, setTellsNewTopic] = useState(true);
  const [tellsOldTopic, setTellsOldTopic] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const move = () => {
    acts
      .move(message, { channelId, topic, mode, tellsNewTopic, tellsOldTopic })
      .then(onClose, (error: unknown) =>
        setFault(error instanceof Error ? error.message : String(error)),
      );
  };
  return (
    <Dialog title="Move messages" onClose={onClose}>
      <form
        class="move"
        onSubmit={(event) => {
          event.preventDefault();
          move();
        }}
      >
        <label>
          Channel
          <select
            value={channelId}
            onChange={({ currentTarget }) => setChannelId(Number(currentTarget.value))}
          >
            {directory.channels().map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          Topic
          <input
            list="move-topics"
            value={topic}
            onInput={({ currentTarget }) => setTopic(currentTarget.value)}
          />
        </label>
        <datalist id="move-topics">
          {directory.topics(channelId).map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <fieldset>
          <legend>What moves</legend>
          {MODES.map(([value, words]) => (
            <label key={value}>
              <input
                type="radio"
                name="mode"
                checked={mode === value}
                onChange={() => setMode(value)}
              />
              {words}
            </label>
          ))}
        </fieldset>
        <label>
          <input
            type="checkbox"
            checked={tellsNewTopic}
            onChange={({ currentTarget }) => setTellsNewTopic(currentTarget.checked)}
          />
          Say so in the new topic
        </label>
        <label>
          <input
            type="checkbox"
            checked={tellsOldTopic}
            onChange={({ currentTarget }) => setTellsOldTopic(currentTarget.checked)}
          />
          Say so in the old topic
        </label>
        {fault === null ? null : (
          <p class="fault" role="alert">
            {fault}
          </p>
        )}
        <div class="buttons">
          <button type="submit" class="first">
            Move
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
