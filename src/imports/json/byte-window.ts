import { BLANK, LINE_BREAK, SIGN_OF } from './signs.ts';

/** A reader yields it when it needs more bytes. */
export const MORE = Symbol('more bytes');

/** No sign follows: more bytes are needed, or the document has ended. */
export const UNKNOWN = -2;
export const END = -1;

/** The bytes of a stream from where its reader stands; what lies before is let go. */
export class ByteWindow {
  bytes: Buffer = Buffer.alloc(0);
  /** The index in `bytes` at which the reader stands. */
  at = 0;
  isEnded = false;
  /** Why the stream ended early, if it did. */
  failure: Error | undefined;
  /** The number of blanks that were passed over last. */
  blanks = 0;
  /** How many of them stand behind the last line break; -1 if there was none. */
  column = -1;

  get held(): number {
    return this.bytes.length - this.at;
  }

  add(parts: readonly Buffer[]) {
    this.bytes = Buffer.concat([this.bytes.subarray(this.at), ...parts]);
    this.at = 0;
  }

  /** Passes over blanks. Returns the sign behind them, and stays there. */
  *nextSign(): Generator<typeof MORE, number> {
    this.blanks = 0;
    this.column = -1;
    for (;;) {
      const sign = this.passBlanks();
      if (sign !== UNKNOWN) return sign;
      yield MORE;
    }
  }

  private passBlanks(): number {
    for (; this.at < this.bytes.length; this.at += 1) {
      const byte = this.bytes[this.at] as number; // the index is below the length
      const sign = SIGN_OF[byte];
      if (sign === LINE_BREAK) this.column = 0;
      else if (sign !== BLANK) return byte;
      else if (this.column >= 0) this.column += 1;
      this.blanks += 1;
    }
    return this.isEnded ? END : UNKNOWN;
  }
}
