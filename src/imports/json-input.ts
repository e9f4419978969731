import type { Readable } from 'node:stream';
import { chunksOf, JsonStreamError } from './json-stream.ts';
import { HEAD_BYTES, isBlank } from './json-values.ts';

export const notJson = (why: string) => new JsonStreamError(`The document is not JSON: ${why}.`);

/** The bytes that are read at once, at least. */
const READ_BYTES_MIN = 64 * 1024;

/** The bytes of a stream from where its reader stands. */
export class Input {
  bytes: Buffer = Buffer.alloc(0);
  /** The position in `bytes` at which the reader stands. */
  at = 0;
  isEnded = false;
  /** The blanks that were passed over last, behind a line break; -1 if there was none. */
  column = -1;
  private readonly chunks: AsyncIterator<Buffer>;
  private failure: JsonStreamError | undefined;

  constructor(stream: Readable) {
    this.chunks = chunksOf(stream);
  }

  get held(): number {
    return this.bytes.length - this.at;
  }

  /** Lets go of what is before the reader, and reads on: as much as makes moving the rest cheap. */
  async more(): Promise<void> {
    const parts = [this.bytes.subarray(this.at)];
    const wanted = Math.max(READ_BYTES_MIN, this.held / 2);
    for (let size = 0; size < wanted && !this.isEnded; ) {
      const chunk = await this.next();
      if (chunk === undefined) this.isEnded = true;
      else {
        parts.push(chunk);
        size += chunk.length;
      }
    }
    this.bytes = Buffer.concat(parts);
    this.at = 0;
  }

  /** A file that is damaged ends there. */
  private async next(): Promise<Buffer | undefined> {
    try {
      const { value, done } = await this.chunks.next();
      return done === true ? undefined : value;
    } catch (error) {
      if (!(error instanceof JsonStreamError)) throw error;
      this.failure = error;
      return undefined;
    }
  }

  /** Passes over blanks. Returns the sign that the reader stands at then; `''` at the end. */
  async sign(): Promise<string> {
    this.column = -1;
    for (;;) {
      for (; this.at < this.bytes.length && isBlank(this.bytes[this.at]); this.at += 1) {
        if (this.bytes[this.at] === NEW_LINE) this.column = 0;
        else if (this.column >= 0) this.column += 1;
      }
      if (this.at < this.bytes.length) return String.fromCharCode(this.bytes[this.at] ?? 0);
      if (this.isEnded) return '';
      await this.more();
    }
  }

  /** Reads on if the beginning of a value is not there. */
  async head() {
    while (this.held < HEAD_BYTES && !this.isEnded) await this.more();
  }

  async passByteOrderMark() {
    while (this.held < BYTE_ORDER_MARK.length && !this.isEnded) await this.more();
    if (this.bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)) {
      this.at = BYTE_ORDER_MARK.length;
    }
  }

  /** Passes over a document that has no elements. */
  async passLoneValue(bytesMax: number) {
    while (!this.isEnded && this.held <= bytesMax) await this.more();
    if (parsed(this.bytes.subarray(this.at)) === undefined) {
      throw this.failure ?? notJson('it is neither a list nor an object');
    }
    this.at = this.bytes.length;
  }

  cutShort(): JsonStreamError {
    return this.failure ?? new JsonStreamError('The document ends before it is complete.');
  }
}

const NEW_LINE = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Returns undefined for bytes that are no JSON. */
export function parsed(bytes: Buffer): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(bytes.toString('utf8')) };
  } catch {
    return undefined;
  }
}
