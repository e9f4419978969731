const BYTES_FIRST = 4 * 1024;

/** Short texts by numbers from 1, as the bytes of UTF-8: an object for each takes twice as much. */
export class CompactTexts {
  private bytes = Buffer.alloc(BYTES_FIRST);
  private used = 1;

  /** The number that the next text gets. */
  get nextNumber(): number {
    return this.used;
  }

  /** Keeps a text of at most 255 bytes, and returns it. */
  add(text: string): string {
    const length = Buffer.byteLength(text);
    if (length > 255) throw new RangeError('the text is too long to be kept');
    if (this.used + 1 + length > this.bytes.length) {
      const larger = Buffer.alloc(this.bytes.length * 2);
      this.bytes.copy(larger, 0, 0, this.used);
      this.bytes = larger;
    }
    this.bytes[this.used] = length;
    this.bytes.write(text, this.used + 1);
    this.used += 1 + length;
    return text;
  }

  /** Returns the text of a number that `nextNumber` gave. */
  at(number: number): string {
    const length = this.bytes[number] ?? 0;
    return this.bytes.toString('utf8', number + 1, number + 1 + length);
  }
}
