import type { ByteWindow } from './byte-window.ts';
import {
  BLANK,
  CARRIAGE_RETURN,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  isBlank,
  isOpening,
  LINE_BREAK,
  OPEN_BRACE,
  QUOTE,
  SIGN_OF,
} from './signs.ts';
import type { Lines } from './value-scanner.ts';

/** No writer indents by more. */
const COLUMN_MAX = 200;
/** Blanks between the bracket of an object and its first name. */
export const BYTES_BEFORE_NAME_MAX = COLUMN_MAX + 3;
/** An object inside an element is unlikely to have several names that all elements have. */
const COMMON_NAMES_MIN = 2;
const COMMON_NAMES_MAX = 50;

/** An element that can be read, kept until what follows shows that it has not been cut off. */
export interface Held {
  readonly key: string | number | undefined;
  readonly value: unknown;
  /** True if it ends in a line of its own at the column of the elements. */
  readonly isWhole: boolean;
}

/**
 * Knows the values of one list or object: how they are laid out, and what they have in common. By
 * it the next one is found behind a value whose end cannot be told.
 */
export class Siblings {
  readonly isObject: boolean;
  /** The number of brackets that are open around a value. */
  readonly depth: number;
  /** The name of the list or object. */
  readonly name: string | number | undefined;
  index = 0;
  held: Held | undefined;
  /** True behind a broken value, until a value shows that it is none within another. */
  isInDoubt = false;
  /** True if each value stands in lines of its own, and what is in it is indented by more. */
  isPretty = false;
  private isMixed = false;
  private column = -1;
  private readonly outer: Siblings | undefined;
  /** The blanks between the comma before a value and the value; -1 if not known. */
  private blanks = -1;
  private names: readonly string[] | undefined;
  private hasAlikeInside = false;

  constructor(opener: number, name: string | number | undefined, outer: Siblings | undefined) {
    this.isObject = opener === OPEN_BRACE;
    this.name = name;
    this.outer = outer;
    this.depth = outer === undefined ? 1 : outer.depth + 1;
  }

  get closer(): number {
    return this.isObject ? CLOSE_BRACE : CLOSE_BRACKET;
  }

  /** Takes the blanks before a value. */
  note({ column, blanks }: ByteWindow, isBehindComma: boolean) {
    if (!this.isPretty) this.column = column > COLUMN_MAX ? -1 : column;
    // Some writers begin values behind others in their lines (`}, {`).
    else if (isBehindComma && column < 0) this.giveUpLines();
    if (isBehindComma && !this.isInDoubt) this.blanks = blanks;
  }

  /** Lines are no sign of anything from then on. */
  giveUpLines() {
    this.isMixed = true;
    this.isPretty = false;
  }

  /** Looks whether the value at the window begins with a line that is indented by more. */
  look({ bytes, at }: ByteWindow) {
    if (this.isPretty || this.isMixed || this.column < 0 || !isOpening(bytes[at] ?? 0)) return;
    const lineBreak = bytes[at + 1] === CARRIAGE_RETURN ? at + 2 : at + 1;
    if (SIGN_OF[bytes[lineBreak] ?? 0] !== LINE_BREAK) return;
    let inner = lineBreak + 1;
    while (SIGN_OF[bytes[inner] ?? 0] === BLANK && inner - lineBreak - 1 <= this.column) inner += 1;
    this.isPretty = inner - lineBreak - 1 > this.column;
  }

  /** How many bytes `look` needs. */
  get bytesToLook(): number {
    return this.isPretty ? 0 : this.column + 4;
  }

  get lines(): Lines {
    const { outer } = this;
    return {
      column: this.isPretty ? this.column : -1,
      // The document itself stands at the left.
      outerColumn: outer === undefined ? 0 : outer.isPretty ? outer.column : -1,
      opener: this.isObject ? QUOTE : OPEN_BRACE,
      closer: this.closer,
      isInObject: outer?.isObject === true,
      isRoot: outer === undefined,
    };
  }

  /** Tells whether the list ends with a sign, or a name of the outer object shows that it has. */
  endsAt({ column }: ByteWindow, sign: number, isBehindComma: boolean): boolean {
    // At the place of an element in its line, the bracket of one has become another.
    if (sign === this.closer) return !(this.isPretty && isBehindComma && column === this.column);
    const { outerColumn, isInObject } = this.lines;
    return this.isPretty && isInObject && sign === QUOTE && column === outerColumn;
  }

  /** Tells whether a value that ends there ends as all of them do. */
  isWhole(bytes: Buffer, end: number): boolean {
    if (!this.isPretty) return false;
    let at = end - 1;
    while (isBlank(bytes[at])) at -= 1;
    const closer = at;
    at -= 1;
    while (SIGN_OF[bytes[at] ?? 0] === BLANK) at -= 1;
    return SIGN_OF[bytes[at] ?? 0] === LINE_BREAK && closer - at - 1 === this.column;
  }

  /** Tells whether a value can be an element of this list, and nothing within a broken one. */
  accepts(value: unknown): boolean {
    return !this.isInDoubt || hasAll(value, this.names ?? []);
  }

  /** Learns from an element what elements have in common. */
  learn(value: unknown) {
    if (this.isPretty || this.isObject || this.names?.length === 0) return;
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isObject) this.names = [];
    else if (this.names === undefined) this.names = Object.keys(value).slice(0, COMMON_NAMES_MAX);
    else if (!hasAll(value, this.names)) {
      this.names = this.names.filter((name) => Object.hasOwn(value, name));
    }
    if (this.names.length >= COMMON_NAMES_MIN && !this.hasAlikeInside) {
      this.hasAlikeInside = hasAlikeInside(value, this.names);
    }
  }

  /** True if what elements have in common is enough to find the next one by. */
  get areAlike(): boolean {
    const areNamed = (this.names?.length ?? 0) >= COMMON_NAMES_MIN && !this.hasAlikeInside;
    return areNamed && this.blanks >= 0 && !this.isObject;
  }

  /** Returns where an object begins behind a comma and as many blanks as are usual, or -1. */
  nextObject(bytes: Buffer, from: number, until: number): number {
    for (
      let at = bytes.indexOf(OPEN_BRACE, from);
      at >= 0;
      at = bytes.indexOf(OPEN_BRACE, at + 1)
    ) {
      if (at >= until) return -1;
      if (this.isBehindComma(bytes, at) && isBeforeName(bytes, at)) return at;
    }
    return -1;
  }

  private isBehindComma(bytes: Buffer, at: number): boolean {
    const comma = at - 1 - this.blanks;
    if (bytes[comma] !== COMMA) return false;
    for (let blank = comma + 1; blank < at; blank += 1) {
      if (!isBlank(bytes[blank])) return false;
    }
    return true;
  }
}

function isBeforeName(bytes: Buffer, brace: number): boolean {
  let at = brace + 1;
  while (at <= brace + BYTES_BEFORE_NAME_MAX && isBlank(bytes[at])) at += 1;
  return bytes[at] === QUOTE;
}

const hasAll = (value: unknown, names: readonly string[]): boolean =>
  typeof value === 'object' && value !== null && names.every((name) => Object.hasOwn(value, name));

/** Tells whether a list inside a value has an object with all the names. */
function hasAlikeInside(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const isList = Array.isArray(value);
  for (const inner of isList ? value : Object.values(value)) {
    if (typeof inner !== 'object' || inner === null) continue;
    if ((isList && hasAll(inner, names)) || hasAlikeInside(inner, names)) return true;
  }
  return false;
}
