import type { Readable } from 'node:stream';
import { Input, notJson, parsed } from './json-input.ts';
import { JSON_ELEMENT_BYTES_MAX } from './json-stream.ts';
import { endOfString, JSON_DEPTH_MAX, Layout, type Stop, ValueScan } from './json-values.ts';

/** An element of a list or an object, or why it has no value. */
export type JsonElement = {
  /** The name in an object, or the position in an array. */
  readonly key: string | number | undefined;
  /** The name of the list or object that it is in, if that has one. */
  readonly within: string | number | undefined;
} & ({ readonly value: unknown } | { readonly why: string });

type Path = readonly string[];

/**
 * Yields the elements that match one of `paths` (`$.*`, `$.messages.*`), in the order of the
 * document. One that is no JSON, too large or too deep comes without a value, and the next one is
 * looked for (docs/decisions/0310). Throws `JsonStreamError` where none is found; the elements
 * before have been yielded by then.
 */
export async function* jsonElements(
  stream: Readable,
  paths: readonly string[],
  { bytesMax = JSON_ELEMENT_BYTES_MAX } = {},
): AsyncGenerator<JsonElement> {
  const input = new Input(stream);
  try {
    await input.passByteOrderMark();
    const sign = await input.sign();
    if (sign === '{' || sign === '[') {
      const split = paths.map((path) => path.split('.').slice(1));
      yield* new DocumentReader(input, bytesMax).values(split);
    } else await input.passLoneValue(bytesMax);
    if ((await input.sign()) !== '') throw notJson('something follows its end');
  } finally {
    stream.destroy();
  }
}

/** A list or object whose values are read. */
interface Siblings {
  /** The number of brackets around a value. */
  readonly depth: number;
  /** Its name, if it has one. */
  readonly name: string | number | undefined;
  readonly layout: Layout;
  /** An element of a list, until what follows shows that it has not ended too early. */
  held: { readonly key: string | number; readonly value: unknown } | undefined;
}

/** How many times the most bytes of an element are read again behind broken ones, at most. */
const READ_AGAIN_MAX = 8;

/** Cuts a document into its elements, each of which is parsed by itself. */
class DocumentReader {
  private readonly input: Input;
  private readonly bytesMax: number;
  private bytesToReadAgain: number;

  constructor(input: Input, bytesMax: number) {
    this.input = input;
    this.bytesMax = bytesMax;
    this.bytesToReadAgain = READ_AGAIN_MAX * bytesMax;
  }

  /** Reads a list or object from its bracket to the one that closes it. */
  async *values(
    paths: readonly Path[],
    depth = 1,
    name?: string | number,
  ): AsyncGenerator<JsonElement> {
    const { input } = this;
    const isObject = (await input.sign()) === '{';
    const closer = isObject ? '}' : ']';
    const siblings: Siblings = { depth, name, layout: new Layout(isObject), held: undefined };
    input.at += 1;
    for (let index = 0; ; index += 1) {
      let sign = await input.sign();
      if (sign === ',') {
        input.at += 1;
        sign = await input.sign();
      }
      if (sign === closer || sign === '') yield* released(siblings);
      if (sign === '') throw input.cutShort();
      if (sign === closer) {
        input.at += 1;
        return;
      }
      const { column } = input;
      const key = isObject ? await this.name() : index;
      await input.head();
      siblings.layout.learn(input.bytes, input.at, column);
      yield* this.value(siblings, key, paths);
    }
  }

  /** Reads a name of an object and its colon; returns undefined if there is none. */
  private async name(): Promise<string | undefined> {
    const { input } = this;
    if ((await input.sign()) !== '"') return undefined;
    let end = endOfString(input.bytes, input.at);
    for (; end < 0; end = endOfString(input.bytes, input.at)) {
      if (input.isEnded || input.held > this.bytesMax) return undefined;
      await input.more();
    }
    const name = parsed(input.bytes.subarray(input.at, end))?.value;
    input.at = end;
    if ((await input.sign()) !== ':') return undefined;
    input.at += 1;
    await input.sign();
    return name as string | undefined;
  }

  /** Reads a value as what the paths say that it is: an element, what has elements, or neither. */
  private async *value(
    siblings: Siblings,
    key: string | number | undefined,
    paths: readonly Path[],
  ): AsyncGenerator<JsonElement> {
    const there = paths.filter(([name]) => name === '*' || name === key);
    const deeper = there.map((path) => path.slice(1));
    const sign = await this.input.sign();
    if (key === undefined || there.some(({ length }) => length === 1)) {
      yield* this.element(siblings, key);
    } else if (deeper.length > 0 && (sign === '{' || sign === '[')) {
      yield* this.values(deeper, siblings.depth + 1, key);
    } else {
      // It may be of any length, and lines in it mean nothing.
      const scan = new ValueScan(new Layout(siblings.layout.isObject), siblings.depth);
      await this.pass(siblings, scan);
    }
  }

  private async *element(
    siblings: Siblings,
    key: string | number | undefined,
  ): AsyncGenerator<JsonElement> {
    const { input } = this;
    const { layout } = siblings;
    const scan = new ValueScan(layout, siblings.depth);
    let stop = scan.go(input.bytes, input.at, input.isEnded);
    while (stop === 'more' && !input.isEnded && scan.offset <= this.bytesMax) {
      await input.more();
      stop = scan.go(input.bytes, input.at, input.isEnded);
    }
    const isWhole = key !== undefined && !scan.isTooDeep;
    if (isWhole && stop === 'end' && (yield* this.given(siblings, key, scan.offset))) {
      if (scan.lineAt > 0) layout.giveUp();
      return;
    }
    // A comma is missing between two lines.
    if (isWhole && scan.lineAt > 0 && (yield* this.given(siblings, key, scan.lineAt))) return;
    const { name: within, held } = siblings;
    // A part of an object: the element before it had a bracket too many.
    const isPart = held !== undefined && scan.hasColon;
    siblings.held = isPart ? undefined : held;
    yield* released(siblings);
    const why = this.why(scan);
    const isEndKnown = layout.column >= 0 || !scan.isUntidy;
    if (scan.lineAt > 0) this.goBack(scan);
    else if (stop === 'end' && isEndKnown) input.at += scan.offset;
    else await this.pass(siblings, scan, stop === 'end' ? 'mismatch' : stop);
    yield { key: isPart ? held.key : key, within, why };
  }

  /** Gives a value of so many bytes, or keeps it until the next one is known. False: it is none. */
  private *given(
    siblings: Siblings,
    key: string | number,
    length: number,
  ): Generator<JsonElement, boolean> {
    const { input } = this;
    const found = parsed(input.bytes.subarray(input.at, input.at + length));
    if (found === undefined) return false;
    input.at += length;
    yield* released(siblings);
    siblings.held = { key, value: found.value };
    if (siblings.layout.isObject) yield* released(siblings);
    return true;
  }

  private why({ isTooDeep, offset }: ValueScan): string {
    if (isTooDeep) return `The element nests deeper than ${JSON_DEPTH_MAX} levels.`;
    if (offset > this.bytesMax) return `The element is larger than ${this.bytesMax} bytes.`;
    return 'The element is not JSON.';
  }

  /** Goes back to the line in which the next value begins. */
  private goBack({ offset, lineAt }: ValueScan) {
    this.bytesToReadAgain -= offset - lineAt;
    if (this.bytesToReadAgain < 0) throw notJson('too much of it is broken');
    this.input.at += lineAt;
  }

  /** Passes over the rest of a value, whose bytes are not kept. */
  private async pass({ layout }: Siblings, scan: ValueScan, given: Stop = 'more'): Promise<void> {
    const { input } = this;
    let stop = given;
    while (stop === 'more') {
      input.at += scan.offset;
      scan.offset = 0;
      if (input.isEnded && input.held === 0) throw input.cutShort();
      stop = scan.go(input.bytes, input.at, input.isEnded);
      if (scan.lineAt > 0) {
        input.at += scan.lineAt;
        return;
      }
      if (stop === 'more' && !input.isEnded) await input.more();
    }
    if (stop === 'end') input.at += scan.offset;
    else if (layout.column < 0) throw notJson('brackets do not match');
    else await this.toLine(layout);
  }

  /** Goes to the next line in which a value begins, or the list or object ends. */
  private async toLine(layout: Layout): Promise<void> {
    const { input } = this;
    for (;;) {
      const line = layout.lineFrom(input.bytes, input.at);
      const isThere = line >= 0 && (input.isEnded || line + layout.lookahead < input.bytes.length);
      if (isThere) {
        input.at = line + 1;
        return;
      }
      if (input.isEnded) throw input.cutShort();
      input.at = Math.max(input.at, input.bytes.length - layout.lookahead - 1);
      await input.more();
    }
  }
}

function* released(siblings: Siblings): Generator<JsonElement> {
  const { held, name: within } = siblings;
  siblings.held = undefined;
  if (held !== undefined) yield { ...held, within };
}
