import { useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import type { MoveMode } from '../../store/feed/acts.ts';
import type { Asking } from '../../store/feed/feed-store.ts';
import type { Message } from '../../store/feed/message.ts';
import { EmojiPicker } from '../emoji/emoji-picker.tsx';
import { attempt, useFeed } from '../feed/context.ts';
import './style.ts';

export interface QuestionProps {
  readonly asking: Asking;
  readonly onClose: () => void;
}

/** A question about a message, before something is done to it. */
export function Question({ asking: { about, message }, onClose }: QuestionProps) {
  const scope = useFeed();
  const { acts, directory } = scope.store;
  if (about === 'delete') return <DeleteDialog message={message} onClose={onClose} />;
  if (about === 'move') return <MoveDialog message={message} onClose={onClose} />;
  return (
    <EmojiPicker
      title="React"
      ownEmoji={directory.ownEmoji()}
      onTake={(emoji) => {
        onClose();
        attempt(scope, acts.react(message, emoji));
      }}
      onClose={onClose}
    />
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
