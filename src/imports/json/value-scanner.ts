import {
  ASSIGNMENT,
  BACKSLASH,
  BLANK,
  CARRIAGE_RETURN,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  CLOSING,
  COMMA,
  LINE_BREAK,
  MAY_FOLLOW_STRING,
  NEW_LINE,
  OPEN_BRACE,
  OPENING,
  QUOTATION,
  QUOTE,
  SEPARATOR,
  SIGN_OF,
} from './signs.ts';

/**
 * The look of lines between the values of a list or object that is printed with indentation: a
 * line at the column of its values begins one, and a line at the outer column ends the list.
 */
export interface Lines {
  /** -1 where it is not printed so. */
  readonly column: number;
  readonly outerColumn: number;
  /** The sign with which a value begins, or the name of one. */
  readonly opener: number;
  readonly closer: number;
  /** True if the names of an object stand at the outer column. */
  readonly isInObject: boolean;
  /** True if it is the document itself. */
  readonly isRoot: boolean;
}

/**
 * The place where a scan stopped: before the comma or bracket behind the value, at a line break
 * behind which another value begins or the list ends, at a bracket of the wrong kind, at signs that
 * JSON never has, at the bound of its depth or its size, or at the end of the bytes.
 */
export type Stop = 'end' | 'line' | 'mismatch' | 'untidy' | 'deep' | 'large' | 'more';

/** Finds where a value ends by its strings and brackets, in whatever parts its bytes come. */
export class ValueScanner {
  /** The bytes of the value that have been looked at. */
  offset = 0;
  /** True where a string or an object follows what it cannot follow. */
  isUntidy = false;
  /** True if something follows the last bracket of the value, before a comma. */
  isLoose = false;
  /** The bytes up to where all brackets were closed for the first time; 0 if they never were. */
  closedAt = 0;
  /** True if a colon stands outside of all brackets of the value, as in a part of an object. */
  hasColon = false;

  private readonly closers: Uint8Array;
  private depth = 0;
  private isTooDeep = false;
  private isInString = false;
  private last = 0;
  private lines: Lines = {
    column: -1,
    outerColumn: -1,
    opener: 0,
    closer: 0,
    isInObject: false,
    isRoot: true,
  };
  private stopsWhenUntidy = false;
  /** True while lines may begin as they like. */
  ignoresLines = false;
  private depthMax = 0;

  constructor(depthMax: number) {
    this.closers = new Uint8Array(depthMax + 1);
  }

  /** Begins a value in a list or object of this depth. */
  begin(lines: Lines, depth: number, stopsWhenUntidy: boolean) {
    this.offset = 0;
    this.isUntidy = false;
    this.isLoose = false;
    this.closedAt = 0;
    this.hasColon = false;
    this.depth = 0;
    this.isTooDeep = false;
    this.isInString = false;
    this.last = 0;
    this.lines = lines;
    this.ignoresLines = false;
    this.stopsWhenUntidy = stopsWhenUntidy;
    this.depthMax = this.closers.length - 1 - depth;
  }

  /** Lets the rest of a value that is broken be as untidy as it is. */
  ignoreUntidy() {
    this.stopsWhenUntidy = false;
  }

  /** Tells whether a line break where the scan stopped is in brackets of the value. */
  get isWithinBrackets(): boolean {
    return this.depth > 0 && !this.isInString;
  }

  /** How many bytes behind a sign say what it is. */
  get lookahead(): number {
    return Math.max(2, this.lines.column + 6);
  }

  /** Goes on with the value that begins at `start`, which may have so many bytes. */
  scan(bytes: Buffer, start: number, isLast: boolean, bytesMax: number): Stop {
    const end = Math.min(isLast ? bytes.length : bytes.length - this.lookahead, start + bytesMax);
    let at = start + this.offset;
    let stop: Stop | undefined;
    while (at < end) {
      if (this.isInString) {
        at = this.passString(bytes, at, end);
        if (this.isInString && at < end) stop = 'line';
        else if (this.isUntidy && this.stopsWhenUntidy) stop = 'untidy';
      } else {
        stop = this.take(bytes, at, start);
        if (stop === undefined) at += 1;
      }
      if (stop !== undefined) break;
    }
    this.offset = at - start;
    return stop ?? (this.offset >= bytesMax ? 'large' : 'more');
  }

  /** Goes to the end of a string, or to a line break in it that must be one between values. */
  private passString(bytes: Buffer, from: number, end: number): number {
    let at = from;
    for (; at < end; at += 1) {
      const byte = bytes[at] as number; // the index is below the length
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) {
        this.isInString = false;
        const next = bytes[at + 1];
        if (next !== undefined && MAY_FOLLOW_STRING[next] === 0) this.isUntidy = true;
        return at + 1;
      } else if (byte === NEW_LINE && this.isLine(bytes, at)) return at;
    }
    return at;
  }

  /** Takes a byte outside of strings. Returns why the scan stops there, if it does. */
  private take(bytes: Buffer, at: number, start: number): Stop | undefined {
    const byte = bytes[at] as number; // the index is below the length
    const sign = SIGN_OF[byte] as number; // it has all bytes
    if (this.depth === 0 && this.closedAt > 0 && isLooseSign(sign)) this.isLoose = true;
    switch (sign) {
      case QUOTATION:
        this.isInString = true;
        break;
      case SEPARATOR:
        if (this.depth === 0) return 'end';
        break;
      case ASSIGNMENT:
        if (this.depth === 0) this.hasColon = true;
        break;
      case OPENING:
        return this.open(byte);
      case CLOSING:
        if (this.depth === 0) return byte === this.lines.closer ? 'end' : 'mismatch';
        if (this.depth < this.closers.length && this.closers[this.depth] !== byte)
          return 'mismatch';
        this.depth -= 1;
        if (this.depth === 0 && this.closedAt === 0) this.closedAt = at + 1 - start;
        break;
      case LINE_BREAK:
        return this.isLine(bytes, at) ? 'line' : undefined;
      default:
        return;
    }
    this.last = sign;
    return;
  }

  private open(byte: number): Stop | undefined {
    const isInObject = this.depth > 0 && this.closers[this.depth] === CLOSE_BRACE;
    if (isInObject && this.last !== ASSIGNMENT) {
      this.isUntidy = true;
      if (this.stopsWhenUntidy) return 'untidy';
    }
    if (this.depth >= this.depthMax && !this.isTooDeep) {
      this.isTooDeep = true;
      return 'deep';
    }
    this.depth += 1;
    if (this.depth < this.closers.length) {
      this.closers[this.depth] = byte === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET;
    }
    this.last = OPENING;
    return;
  }

  /**
   * Returns the first line break from there on behind which a value begins or the list ends, or -1.
   */
  lineFrom(bytes: Buffer, from: number, isLast: boolean): number {
    const end = isLast ? bytes.length : bytes.length - this.lookahead;
    for (let at = bytes.indexOf(NEW_LINE, from); at >= 0; at = bytes.indexOf(NEW_LINE, at + 1)) {
      if (at >= end) break;
      if (this.isLine(bytes, at)) return at;
    }
    return -1;
  }

  private isLine(bytes: Buffer, lineBreak: number): boolean {
    const { column, outerColumn, opener, closer, isInObject, isRoot } = this.lines;
    if (column < 0 || this.ignoresLines) return false;
    let at = lineBreak + 1;
    while (at <= lineBreak + 1 + column && SIGN_OF[bytes[at] ?? 0] === BLANK) at += 1;
    const blanks = at - lineBreak - 1;
    const sign = bytes[at];
    if (blanks === column && sign === opener) {
      return opener === QUOTE || LINE_ENDS.includes(bytes[at + 1]);
    }
    if (blanks !== outerColumn) return false;
    if (isInObject && sign === QUOTE) return true;
    return sign === closer && isListEnd(bytes, at, isRoot);
  }
}

const isLooseSign = (sign: number): boolean =>
  sign !== BLANK && sign !== LINE_BREAK && sign !== SEPARATOR && sign !== CLOSING;

const LINE_ENDS: readonly (number | undefined)[] = [NEW_LINE, CARRIAGE_RETURN, undefined];

/** Tells whether a bracket at the beginning of a line ends a list, by what follows it. */
function isListEnd(bytes: Buffer, at: number, isRoot: boolean): boolean {
  const next = bytes[at + 1];
  if (!isRoot) return next === COMMA || LINE_ENDS.includes(next);
  // Nothing follows but the end of the document.
  return [next, bytes[at + 2], bytes[at + 3]].every((byte) => LINE_ENDS.includes(byte));
}
