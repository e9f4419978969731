import { useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, Form } from '../../parts/form.tsx';
import { useLoaded } from '../../parts/use-loaded.ts';
import { STATUSES, setStatus } from '../../store/account/account.ts';
import { app } from '../../store/app.ts';
import { allEmoji, type NamedEmoji } from '../../store/feed/emoji.ts';
import { fetchJson } from '../feed/fetch-json.ts';
import { emojiOf } from '../persons/emoji-of.ts';
import { EmojiGrid } from './emoji-grid.tsx';

const TEXT_LENGTH_MAX = 60;

/** Says what one is at. */
export function StatusDialog({ onClose }: { readonly onClose: () => void }) {
  const { statuses, ownId } = app.read('statuses', 'own');
  const own = statuses.get(ownId);
  const [text, setText] = useState(own?.status_text ?? '');
  const [emoji, setEmoji] = useState(own?.emoji_name ?? '');
  const [isChoosing, setChoosing] = useState(false);
  const { value: all } = useLoaded(() => allEmoji(fetchJson));
  const save = async () => {
    await setStatus({ text, emoji });
    onClose();
  };
  return (
    <Dialog title="Your status" onClose={onClose}>
      <Form submit="Save" onSubmit={save} onCancel={onClose}>
        <div class="status-line">
          <button
            type="button"
            aria-label={emoji === '' ? 'Choose an emoji' : `Emoji: ${emoji.replaceAll('_', ' ')}`}
            aria-expanded={isChoosing}
            onClick={() => setChoosing(!isChoosing)}
          >
            <span class="emoji">{characters(all, emoji) ?? '🙂'}</span>
          </button>
          <Field
            label="What you are at"
            value={text}
            maxLength={TEXT_LENGTH_MAX}
            isFirst
            onInput={setText}
          />
        </div>
        {isChoosing ? (
          <EmojiGrid
            all={all ?? []}
            onTake={(name) => {
              setEmoji(name);
              setChoosing(false);
            }}
          />
        ) : (
          <ul class="chips">
            {STATUSES.map((one) => (
              <li key={one.text}>
                <button
                  type="button"
                  class="quiet chip"
                  onClick={() => {
                    setText(one.text);
                    setEmoji(one.emoji);
                  }}
                >
                  <span class="emoji">{characters(all, one.emoji)}</span> {one.text}
                </button>
              </li>
            ))}
            <li>
              <button
                type="button"
                class="quiet chip"
                onClick={() => {
                  setText('');
                  setEmoji('');
                }}
              >
                None
              </button>
            </li>
          </ul>
        )}
      </Form>
    </Dialog>
  );
}

/** Returns the emoji of a name; null until the names are known, and for none. */
function characters(all: readonly NamedEmoji[] | null, name: string): string | null {
  const found = all?.find(({ names }) => names.includes(name));
  return found === undefined ? null : emojiOf(found.emoji_code);
}
