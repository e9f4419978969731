import '../../parts/later-style.ts';
import { useState } from 'preact/hooks';
import { foundEmoji, type NamedEmoji } from '../../store/feed/emoji.ts';
import { emojiOf } from '../persons/emoji-of.ts';

export interface EmojiGridProps {
  readonly all: readonly NamedEmoji[];
  readonly onTake: (name: string) => void;
}

/** As many as one scrolls through; others are found by their names. */
const SHOWN_MAX = 96;

/** Emoji by name. */
export function EmojiGrid({ all, onTake }: EmojiGridProps) {
  const [text, setText] = useState('');
  const found = foundEmoji(all, text, SHOWN_MAX);
  return (
    <div class="emoji-choice">
      <input
        type="search"
        aria-label="Name of an emoji"
        placeholder="Name of an emoji"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          const [first] = found;
          if (event.key !== 'Enter' || first === undefined) return;
          // It is no answer to the form around it.
          event.preventDefault();
          onTake(first.emoji_name);
        }}
      />
      <div class="emoji-grid">
        {found.map(({ emoji_name: name, emoji_code: code }) => (
          <button
            key={code}
            type="button"
            class="icon"
            aria-label={name.replaceAll('_', ' ')}
            title={`:${name}:`}
            onClick={() => onTake(name)}
          >
            <span class="emoji">{emojiOf(code)}</span>
          </button>
        ))}
      </div>
      {found.length === 0 && all.length > 0 ? <p class="muted">No emoji has that name.</p> : null}
    </div>
  );
}
