/** The bounds of the lines of a file, and the errors for those beyond them. */
export interface ExpectedLines {
  readonly bytesMax: number;
  /** Makes the error for a longer line. */
  readonly tooLong: () => Error;
  /** Makes the error for a file that ends within a line; absent: such a file is whole. */
  readonly cutOff?: () => Error;
}

const LINE_BREAK = 10;

/** Reads lines in memory for one of them. */
export async function* linesIn(
  chunks: AsyncIterable<Buffer>,
  { bytesMax, tooLong, cutOff }: ExpectedLines,
): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_BREAK); end >= 0; end = chunk.indexOf(LINE_BREAK, start)) {
      yield textOf(parts, chunk.subarray(start, end));
      parts = [];
      length = 0;
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    length += rest.length;
    if (length > bytesMax) throw tooLong();
    if (rest.length > 0) parts.push(rest);
  }
  if (length === 0) return;
  if (cutOff !== undefined) throw cutOff();
  yield textOf(parts, Buffer.alloc(0));
}

const textOf = (parts: readonly Buffer[], last: Buffer): string =>
  (parts.length === 0 ? last : Buffer.concat([...parts, last])).toString('utf8');
