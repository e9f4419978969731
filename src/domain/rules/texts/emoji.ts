/**
 * The emoji of Unicode: a code is the dash-joined hex of the code points (specification,
 * "Reaction"), without the selector that only asks for the image, so that each has one code.
 * Skin tones are not among them (docs/decisions/0031).
 */
import { createRequire } from 'node:module';

export const codeOf = (name: string): string | undefined => table().codes.get(name);

/** Returns the first name of a code, for displays that know only the code. */
export const nameOf = (code: string): string | undefined => table().names.get(code)?.[0];

/** Returns all names of an emoji, the one to show first; none for any other code. */
export const namesOf = (code: string): readonly string[] => table().names.get(code) ?? [];

/** Returns the code of any character. */
export const codeOfCharacter = (character: string): string =>
  Array.from(character, (part) => (part.codePointAt(0) ?? 0).toString(16).padStart(4, '0'))
    .filter((code) => code !== EMOJI_SELECTOR)
    .join('-');

/** Returns the body of `server_emoji_data_url`. */
export const codeToNames = (): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(table().names);

/**
 * The one emoji that neither Unicode nor a realm defines: its name is its code. With a prefix
 * configured it also has the name that existing clients know.
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

const EMOJI_SELECTOR = 'fe0f';
const SKIN_TONE = /1F3F[B-F]/;

interface EmojiTable {
  readonly codes: ReadonlyMap<string, string>;
  readonly names: ReadonlyMap<string, readonly string[]>;
}

/** Names by code, in upper case with selectors: one name, or several. */
type Shortcodes = Readonly<Record<string, string | readonly string[]>>;

/** `smile` is this emoji in reference/endpoints.md 5.4; the lists give the name to another one. */
const OWN_NAMES: Shortcodes = { '1F642': 'smile' };
/**
 * Lists in the order of precedence, for names that two emoji share; clients learned the names of
 * the first two.
 */
const BY_RIGHT = ['github', 'iamcal', 'cldr', 'joypixels'] as const;
/** The list whose name is shown: Unicode's names describe the image. */
const SHOWN = 'cldr';

const require = createRequire(import.meta.url);
let loaded: EmojiTable | undefined;

/** Loads the table with the first emoji: it takes longer than all else at start. */
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

/** Returns each name of a list with its code. */
function pairsOf(list: Shortcodes): [name: string, code: string][] {
  const pairs: [string, string][] = [];
  for (const hexcode in list) {
    if (SKIN_TONE.test(hexcode)) continue;
    const code = hexcode.toLowerCase().replaceAll(`-${EMOJI_SELECTOR}`, '');
    const names = list[hexcode];
    if (typeof names === 'string') pairs.push([names, code]);
    else for (const name of names ?? []) pairs.push([name, code]);
  }
  return pairs;
}
