import { DamagedRecord } from '../../../storage/replication/commit-log.ts';

const TYPES = {
  nil: 0xc0,
  bin8: 0xc4,
  bin16: 0xc5,
  bin32: 0xc6,
  float64: 0xcb,
  uint8: 0xcc,
  uint16: 0xcd,
  uint32: 0xce,
  uint64: 0xcf,
  int8: 0xd0,
  int16: 0xd1,
  int32: 0xd2,
  int64: 0xd3,
  str8: 0xd9,
  str16: 0xda,
  str32: 0xdb,
  array16: 0xdc,
  array32: 0xdd,
} as const;

const SHORT_TEXT = 16;

/**
 * Reads what records are made of, value by value: numbers, texts, bytes, lists and nil. It makes
 * nothing whose size only the bytes claim, and throws `DamagedRecord` for anything else.
 */
export class MsgpackReader {
  private readonly bytes: Buffer;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** Reads the head of a list, whose values follow; each of them takes a byte at least. */
  list(): number {
    const type = this.type();
    const length =
      (type & 0xf0) === 0x90
        ? type & 0x0f
        : type === TYPES.array16
          ? this.unsigned(2)
          : type === TYPES.array32
            ? this.unsigned(4)
            : undefined;
    if (length === undefined) throw new DamagedRecord('a record has something else for a list');
    if (length > this.bytes.length - this.at) throw new DamagedRecord('a record is cut off');
    return length;
  }

  number(): number {
    return this.numberOf(this.type());
  }

  /** A whole number from 0 on. */
  count(): number {
    const number = this.number();
    if (!Number.isSafeInteger(number) || number < 0) throw new DamagedRecord('a count is none');
    return number;
  }

  text(): string {
    return this.textOf(this.type());
  }

  keyPart(): string | number {
    const type = this.type();
    return isText(type) ? this.textOf(type) : this.numberOf(type);
  }

  numberOrNil(): number | null {
    return this.isNil() ? null : this.number();
  }

  textOrNil(): string | null {
    return this.isNil() ? null : this.text();
  }

  /** The bytes are a part of the record. */
  bytesOrNil(): Uint8Array | null {
    const type = this.type();
    if (type === TYPES.nil) return null;
    return this.taken(this.binaryLength(type));
  }

  binary(): Uint8Array {
    return this.taken(this.binaryLength(this.type()));
  }

  end() {
    if (this.at !== this.bytes.length) throw new DamagedRecord('a record goes on behind its end');
  }

  private isNil(): boolean {
    if (this.bytes[this.at] !== TYPES.nil) return false;
    this.at += 1;
    return true;
  }

  private type(): number {
    const type = this.bytes[this.at];
    if (type === undefined) throw new DamagedRecord('a record is cut off');
    this.at += 1;
    return type;
  }

  private binaryLength(type: number): number {
    if (type === TYPES.bin8) return this.unsigned(1);
    if (type === TYPES.bin16) return this.unsigned(2);
    if (type === TYPES.bin32) return this.unsigned(4);
    throw new DamagedRecord('a record has something else for bytes');
  }

  private textOf(type: number): string {
    const length =
      (type & 0xe0) === 0xa0
        ? type & 0x1f
        : type === TYPES.str8
          ? this.unsigned(1)
          : type === TYPES.str16
            ? this.unsigned(2)
            : type === TYPES.str32
              ? this.unsigned(4)
              : undefined;
    if (length === undefined) throw new DamagedRecord('a record has something else for a text');
    const start = this.advance(length);
    return this.shortText(start) ?? this.bytes.toString('utf8', start, this.at);
  }

  /** Short texts of ASCII are made here: a call of Node's costs as much as a whole key. */
  private shortText(start: number): string | undefined {
    if (this.at - start > SHORT_TEXT) return undefined;
    let text = '';
    for (let at = start; at < this.at; at++) {
      const code = this.bytes[at] ?? 0;
      if (code >= 0x80) return undefined;
      text += String.fromCharCode(code);
    }
    return text;
  }

  private numberOf(type: number): number {
    if (type < 0x80) return type;
    if (type >= 0xe0) return type - 0x100;
    if (type === TYPES.uint8) return this.unsigned(1);
    if (type === TYPES.uint16) return this.unsigned(2);
    if (type === TYPES.uint32) return this.unsigned(4);
    if (type === TYPES.float64) return this.bytes.readDoubleBE(this.advance(8));
    if (type === TYPES.uint64) return Number(this.bytes.readBigUInt64BE(this.advance(8)));
    if (type === TYPES.int8) return this.bytes.readInt8(this.advance(1));
    if (type === TYPES.int16) return this.bytes.readInt16BE(this.advance(2));
    if (type === TYPES.int32) return this.bytes.readInt32BE(this.advance(4));
    if (type === TYPES.int64) return Number(this.bytes.readBigInt64BE(this.advance(8)));
    throw new DamagedRecord('a record has something else for a number');
  }

  private unsigned(size: number): number {
    const start = this.advance(size);
    if (size === 1) return this.bytes[start] ?? 0;
    return size === 2 ? this.bytes.readUInt16BE(start) : this.bytes.readUInt32BE(start);
  }

  private taken(length: number): Uint8Array {
    const start = this.advance(length);
    return this.bytes.subarray(start, start + length);
  }

  /** Returns where the next bytes begin, and goes behind them. */
  private advance(length: number): number {
    const start = this.at;
    if (length > this.bytes.length - start) throw new DamagedRecord('a record is cut off');
    this.at = start + length;
    return start;
  }
}

const isText = (type: number) =>
  (type & 0xe0) === 0xa0 || type === TYPES.str8 || type === TYPES.str16 || type === TYPES.str32;
