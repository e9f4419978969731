/** Something that is found by the beginning of any word of its name. */
interface Entry<Item> {
  readonly word: string;
  readonly item: Item;
  /** True if the word is the beginning of the whole name. */
  readonly isFirst: boolean;
}

/**
 * Finds items by what their names, or words of them, begin with. A search is a binary one: it costs
 * the same with a thousand people as with ten.
 */
export class PrefixIndex<Item> {
  readonly #entries: readonly Entry<Item>[];

  constructor(items: Iterable<Item>, namesOf: (item: Item) => readonly string[]) {
    const entries: Entry<Item>[] = [];
    for (const item of items) {
      for (const name of namesOf(item)) entries.push(...wordsOf(name, item));
    }
    this.#entries = entries.sort((one, other) => order(one.word, other.word));
  }

  /** Returns items in the order of their rank; equal ones in the order of the alphabet. */
  find(text: string, count: number, rankOf: (item: Item) => number = () => 0): Item[] {
    const wanted = folded(text);
    const found = new Map<Item, number>();
    for (let at = this.#first(wanted); at < this.#entries.length; at++) {
      const entry = this.#entries[at];
      if (entry === undefined || !entry.word.startsWith(wanted)) break;
      const rank = rankOf(entry.item) + (entry.isFirst ? FIRST_WORD : 0);
      found.set(entry.item, Math.max(rank, found.get(entry.item) ?? Number.NEGATIVE_INFINITY));
      if (found.size >= LOOKED_AT_MAX) break;
    }
    return [...found.entries()]
      .sort(([, one], [, other]) => other - one)
      .slice(0, count)
      .map(([item]) => item);
  }

  #first(wanted: string) {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (order(this.#entries[middle]?.word ?? '', wanted) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** A name that begins as typed ranks before one with a later word that does. */
const FIRST_WORD = 0.5;
/** A single letter begins many names: so many are ranked. */
const LOOKED_AT_MAX = 500;

const order = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

const ASCII = /^[ -~]*$/;

/** Accents are not typed by everybody. */
export const folded = (text: string): string =>
  (ASCII.test(text) ? text : text.normalize('NFKD').replace(/\p{Mn}/gu, '')).toLowerCase();

/** Each word with what follows it, so that "ada l" finds "Ada Lovelace". */
function wordsOf<Item>(name: string, item: Item): Entry<Item>[] {
  const text = folded(name);
  const entries: Entry<Item>[] = [{ word: text, item, isFirst: true }];
  for (const { index } of text.matchAll(/(?<=[\s\-_.>])[^\s\-_.>]/g)) {
    entries.push({ word: text.slice(index), item, isFirst: false });
  }
  return entries;
}
