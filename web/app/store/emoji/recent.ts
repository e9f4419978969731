import { type Signal, signal } from '@preact/signals';
import { QUICK } from '../feed/emoji.ts';
import type { Emoji } from '../feed/message.ts';
import type { TextStore } from '../settings.ts';

/** Two rows of the picker. */
export const RECENT_MAX = 18;
/** Longer names and codes than any emoji has are of something else. */
const WORD_LENGTH_MAX = 200;

/** The emoji that were chosen last in this browser; those that people answer with at first. */
export const recent: Signal<readonly Emoji[]> = signal(QUICK);

let store: TextStore | null = null;

/** Takes what was kept, and keeps what is chosen from now on. */
export function openRecent(kept: TextStore): void {
  store = kept;
  recent.value = recentIn(kept.read());
}

/** Reads what was kept; what is damaged counts as not said. */
export function recentIn(text: string | null): readonly Emoji[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    const kept = (Array.isArray(value) ? value : []).filter(isEmoji).slice(0, RECENT_MAX);
    return kept.length === 0 ? QUICK : kept;
  } catch {
    return QUICK;
  }
}

function isEmoji(value: unknown): value is Emoji {
  if (typeof value !== 'object' || value === null) return false;
  const { emoji_name, emoji_code, reaction_type } = value as Partial<Record<keyof Emoji, unknown>>;
  return [emoji_name, emoji_code, reaction_type].every(
    (word) => typeof word === 'string' && word.length <= WORD_LENGTH_MAX,
  );
}

/** Puts an emoji before those that were chosen earlier. */
export function noteChosen({ emoji_name, emoji_code, reaction_type }: Emoji): void {
  const chosen = { emoji_name, emoji_code, reaction_type };
  const others = recent.value.filter(
    (one) => one.emoji_code !== emoji_code || one.reaction_type !== reaction_type,
  );
  recent.value = [chosen, ...others].slice(0, RECENT_MAX);
  store?.write(JSON.stringify(recent.value));
}
