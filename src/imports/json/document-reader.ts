import { type ByteWindow, END, MORE } from './byte-window.ts';
import { JsonStreamError } from './json-stream-error.ts';
import { BYTES_BEFORE_NAME_MAX, Siblings } from './siblings.ts';
import { BACKSLASH, COLON, COMMA, isBlank, isOpening, OPEN_BRACE, QUOTE } from './signs.ts';
import { type Stop, ValueScanner } from './value-scanner.ts';

/** An element, or why it has no value. */
export type JsonElement = {
  /** The name in an object, or the position in an array. */
  readonly key: string | number | undefined;
  /** The name of the list or object that it is in, if that has one. */
  readonly within: string | number | undefined;
} & ({ readonly value: unknown } | { readonly why: string });

type Step = JsonElement | typeof MORE;
type Path = readonly string[];

/** How often the most bytes of an element are read a second time, at most, of all a document. */
const REREAD_MAX = 8;
/** Bytes behind a line in which the end of a value is looked for. */
const BYTES_BEYOND_MAX = 1024 * 1024;

/**
 * Reads the elements of a document. Each is cut out by its brackets and parsed for itself. One that
 * is broken is left out: the next one is found behind its last bracket, or by what is known of its
 * siblings (docs/decisions/0310).
 */
export class DocumentReader {
  private readonly window: ByteWindow;
  private readonly bytesMax: number;
  private readonly depthMax: number;
  private readonly scanner: ValueScanner;
  private rereadBytesLeft: number;

  constructor(window: ByteWindow, bytesMax: number, depthMax: number) {
    this.window = window;
    this.bytesMax = bytesMax;
    this.depthMax = depthMax;
    this.scanner = new ValueScanner(depthMax);
    this.rereadBytesLeft = REREAD_MAX * bytesMax;
  }

  /** Yields `MORE` where it needs more bytes. Throws `JsonStreamError` where it cannot go on. */
  *elements(paths: readonly Path[]): Generator<Step, void> {
    const { window } = this;
    while (window.held < BYTE_ORDER_MARK.length && !window.isEnded) yield MORE;
    if (window.bytes.subarray(window.at, window.at + 3).equals(BYTE_ORDER_MARK)) window.at += 3;
    const sign = yield* window.nextSign();
    if (sign === END) throw this.incomplete();
    if (isOpening(sign)) yield* this.values(paths, undefined, undefined);
    else yield* this.lone();
    if ((yield* window.nextSign()) !== END) throw notJson('something follows its end.');
  }

  /** Passes over a document that is a single value without elements. */
  private *lone(): Generator<typeof MORE, void> {
    const { window } = this;
    while (!window.isEnded && window.held <= this.bytesMax) yield MORE;
    if (parsed(window.bytes, window.at, window.bytes.length) === undefined) {
      throw window.failure ?? notJson('it is neither a list nor an object.');
    }
    window.at = window.bytes.length;
  }

  /** Reads the list or object at the window, with its brackets. */
  private *values(
    paths: readonly Path[],
    name: string | number | undefined,
    outer: Siblings | undefined,
  ): Generator<Step, void> {
    const { window } = this;
    const siblings = new Siblings(window.bytes[window.at] ?? 0, name, outer);
    window.at += 1;
    let isBehindComma = false;
    for (;;) {
      let sign = yield* window.nextSign();
      if (sign === COMMA && !isBehindComma && siblings.index > 0) {
        isBehindComma = true;
        window.at += 1;
        sign = yield* window.nextSign();
      }
      const isAtEnd = siblings.endsAt(window, sign, isBehindComma);
      if (sign === END || isAtEnd) yield* release(siblings);
      if (sign === END) throw this.incomplete();
      if (isAtEnd) {
        if (sign === siblings.closer) window.at += 1;
        return;
      }
      siblings.note(window, isBehindComma);
      isBehindComma = false;
      if (siblings.isObject) yield* this.member(siblings, paths, sign);
      else yield* this.value(siblings, paths, siblings.index);
    }
  }

  /** Reads a name of an object and its value. */
  private *member(siblings: Siblings, paths: readonly Path[], sign: number): Generator<Step, void> {
    const { window } = this;
    const name = sign === QUOTE ? yield* this.name() : undefined;
    const isNamed = name !== undefined && (yield* window.nextSign()) === COLON;
    if (!isNamed) return yield* this.element(siblings, name, true);
    window.at += 1;
    yield* window.nextSign();
    yield* this.value(siblings, paths, name);
  }

  /** Reads the string at the window and passes over it, if it is one. */
  private *name(): Generator<typeof MORE, string | undefined> {
    const { window } = this;
    for (;;) {
      let end = window.at + 1;
      while (end < window.bytes.length && window.bytes[end] !== QUOTE) {
        end += window.bytes[end] === BACKSLASH ? 2 : 1;
      }
      if (end < window.bytes.length) {
        const name = parsed(window.bytes, window.at, end + 1)?.value;
        if (typeof name === 'string') window.at = end + 1;
        return typeof name === 'string' ? name : undefined;
      }
      if (window.isEnded || window.held > this.bytesMax) return undefined;
      yield MORE;
    }
  }

  /** Reads a value as what the paths say that it is: an element, what has elements, or neither. */
  private *value(
    siblings: Siblings,
    paths: readonly Path[],
    key: string | number,
  ): Generator<Step, void> {
    const { window } = this;
    const there = paths.filter(([name]) => name === '*' || name === key);
    if (there.some(({ length }) => length === 1)) return yield* this.element(siblings, key, false);
    const deeper = there.map((path) => path.slice(1));
    yield* this.look(siblings);
    if (deeper.length > 0 && isOpening(window.bytes[window.at] ?? 0)) {
      yield* this.values(deeper, key, siblings);
    } else yield* this.pass(siblings);
    siblings.index += 1;
  }

  private *look(siblings: Siblings): Generator<typeof MORE, void> {
    while (this.window.held < siblings.bytesToLook && !this.window.isEnded) yield MORE;
    siblings.look(this.window);
  }

  /** Passes over a value that nobody wants. It may be of any length, and odd within. */
  private *pass(siblings: Siblings): Generator<typeof MORE, void> {
    const { window, scanner } = this;
    scanner.begin(siblings.lines, siblings.depth, siblings.isPretty);
    let stop = yield* this.letGo();
    if (stop === 'line' && (yield* this.isWholeBeyond())) {
      siblings.giveUpLines();
      stop = 'end';
    }
    if (stop === 'end' || stop === 'line') window.at += scanner.offset;
    else if (siblings.isPretty) yield* this.toLine();
    else throw this.lost(stop);
  }

  /** Reads an element, or leaves it out. */
  private *element(
    siblings: Siblings,
    key: string | number | undefined,
    isBroken: boolean,
  ): Generator<Step, void> {
    const { window, scanner } = this;
    yield* this.look(siblings);
    const { isPretty, areAlike } = siblings;
    scanner.begin(siblings.lines, siblings.depth, isPretty || areAlike);
    const stop = yield* this.scan(this.bytesMax);
    const isOdd = stop === 'line' && (yield* this.isWholeBeyond());
    if (isOdd) siblings.giveUpLines();
    const end = window.at + this.lengthOf(isOdd ? 'end' : stop);
    const found = isBroken || end === window.at ? undefined : parsed(window.bytes, window.at, end);
    if (found === undefined || !siblings.accepts(found.value)) {
      return yield* this.leaveOut(siblings, key, stop);
    }
    yield* release(siblings);
    siblings.held = { key, value: found.value, isWhole: siblings.isWhole(window.bytes, end) };
    siblings.learn(found.value);
    siblings.isInDoubt = false;
    siblings.index += 1;
    window.at = end;
    // A value of an object has a name, so that nothing else can be taken for it.
    if (siblings.isObject) yield* release(siblings);
  }

  /** Returns the length of the value that was scanned, or 0 if it has no end. */
  private lengthOf(stop: Stop): number {
    const { scanner } = this;
    if (scanner.isLoose) return this.isCommaMissing() ? scanner.closedAt : 0;
    return stop === 'end' || stop === 'line' ? scanner.offset : 0;
  }

  /** Tells whether the value is an object, and another one that begins alike stands behind it. */
  private isCommaMissing(): boolean {
    const { window, scanner } = this;
    const { bytes, at } = window;
    const name = bytes.indexOf(QUOTE, at);
    const nameEnd = bytes.indexOf(QUOTE, name + 1);
    let next = at + scanner.closedAt;
    while (isBlank(bytes[next])) next += 1;
    if (bytes[at] !== OPEN_BRACE || name < 0 || nameEnd < 0) return false;
    return bytes.subarray(next, next + nameEnd - at).equals(bytes.subarray(at, nameEnd));
  }

  /** Scans the value at the window, and keeps its bytes. */
  private *scan(bytesMax: number): Generator<typeof MORE, Stop> {
    const { window, scanner } = this;
    for (;;) {
      const stop = scanner.scan(window.bytes, window.at, window.isEnded, bytesMax);
      if (stop !== 'more' || window.isEnded) return stop;
      yield MORE;
    }
  }

  /**
   * Tells whether a value goes on behind a line that looks as if another one began there, as in a
   * document that is indented at will. Then the scan stands at the end of it.
   */
  private *isWholeBeyond(): Generator<typeof MORE, boolean> {
    const { scanner } = this;
    const line = scanner.offset;
    const bytesMax = Math.min(BYTES_BEYOND_MAX, this.rereadBytesLeft, this.bytesMax - line);
    if (!scanner.isWithinBrackets || bytesMax <= 0) return false;
    scanner.ignoresLines = true;
    const stop = yield* this.scan(line + bytesMax);
    this.rereadBytesLeft -= scanner.offset - line;
    if (stop === 'end') return true;
    scanner.ignoresLines = false;
    scanner.offset = line;
    return false;
  }

  /** Goes on with a scan, without keeping the bytes. */
  private *letGo(): Generator<typeof MORE, Stop> {
    const { window, scanner } = this;
    for (;;) {
      const stop = scanner.scan(window.bytes, window.at, window.isEnded, Number.POSITIVE_INFINITY);
      window.at += scanner.offset;
      scanner.offset = 0;
      if (stop === 'deep') continue;
      if (stop !== 'more' || window.isEnded) return stop;
      yield MORE;
    }
  }

  /** Goes to where the next element begins, and says that this one is left out. */
  private *leaveOut(
    siblings: Siblings,
    key: string | number | undefined,
    stop: Stop,
  ): Generator<Step, void> {
    const { scanner } = this;
    const { held, isInDoubt } = siblings;
    // A value with a colon is a part of the element before it, which has ended too early.
    const isPart = !siblings.isObject && scanner.hasColon && held !== undefined && !held.isWhole;
    if (isPart) siblings.held = undefined;
    else yield* release(siblings);
    yield* this.toNext(siblings, stop);
    if (isInDoubt) return;
    const why = this.why(stop);
    yield { key: isPart ? held.key : key, within: siblings.name, why };
    if (!isPart) siblings.index += 1;
  }

  private why(stop: Stop): string {
    if (stop === 'large') return `The element is larger than ${this.bytesMax} bytes.`;
    if (stop === 'deep') return `The element nests deeper than ${this.depthMax} levels.`;
    return 'The element is not JSON.';
  }

  private *toNext(siblings: Siblings, given: Stop): Generator<typeof MORE, void> {
    const { scanner } = this;
    const { isInDoubt } = siblings;
    if (siblings.isPretty) {
      siblings.isInDoubt = false;
      return yield* this.toLine();
    }
    const isPart = scanner.hasColon && !siblings.isObject;
    const isSure = given === 'end' && !scanner.isUntidy && !scanner.isLoose && !isPart;
    if (siblings.areAlike && given !== 'deep' && (!isSure || isInDoubt)) {
      siblings.isInDoubt = true;
      if (yield* this.toObject(siblings)) return;
    }
    scanner.ignoreUntidy();
    const stop = yield* this.letGo();
    // Brackets say nothing if strings and what is between them may be mixed up.
    const isMixedUp = scanner.isUntidy && !siblings.isInDoubt;
    if (stop !== 'end' || isPart || scanner.isLoose || isMixedUp) throw this.lost(stop);
  }

  /** Goes to the next line of the siblings. */
  private *toLine(): Generator<typeof MORE, void> {
    const { window, scanner } = this;
    window.at += scanner.offset;
    for (;;) {
      const line = scanner.lineFrom(window.bytes, window.at, window.isEnded);
      if (line >= 0) {
        window.at = line;
        return;
      }
      if (window.isEnded) throw this.incomplete();
      window.at = Math.max(window.at, window.bytes.length - scanner.lookahead);
      yield MORE;
    }
  }

  /** Goes to the next object that may be a sibling. Returns false if there is none. */
  private *toObject(siblings: Siblings): Generator<typeof MORE, boolean> {
    const { window, scanner } = this;
    this.rereadBytesLeft -= scanner.offset;
    if (this.rereadBytesLeft < 0) return false;
    for (let from = 1; ; ) {
      const length = Math.min(window.held, this.bytesMax);
      const next = siblings.nextObject(window.bytes, window.at + from, window.at + length);
      if (next >= 0) {
        window.at = next;
        return true;
      }
      if (length === this.bytesMax || window.isEnded) return false;
      from = Math.max(1, length - BYTES_BEFORE_NAME_MAX);
      yield MORE;
    }
  }

  private lost(stop: Stop): Error {
    if (stop === 'more') return this.incomplete();
    return notJson('an element ends where it cannot, and no other one is found behind it.');
  }

  private incomplete(): Error {
    return this.window.failure ?? new JsonStreamError('The document ends before it is complete.');
  }
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

const notJson = (reason: string) => new JsonStreamError(`The document is not JSON: ${reason}`);

function* release(siblings: Siblings): Generator<JsonElement, void> {
  const { held } = siblings;
  if (held === undefined) return;
  siblings.held = undefined;
  yield { key: held.key, within: siblings.name, value: held.value };
}

function parsed(bytes: Buffer, start: number, end: number): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(bytes.toString('utf8', start, end)) };
  } catch {
    return undefined;
  }
}
