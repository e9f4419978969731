/**
 * The emoji of Unicode: a code is the dash-joined hex of the code points (specification,
 * "Reaction"), without the selector that only asks for the picture, so that each has one code.
 * Skin tones are not among them (docs/decisions/0031).
 */
import { createRequire } from 'node:module';

export const codeOf = (name: string): string | undefined => table().codes.get(name);

/** The name that is shown where only the code is known. */
export const nameOf = (code: string): string | undefined => table().names.get(code)?.[0];

/** All names of an emoji, the one to show first; none for what is no emoji. */
export const namesOf = (code: string): readonly string[] => table().names.get(code) ?? [];

/** The code of a character; of an emoji or not. */
export const codeOfCharacter = (character: string): string =>
  Array.from(character, (part) => (part.codePointAt(0) ?? 0).toString(16).padStart(4, '0'))
    .filter((code) => code !== PICTURE_SELECTOR)
    .join('-');

/** What `server_emoji_data_url` gives. */
export const codeToNames = (): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(table().names);

/**
 * The one emoji that is of no character and of no realm: its name is its code. With a prefix
 * configured it has the name that existing clients know as well.
 */
export const EXTRA_EMOJI = 'service';
export const isExtraEmoji = (name: string, aliasPrefix: string): boolean =>
  name === EXTRA_EMOJI || (aliasPrefix !== '' && name === aliasPrefix);

/** The extra emoji has one name and one code inside, however a client spells them. */
export function inside<Emoji extends { name: string; code: string; type: string }>(
  emoji: Emoji,
  aliasPrefix: string,
): Emoji {
  if (emoji.type !== 'service_extra_emoji') return emoji;
  const word = (spelled: string) => (isExtraEmoji(spelled, aliasPrefix) ? EXTRA_EMOJI : spelled);
  return { ...emoji, name: word(emoji.name), code: word(emoji.code) };
}

const PICTURE_SELECTOR = 'fe0f';
const SKIN_TONE = /1F3F[B-F]/;

interface EmojiTable {
  readonly codes: ReadonlyMap<string, string>;
  readonly names: ReadonlyMap<string, readonly string[]>;
}

/** Names by code, upper-case with selectors: one name, or several. */
type Shortcodes = Readonly<Record<string, string | readonly string[]>>;

/** In reference/endpoints.md 5.4 `smile` is this one; the lists mean another one. */
const OWN_NAMES: Shortcodes = { '1F642': 'smile' };
/** Whose names they are when two emoji have the same; clients learned the names of the first two. */
const BY_RIGHT = ['github', 'iamcal', 'cldr', 'joypixels'] as const;
/** Whose name is shown; those of Unicode say what is seen. */
const SHOWN = 'cldr';

const require = createRequire(import.meta.url);
let loaded: EmojiTable | undefined;

/** Read when the first emoji is met: it takes longer than all else that a start has to do. */
function table(): EmojiTable {
  loaded ??= load();
  return loaded;
}

function load(): EmojiTable {
  const own = pairsOf(OWN_NAMES);
  const byRight = BY_RIGHT.map((list) =>
    pairsOf(require(`emojibase-data/en/shortcodes/${list}.json`)),
  );
  const shown = byRight[BY_RIGHT.indexOf(SHOWN)] ?? [];

  const codes = new Map<string, string>();
  for (const pairs of [own, ...byRight]) {
    for (const [name, code] of pairs) if (!codes.has(name)) codes.set(name, code);
  }
  const names = new Map<string, string[]>();
  const listed = new Set<string>();
  for (const pairs of [own, shown, ...byRight]) {
    for (const [name, code] of pairs) {
      if (listed.has(name) || codes.get(name) !== code) continue;
      listed.add(name);
      const others = names.get(code);
      if (others === undefined) names.set(code, [name]);
      else others.push(name);
    }
  }
  return { codes, names };
}

/** Each name of a list with its code. */
function pairsOf(list: Shortcodes): [name: string, code: string][] {
  const pairs: [string, string][] = [];
  for (const hexcode in list) {
    if (SKIN_TONE.test(hexcode)) continue;
    const code = hexcode.toLowerCase().replaceAll(`-${PICTURE_SELECTOR}`, '');
    const names = list[hexcode];
    if (typeof names === 'string') pairs.push([names, code]);
    else for (const name of names ?? []) pairs.push([name, code]);
  }
  return pairs;
}
