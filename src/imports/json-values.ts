/** Services nest a message about ten deep. */
export const JSON_DEPTH_MAX = 200;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [NEW_LINE, CARRIAGE_RETURN, BLANK, TAB] = [0x0a, 0x0d, 0x20, 0x09];
const [OPEN_BRACE, OPEN_BRACKET, CLOSE_BRACE, CLOSE_BRACKET] = [0x7b, 0x5b, 0x7d, 0x5d];

/** No writer indents by more. */
const COLUMN_MAX = 200;
/** The bytes of a value that say how it is laid out. */
export const HEAD_BYTES = 2 * COLUMN_MAX + 4;
/** A value that goes on behind a line of another one is long enough then, or has lost its end. */
const BYTES_BEYOND_LINE_MAX = 256 * 1024;

/**
 * Knows by which lines the values of a list or object begin, if each stands in lines of its own and
 * what is in it is indented by more.
 */
export class Layout {
  readonly isObject: boolean;
  /** The byte of the bracket that ends the list or object. */
  readonly closer: number;
  /** The blanks before a value in its line; -1 where lines say nothing. */
  column = -1;
  private opener = 0;
  private isMixed = false;

  constructor(isObject: boolean) {
    this.isObject = isObject;
    this.closer = isObject ? CLOSE_BRACE : CLOSE_BRACKET;
  }

  /** Looks at a value; `column` is that of it, or of its name. */
  learn(bytes: Buffer, at: number, column: number) {
    if (this.isMixed || this.column >= 0 || column < 0 || column > COLUMN_MAX) return;
    const lineBreak = bytes[at + 1] === CARRIAGE_RETURN ? at + 2 : at + 1;
    const opener = bytes[at] ?? 0;
    if (!isOpening(opener) || bytes[lineBreak] !== NEW_LINE) return;
    if (blanksFrom(bytes, lineBreak + 1, column + 1) <= column) return;
    this.column = column;
    this.opener = this.isObject ? QUOTE : opener;
  }

  /** Lines mean nothing: one that begins as a value is a part of another one. */
  giveUp() {
    this.isMixed = true;
    this.column = -1;
  }

  /** Tells whether a value begins behind a line break, or the list or object ends. */
  isLine(bytes: Buffer, lineBreak: number): boolean {
    if (this.column < 0) return false;
    const blanks = blanksFrom(bytes, lineBreak + 1, this.column);
    const at = lineBreak + 1 + blanks;
    if (blanks < this.column) return bytes[at] === this.closer;
    const isAlone = bytes[at + 1] === NEW_LINE || bytes[at + 1] === CARRIAGE_RETURN;
    return bytes[at] === this.opener && (this.isObject || isAlone);
  }

  /** Returns the first such line break, or -1. */
  lineFrom(bytes: Buffer, from: number): number {
    let at = bytes.indexOf(NEW_LINE, from);
    while (at >= 0 && !this.isLine(bytes, at)) at = bytes.indexOf(NEW_LINE, at + 1);
    return at;
  }

  /** How many bytes behind a line break say whether it is one. */
  get lookahead(): number {
    return this.column + 3;
  }
}

function blanksFrom(bytes: Buffer, from: number, most: number): number {
  let count = 0;
  while (count < most && (bytes[from + count] === BLANK || bytes[from + count] === TAB)) count += 1;
  return count;
}

const isOpening = (byte: number) => byte === OPEN_BRACE || byte === OPEN_BRACKET;

export const isBlank = (byte: number | undefined): boolean =>
  byte === BLANK || byte === NEW_LINE || byte === CARRIAGE_RETURN || byte === TAB;

/** Returns where a string ends that begins there: behind its quote, or -1. */
export function endOfString(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    if (bytes[at] === BACKSLASH) at += 1;
    else if (bytes[at] === QUOTE) return at + 1;
  }
  return -1;
}

const MAY_FOLLOW_STRING: ReadonlySet<number> = new Set(Buffer.from(',:]} \t\r\n'));

/**
 * The place where a scan stands: before the comma or bracket behind the value, or at a bracket of
 * the wrong kind; or it needs more bytes.
 */
export type Stop = 'end' | 'mismatch' | 'more';

/** Finds where a value ends, by its strings and brackets, in whatever parts its bytes come. */
export class ValueScan {
  /** The bytes of the value that have been looked at. */
  offset = 0;
  /** The bytes up to the first line in which another value seems to begin; 0: there is none. */
  lineAt = 0;
  isTooDeep = false;
  /** True if something follows a string that cannot: another quote may be missing. */
  isUntidy = false;
  /** True if a colon stands outside of all brackets of the value, as in a part of an object. */
  hasColon = false;
  private readonly layout: Layout;
  /** The brackets that close those that are open; none of those that are too deep. */
  private readonly closers: Uint8Array;
  private depth = 0;
  private isInString = false;

  constructor(layout: Layout, depth: number) {
    this.layout = layout;
    this.closers = new Uint8Array(Math.max(0, JSON_DEPTH_MAX - depth));
  }

  /** Goes on with the value that begins at `start`. */
  go(bytes: Buffer, start: number, isLast: boolean): Stop {
    const end = bytes.length - (isLast ? 0 : this.layout.lookahead);
    let at = start + this.offset;
    let stop: Stop = 'more';
    for (; at < end && stop === 'more'; at += 1) {
      const byte = bytes[at] as number; // the index is below the length
      // No string has a line break in it: one that was not closed ends there.
      if (this.isInString && byte !== NEW_LINE) {
        if (byte === BACKSLASH) at += 1;
        else if (byte === QUOTE) this.endString(bytes[at + 1]);
      } else stop = this.take(byte);
      if (byte === NEW_LINE) stop = this.line(bytes, at, start);
    }
    this.offset = (stop === 'more' ? at : at - 1) - start;
    return stop;
  }

  private take(byte: number): Stop {
    switch (byte) {
      case QUOTE:
        this.isInString = true;
        break;
      case NEW_LINE:
        if (this.isInString) this.endString(undefined);
        break;
      case COMMA:
        if (this.depth === 0) return 'end';
        break;
      case COLON:
        if (this.depth === 0) this.hasColon = true;
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        this.closers[this.depth] = byte === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET;
        this.depth += 1;
        if (this.depth > this.closers.length) this.isTooDeep = true;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        return this.close(byte);
    }
    return 'more';
  }

  private endString(next: number | undefined) {
    this.isInString = false;
    if (next === undefined || !MAY_FOLLOW_STRING.has(next)) this.isUntidy = true;
  }

  private close(byte: number): Stop {
    if (this.depth === 0) return byte === this.layout.closer ? 'end' : 'mismatch';
    this.depth -= 1;
    return (this.closers[this.depth] ?? byte) === byte ? 'more' : 'mismatch';
  }

  private line(bytes: Buffer, at: number, start: number): Stop {
    if (this.lineAt > 0)
      return at - start > this.lineAt + BYTES_BEYOND_LINE_MAX ? 'mismatch' : 'more';
    if (this.layout.isLine(bytes, at)) this.lineAt = at + 1 - start;
    return 'more';
  }
}

/** Tells whether a value nests deeper than is read; of bytes that are no JSON, perhaps. */
export function isTooDeep(bytes: Buffer): boolean {
  const scan = new ValueScan(new Layout(false), 0);
  scan.go(bytes, 0, true);
  return scan.isTooDeep;
}
