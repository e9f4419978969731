const SLOTS_FIRST = 64;
/** Each entry: 64 bits of the hash of its key, and its number. */
const WORDS = 3;

/**
 * A map of texts to numbers above 0, which keeps hashes of 64 bits in place of the texts. It takes
 * 16 to 32 bytes for each entry, whatever the length of its text, and refuses more than `max`. Two
 * texts of a full map of a million have the same hash once in 30 million archives.
 */
export class HashedNumbers {
  private readonly max: number;
  private words = new Uint32Array(SLOTS_FIRST * WORDS);
  private count = 0;
  private low = 0;
  private high = 0;

  constructor(max: number) {
    this.max = max;
  }

  get size(): number {
    return this.count;
  }

  /** Returns the number of a text, or 0. */
  get(text: string): number {
    this.hash(text);
    return this.words[this.slot() + 2] ?? 0;
  }

  /** Returns false if the text is new and the map is full. */
  set(text: string, number: number): boolean {
    this.hash(text);
    let at = this.slot();
    if (this.words[at + 2] === 0) {
      if (this.count >= this.max) return false;
      this.count += 1;
      // Three quarters of the slots are used at most, so that a free one is near.
      if (this.count * 4 > (this.words.length / WORDS) * 3) {
        this.grow();
        at = this.slot();
      }
    }
    this.put(at, number);
    return true;
  }

  private put(at: number, number: number): void {
    this.words[at] = this.low;
    this.words[at + 1] = this.high;
    this.words[at + 2] = number;
  }

  /** Returns the place of the entry with the hash, or of the free slot where it belongs. */
  private slot(): number {
    const { words, low, high } = this;
    const slots = words.length / WORDS;
    for (let slot = low & (slots - 1); ; slot = (slot + 1) & (slots - 1)) {
      const at = slot * WORDS;
      if (words[at + 2] === 0 || (words[at] === low && words[at + 1] === high)) return at;
    }
  }

  private grow(): void {
    const [former, low, high] = [this.words, this.low, this.high];
    this.words = new Uint32Array(former.length * 2);
    for (let at = 0; at < former.length; at += WORDS) {
      const number = former[at + 2] ?? 0;
      if (number === 0) continue;
      this.low = former[at] ?? 0;
      this.high = former[at + 1] ?? 0;
      this.put(this.slot(), number);
    }
    this.low = low;
    this.high = high;
  }

  /** Hashes a text to two words that do not depend on each other. */
  private hash(text: string): void {
    let [low, high] = [0x9e3779b9, 0x85ebca6b];
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      low = Math.imul(low ^ code, 0x9e3779b1);
      low ^= low >>> 15;
      high = Math.imul(high ^ code, 0x5f356495);
      high ^= high >>> 13;
    }
    this.low = finished(low ^ text.length);
    this.high = finished(high ^ low);
  }
}

/** Spreads the bits of a word over all of it, as MurmurHash3 does at its end. */
function finished(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
