import { useEffect, useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { allEmoji, foundEmoji, type NamedEmoji, QUICK } from '../../store/feed/emoji.ts';
import type { Emoji } from '../../store/feed/message.ts';
import { charactersOf } from './body.tsx';
import { useFeed } from './context.ts';
import { fetchJson } from './fetch-json.ts';
import { EmojiImage } from './reactions.tsx';

export interface EmojiPickerProps {
  readonly onTake: (emoji: Emoji) => void;
  readonly onClose: () => void;
}

/** As many as one scrolls through; others are found by their names. */
const SHOWN_MAX = 120;

/** Emoji to choose from: what people answer with most, the organization's own, then all by name. */
export function EmojiPicker({ onTake, onClose }: EmojiPickerProps) {
  const { store } = useFeed();
  const [text, setText] = useState('');
  const [all, setAll] = useState<readonly NamedEmoji[]>([]);
  useEffect(() => {
    void allEmoji(fetchJson).then(setAll);
  }, []);
  const wanted = text.trim().toLowerCase();
  const own = store.directory
    .ownEmoji()
    .filter(({ name }) => name.includes(wanted))
    .map(({ id, name }) => ({ emoji_name: name, emoji_code: id, reaction_type: 'realm_emoji' }));
  const found: readonly Emoji[] = [
    ...(wanted === '' ? QUICK : []),
    ...own,
    ...foundEmoji(all, wanted, SHOWN_MAX),
  ];
  return (
    <Dialog title="React" class="emoji-picker" onClose={onClose}>
      <input
        type="search"
        aria-label="Name of an emoji"
        placeholder="Name of an emoji"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          const [first] = found;
          if (event.key === 'Enter' && first !== undefined) onTake(first);
        }}
      />
      <div class="emoji-grid">
        {found.map((emoji, index) => (
          <button
            key={`${emoji.reaction_type} ${emoji.emoji_code} ${index < QUICK.length}`}
            type="button"
            class="icon"
            aria-label={emoji.emoji_name.replaceAll('_', ' ')}
            title={`:${emoji.emoji_name}:`}
            onClick={() => onTake(emoji)}
          >
            {emoji.reaction_type === 'unicode_emoji' ? (
              <span class="emoji">{charactersOf(emoji.emoji_code)}</span>
            ) : (
              <EmojiImage emoji={emoji} />
            )}
          </button>
        ))}
      </div>
      {found.length === 0 ? <p class="muted">No emoji has that name.</p> : null}
    </Dialog>
  );
}
