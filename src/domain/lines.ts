const NEW_LINE = 0x0a;

/** Cuts bytes into lines, in whatever parts they come. */
export class LineCutter {
  private readonly bytesMax: number;
  private parts: Buffer[] = [];
  private size = 0;

  /** Takes the bytes that a line may have. */
  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** Tells whether the line that has not ended yet is too long already. */
  get isTooLong(): boolean {
    return this.size > this.bytesMax;
  }

  /**
   * Takes the next bytes. Yields the lines that end in them, without their ends, and null for one
   * that is too long, whose bytes are not kept. All are to be taken before the next bytes.
   */
  *cut(bytes: Buffer): Generator<Buffer | null> {
    let start = 0;
    for (let end = bytes.indexOf(NEW_LINE); end >= 0; end = bytes.indexOf(NEW_LINE, start)) {
      this.add(bytes.subarray(start, end));
      yield this.finished();
      start = end + 1;
    }
    this.add(bytes.subarray(start));
  }

  /** Yields what follows the last end of a line, if anything does. */
  *rest(): Generator<Buffer | null> {
    if (this.size > 0) yield this.finished();
  }

  private add(part: Buffer) {
    this.size += part.length;
    if (this.isTooLong) this.parts = [];
    else this.parts.push(part);
  }

  private finished(): Buffer | null {
    const line = this.isTooLong ? null : Buffer.concat(this.parts);
    this.parts = [];
    this.size = 0;
    return line;
  }
}
