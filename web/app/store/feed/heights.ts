/** Browsers lay out in 64ths of a pixel: whole numbers of them add up without an error. */
const UNITS = 64;

/**
 * A Fenwick tree of the heights of rows, in pixels. With 100,000 rows it takes some 17 steps to set
 * a height, to sum those above a row, and to find the row at a position. Free slots at both ends
 * make appending and prepending as cheap as that; a change in the middle builds the whole tree.
 */
export class Heights {
  #heights: Float64Array;
  /** Slot i has the sum of the `i & -i` slots up to and with it; slot 0 is not used. */
  #tree: Float64Array;
  /** The number of free slots before the first row. */
  #head: number;
  #length = 0;

  constructor(heights: readonly number[] = []) {
    this.#heights = new Float64Array(0);
    this.#tree = new Float64Array(1);
    this.#head = 0;
    this.#rebuild(heights.map(rounded));
  }

  get length(): number {
    return this.#length;
  }

  /** The height of all rows. */
  get total(): number {
    return this.top(this.#length);
  }

  get(index: number): number {
    return this.#isRow(index) ? (this.#heights[this.#head + index] ?? 0) : 0;
  }

  set(index: number, height: number): void {
    if (!this.#isRow(index)) throw new RangeError(`There is no row ${index}`);
    this.#put(this.#head + index, rounded(height));
  }

  /** Returns the height of all rows before this one. */
  top(index: number): number {
    let sum = 0;
    const end = Math.max(0, Math.min(index, this.#length));
    for (let slot = this.#head + end; slot > 0; slot -= slot & -slot) sum += this.#tree[slot] ?? 0;
    return sum;
  }

  /** Returns the row that covers a position; the first or the last one for positions outside. */
  at(position: number): number {
    if (this.#length === 0) return 0;
    let slot = 0;
    let left = position;
    for (let step = this.#heights.length; step > 0; step >>= 1) {
      const sum = this.#tree[slot + step];
      if (sum === undefined || sum > left) continue;
      slot += step;
      left -= sum;
    }
    return Math.max(0, Math.min(slot - this.#head, this.#length - 1));
  }

  append(heights: readonly number[]): void {
    if (this.#head + this.#length + heights.length > this.#heights.length) {
      this.#rebuild([...this.#rows(), ...heights.map(rounded)]);
      return;
    }
    const from = this.#head + this.#length;
    this.#length += heights.length;
    for (const [index, height] of heights.entries()) this.#put(from + index, rounded(height));
  }

  prepend(heights: readonly number[]): void {
    if (heights.length > this.#head) {
      this.#rebuild([...heights.map(rounded), ...this.#rows()]);
      return;
    }
    this.#head -= heights.length;
    this.#length += heights.length;
    for (const [index, height] of heights.entries()) this.#put(this.#head + index, rounded(height));
  }

  /** Removes rows and puts others in their place. At both ends it costs only the rows concerned. */
  splice(at: number, removed: number, heights: readonly number[]): void {
    if (removed === 0 && at === this.#length) this.append(heights);
    else if (removed === 0 && at === 0) this.prepend(heights);
    else if (removed === heights.length) {
      for (const [index, height] of heights.entries()) this.set(at + index, height);
    } else {
      const rows = this.#rows();
      this.#rebuild([
        ...rows.subarray(0, at),
        ...heights.map(rounded),
        ...rows.subarray(at + removed),
      ]);
    }
  }

  #isRow(index: number) {
    return index >= 0 && index < this.#length;
  }

  #rows() {
    return this.#heights.subarray(this.#head, this.#head + this.#length);
  }

  /** Slots are counted from 0 here, and from 1 in the tree. */
  #put(slot: number, height: number) {
    const change = height - (this.#heights[slot] ?? 0);
    if (change === 0) return;
    this.#heights[slot] = height;
    const { length } = this.#tree;
    for (let at = slot + 1; at < length; at += at & -at)
      this.#tree[at] = (this.#tree[at] ?? 0) + change;
  }

  /** Lays the rows in the middle of twice the room, so that the next such work is far away. */
  #rebuild(heights: readonly number[]) {
    let slots = 64;
    while (slots < 2 * heights.length) slots *= 2;
    this.#head = (slots - heights.length) >> 1;
    this.#length = heights.length;
    this.#heights = new Float64Array(slots);
    this.#heights.set(heights, this.#head);
    this.#tree = new Float64Array(slots + 1);
    this.#tree.set(this.#heights, 1);
    for (let slot = 1; slot <= slots; slot++) {
      const parent = slot + (slot & -slot);
      if (parent <= slots) this.#tree[parent] = (this.#tree[parent] ?? 0) + (this.#tree[slot] ?? 0);
    }
  }
}

const rounded = (height: number) => Math.round(height * UNITS) / UNITS;
