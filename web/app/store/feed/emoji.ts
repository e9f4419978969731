import type { Emoji } from './message.ts';

/** An emoji with all its names, the one to show first. */
export interface NamedEmoji extends Emoji {
  readonly names: readonly string[];
}

const unicode = (emoji_name: string, emoji_code: string): Emoji => ({
  emoji_name,
  emoji_code,
  reaction_type: 'unicode_emoji',
});

/** The emoji that people answer with most. */
export const QUICK: readonly Emoji[] = [
  unicode('+1', '1f44d'),
  unicode('heart', '2764'),
  unicode('joy', '1f602'),
  unicode('tada', '1f389'),
  unicode('eyes', '1f440'),
  unicode('pray', '1f64f'),
  unicode('white_check_mark', '2705'),
  unicode('thinking', '1f914'),
];

export const THUMBS_UP: Emoji = unicode('+1', '1f44d');

/** Fetches a document of the server, as JSON. */
export type FetchJson = (path: string) => Promise<unknown>;

const LIST = '/static/emoji-data.json';

let loading: Promise<readonly NamedEmoji[]> | null = null;

/** Returns all emoji of Unicode, which are fetched when they are first asked for. */
export function allEmoji(fetchJson: FetchJson): Promise<readonly NamedEmoji[]> {
  loading ??= fetchJson(LIST).then(emojiIn, (error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}

/** Reads the server's list: names by code. */
export function emojiIn(list: unknown): readonly NamedEmoji[] {
  const { code_to_names: names } = list as { code_to_names: Record<string, readonly string[]> };
  return Object.entries(names).flatMap(([code, all]) => {
    const [first] = all;
    return first === undefined ? [] : [{ ...unicode(first, code), names: all }];
  });
}

/** Returns emoji that have a name with these letters; those that begin with them first. */
export function foundEmoji(
  all: readonly NamedEmoji[],
  text: string,
  count: number,
): readonly NamedEmoji[] {
  const wanted = text.trim().toLowerCase().replaceAll(' ', '_');
  if (wanted === '') return all.slice(0, count);
  const begins: NamedEmoji[] = [];
  const has: NamedEmoji[] = [];
  for (const emoji of all) {
    if (emoji.names.some((name) => name.startsWith(wanted))) begins.push(emoji);
    else if (has.length < count && emoji.names.some((name) => name.includes(wanted)))
      has.push(emoji);
    if (begins.length >= count) break;
  }
  return [...begins, ...has].slice(0, count);
}
